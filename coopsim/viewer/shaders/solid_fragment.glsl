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
uniform sampler2D picture;
uniform float picture_on;

out vec4 color;

void main() {
    bool is_selected = mod(v_mark, 2.0) > SELECTED;
    vec3 n = normalize(v_normal), v = normalize(eye - v_world), h = normalize(v + light);
    vec3 base = picture_on > 0.5 ? texture(picture, v_place).rgb : paint(v_color.rgb, v_own.xy, n.z);
    float sun = max(dot(n, light), 0.0) * lit(v_light);
    vec3 ambient = mix(vec3(0.34, 0.33, 0.34), vec3(0.50, 0.53, 0.59), 0.5 + 0.5 * n.z);
    float fill = 0.10 * max(dot(n, v), 0.0);
    vec3 shaded = base * (ambient + fill + 0.52 * vec3(1.0, 0.97, 0.90) * sun);
    shaded += SHINE * 0.18 * pow(max(dot(n, h), 0.0), 40.0) * step(0.01, sun);
    float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
    if (is_selected) shaded = mix(shaded, vec3(1.0, 0.66, 0.15), 0.22 + 0.6 * rim);
    float away = length(eye - v_world);
    float haze = HAZE * smoothstep(30.0, 400.0, away);
    color = vec4(mix(shaded, HORIZON, haze), v_color.a);
}
