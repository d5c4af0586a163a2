out vec2 v_place;

void main() {
    v_place = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
    gl_Position = vec4(v_place, 0.99999, 1.0);
}
