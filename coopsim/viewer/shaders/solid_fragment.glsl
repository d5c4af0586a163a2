const float SELECTED = 0.5;
const float FLOOR = 1.5;

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
uniform float grid_on;

out vec4 color;

// how much of a line of a grid of side 1 covers a point
float grid(vec2 p, float width) {
    vec2 pixel = fwidth(p);
    vec2 away = abs(fract(p - 0.5) - 0.5) / max(pixel, vec2(1e-6));
    float fine = clamp(1.0 - 2.0 * max(pixel.x, pixel.y), 0.0, 1.0);
    return (1.0 - clamp(min(away.x, away.y) - width, 0.0, 1.0)) * fine;
}

// tiles of one metre, lines of one and of ten, and the axes x and y
vec3 tiled(vec3 base, vec2 p) {
    vec2 pixel = fwidth(p);
    float near = clamp(1.0 - 2.0 * max(pixel.x, pixel.y), 0.0, 1.0);
    float tile = mix(0.5, mod(floor(p.x) + floor(p.y), 2.0), near);
    vec3 found = base * mix(vec3(0.975, 0.985, 1.0), vec3(0.925, 0.945, 0.975), tile);
    found = mix(found, base * vec3(0.70, 0.73, 0.78), 0.30 * grid(p * 2.0, 0.0));
    found = mix(found, base * vec3(0.56, 0.60, 0.67), 0.60 * grid(p, 0.15));
    found = mix(found, base * vec3(0.50, 0.55, 0.63), 0.55 * grid(p * 0.1, 0.3));
    vec2 axis = max(pixel * 1.3, vec2(0.012));
    if (abs(p.y) < axis.y) found = mix(found, vec3(0.86, 0.29, 0.27), 0.75);
    if (abs(p.x) < axis.x) found = mix(found, vec3(0.24, 0.62, 0.36), 0.75);
    return found;
}

void main() {
    bool is_floor = v_mark >= FLOOR;
    bool is_selected = mod(v_mark, 2.0) > SELECTED;
    vec3 n = normalize(v_normal), v = normalize(eye - v_world), h = normalize(v + light);
    vec3 base = v_color.rgb;
    if (picture_on > 0.5) base = texture(picture, v_place).rgb;
    else if (is_floor && grid_on > 0.5 && n.z > 0.5) base = tiled(base, v_own.xy);
    float sun = max(dot(n, light), 0.0) * lit(v_light);
    vec3 ambient = mix(vec3(0.34, 0.33, 0.34), vec3(0.50, 0.53, 0.59), 0.5 + 0.5 * n.z);
    float fill = 0.10 * max(dot(n, v), 0.0);
    vec3 shaded = base * (ambient + fill + 0.52 * vec3(1.0, 0.97, 0.90) * sun);
    if (!is_floor) shaded += 0.18 * pow(max(dot(n, h), 0.0), 40.0) * step(0.01, sun);
    float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
    if (is_selected) shaded = mix(shaded, vec3(1.0, 0.66, 0.15), 0.22 + 0.6 * rim);
    float away = length(eye - v_world);
    float haze = is_floor ? 0.85 * smoothstep(30.0, 400.0, away) : 0.5 * smoothstep(60.0, 600.0, away);
    color = vec4(mix(shaded, HORIZON, haze), v_color.a);
}
