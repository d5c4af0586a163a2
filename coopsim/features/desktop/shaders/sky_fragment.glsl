in vec2 v_place;

out vec4 color;

void main() {
    color = vec4(sky(v_place.y), 1.0);
}
