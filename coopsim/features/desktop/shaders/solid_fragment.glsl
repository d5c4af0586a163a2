const float SELECTED = 0.5;

in vec3 v_world;
in vec3 v_own;
in vec3 v_normal;
in vec4 v_light;
in vec4 v_color;
in vec2 v_place;
flat in float v_mark;

uniform vec3 eye;
uniform vec3 light;

out vec4 color;

void main() {
    vec3 n = normalize(v_normal), towards = eye - v_world;
    float near = inversesqrt(max(dot(towards, towards), 1e-12)), away = 1.0 / near;
    vec3 v = towards * near;
    vec3 base = paint(v_color.rgb, v_own.xy, v_place, n.z);
    float seen = max(dot(n, v), 0.0), sun = max(dot(n, light), 0.0) * lit(v_light);
    vec3 shaded = exposed(base * (ambient(n) + FILL * seen + SUN * sun));
    // products instead of powers: those are dear where a processor draws
    float gloss = max(dot(n, normalize(v + light)), 0.0), rim = 1.0 - seen;
    gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss * gloss * gloss * gloss;
    shaded += 0.18 * gloss * step(0.01, sun);
    float shine = step(SELECTED, mod(v_mark, 2.0)) * (0.22 + 0.6 * rim * rim * rim);
    shaded = mix(shaded, vec3(1.0, 0.66, 0.15), shine);
    color = vec4(mix(shaded, HORIZON, 0.5 * haze(away)), v_color.a);
}
