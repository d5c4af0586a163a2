uniform sampler2D picture;

in vec2 v_place;
in vec4 v_color;

out vec4 color;

void main() {
    color = v_color * texture(picture, v_place);
}
