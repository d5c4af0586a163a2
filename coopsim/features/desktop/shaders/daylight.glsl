// what comes from sky and floor onto a surface that faces n
vec3 ambient(vec3 n) {
    return mix(vec3(0.34, 0.33, 0.34), vec3(0.50, 0.53, 0.59), 0.5 + 0.5 * n.z);
}

const vec3 SUN = 0.52 * vec3(1.0, 0.97, 0.90);
const float FILL = 0.10;

// how much of the horizon's light lies before a point that is so far away
float haze(float away) {
    return smoothstep(30.0, 400.0, away);
}

// a colour that the light makes brighter than the picture can be keeps its hue: orange does not become yellow
vec3 exposed(vec3 lit_color) {
    return lit_color / max(1.0, max(lit_color.r, max(lit_color.g, lit_color.b)));
}
