in vec3 position;
in vec3 normal;
in vec2 place;
in vec3 i_position;
in vec4 i_rotation;
in vec3 i_size;
in vec4 i_color;
in float i_mark;

uniform mat4 view;
uniform mat4 light_view;

out vec3 v_world;
out vec3 v_own;
out vec3 v_normal;
out vec4 v_light;
out vec4 v_color;
out vec2 v_place;
flat out float v_mark;

void main() {
    v_own = position * i_size;
    v_world = turned(i_rotation, v_own) + i_position;
    v_normal = turned(i_rotation, normal / max(i_size, vec3(1e-6)));
    v_light = light_view * vec4(v_world + 0.015 * normalize(v_normal), 1.0);
    v_color = i_color;
    v_place = place;
    v_mark = i_mark;
    gl_Position = view * vec4(v_world, 1.0);
}
