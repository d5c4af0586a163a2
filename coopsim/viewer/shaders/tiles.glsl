const float SHINE = 0.0;
const float HAZE = 0.85;

uniform float grid_on;

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

vec3 paint(vec3 base, vec2 p, float up) {
    return grid_on > 0.5 && up > 0.5 ? tiled(base, p) : base;
}
