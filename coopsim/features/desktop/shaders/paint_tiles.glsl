// how much of a line of a grid of side 1 covers a point; pixel: how much of the grid a pixel takes
float grid(vec2 p, vec2 pixel, float width) {
    vec2 away = abs(fract(p - 0.5) - 0.5) / pixel;
    float fine = clamp(1.0 - 2.0 * max(pixel.x, pixel.y), 0.0, 1.0);
    return (1.0 - clamp(min(away.x, away.y) - width, 0.0, 1.0)) * fine;
}

// tiles of one metre, lines of one and of ten, and the axes x and y
vec3 paint(vec3 base, vec2 p, vec2 place, float up) {
    vec2 pixel = max(fwidth(p), vec2(1e-6));
    float near = clamp(1.0 - 2.0 * max(pixel.x, pixel.y), 0.0, 1.0);
    float tile = mix(0.5, mod(floor(p.x) + floor(p.y), 2.0), near);
    vec3 found = mix(vec3(0.975, 0.985, 1.0), vec3(0.925, 0.945, 0.975), tile);
    found = mix(found, vec3(0.70, 0.73, 0.78), 0.30 * grid(p * 2.0, pixel * 2.0, 0.0));
    found = mix(found, vec3(0.56, 0.60, 0.67), 0.60 * grid(p, pixel, 0.15));
    found = base * mix(found, vec3(0.50, 0.55, 0.63), 0.55 * grid(p * 0.1, pixel * 0.1, 0.3));
    vec2 on_axis = 0.75 * step(abs(p.yx), max(pixel.yx * 1.3, vec2(0.012)));
    found = mix(mix(found, vec3(0.86, 0.29, 0.27), on_axis.x), vec3(0.24, 0.62, 0.36), on_axis.y);
    return up > 0.5 ? found : base;
}
