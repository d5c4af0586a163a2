const float SHINE = 1.0;
const float HAZE = 0.5;

vec3 paint(vec3 base, vec2 p, float up) {
    return base;
}
