out vec4 color;

void main() {
    color = vec4(0.13, 0.17, 0.26, 0.36);
}
