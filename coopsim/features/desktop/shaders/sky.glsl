const vec3 HORIZON = vec3(0.80, 0.845, 0.90);
const vec3 ZENITH = vec3(0.36, 0.47, 0.63);

// the background at a height of the picture, -1 to 1
vec3 sky(float height) {
    return mix(HORIZON, ZENITH, smoothstep(-0.35, 1.1, height));
}
