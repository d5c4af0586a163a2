in vec3 position;
in vec3 i_position;
in vec4 i_rotation;
in vec3 i_size;

uniform mat4 view;
uniform vec2 shift;

void main() {
    vec4 place = view * vec4(turned(i_rotation, position * i_size) + i_position, 1.0);
    gl_Position = place + vec4(shift * place.w, 0.0, 0.0);
}
