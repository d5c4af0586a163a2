vec3 paint(vec3 base, vec2 p, vec2 place, float up) {
    return base;
}
