in vec3 position;
in vec3 i_position;
in vec4 i_rotation;
in vec3 i_size;
in vec4 i_color;

uniform mat4 view;

flat out vec4 v_color;

void main() {
    v_color = i_color;
    gl_Position = view * vec4(turned(i_rotation, position * i_size) + i_position, 1.0);
}
