uniform vec4 scale_offset;

in vec2 pos;
in vec2 uv;
in vec4 col;

out vec2 v_place;
out vec4 v_color;

void main() {
    v_place = uv;
    v_color = col;
    gl_Position = vec4(pos * scale_offset.xy + scale_offset.zw, 0.0, 1.0);
}
