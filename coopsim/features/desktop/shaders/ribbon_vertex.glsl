in vec3 r_begin;
in vec3 r_end;
in vec4 r_color;
in float r_fade;
in float r_width;

uniform mat4 view;
uniform vec2 size;

out vec4 v_color;

const float NEAR = 0.02;

void main() {
    vec4 a = view * vec4(r_begin, 1.0), b = view * vec4(r_end, 1.0);
    bool is_end = (gl_VertexID & 1) == 1;
    v_color = r_color;
    v_color.a *= is_end ? 1.0 : r_fade;
    if (a.w < NEAR && b.w < NEAR) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (a.w < NEAR) a = mix(a, b, (NEAR - a.w) / (b.w - a.w));
    if (b.w < NEAR) b = mix(b, a, (NEAR - b.w) / (a.w - b.w));
    vec2 along = (b.xy / b.w - a.xy / a.w) * size;
    vec2 across = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(1.0, 0.0);
    vec4 here = is_end ? b : a;
    here.xy += (gl_VertexID < 2 ? -1.0 : 1.0) * across * r_width / size * here.w;
    gl_Position = here;
}
