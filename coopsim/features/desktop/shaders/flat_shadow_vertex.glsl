in vec3 position;
in vec3 i_position;
in vec4 i_rotation;
in vec3 i_size;

uniform mat4 view;
uniform vec3 light;

void main() {
    vec3 world = turned(i_rotation, position * i_size) + i_position;
    world -= light * (max(world.z, 0.0) / light.z);
    gl_Position = view * vec4(world.xy, 0.003, 1.0);
}
