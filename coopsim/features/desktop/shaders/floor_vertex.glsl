// floors are flat, so that light is found once for each of their sides
const float SELECTED = 0.5;

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
uniform vec3 light;

out vec3 v_world;
out vec2 v_own;
out vec4 v_light;
out vec2 v_place;
flat out vec4 v_color;
flat out vec3 v_normal;
flat out vec3 v_ambient;
flat out float v_sun;
flat out float v_shine;

void main() {
    vec3 own = position * i_size;
    v_own = own.xy;
    v_world = turned(i_rotation, own) + i_position;
    v_normal = normalize(turned(i_rotation, normal / max(i_size, vec3(1e-6))));
    v_light = light_view * vec4(v_world + 0.015 * v_normal, 1.0);
    v_color = i_color;
    v_place = place;
    v_ambient = ambient(v_normal);
    v_sun = max(dot(v_normal, light), 0.0);
    v_shine = step(SELECTED, mod(i_mark, 2.0)) * 0.3;
    gl_Position = view * vec4(v_world, 1.0);
}
