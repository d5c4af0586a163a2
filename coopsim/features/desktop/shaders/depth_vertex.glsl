in vec3 position;
in vec3 i_position;
in vec4 i_rotation;
in vec3 i_size;

uniform mat4 view;

void main() {
    gl_Position = view * vec4(turned(i_rotation, position * i_size) + i_position, 1.0);
}
