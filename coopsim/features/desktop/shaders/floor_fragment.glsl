in vec3 v_world;
in vec2 v_own;
in vec4 v_light;
in vec2 v_place;
flat in vec4 v_color;
flat in vec3 v_normal;
flat in vec3 v_ambient;
flat in float v_sun;
flat in float v_shine;

uniform vec3 eye;

out vec4 color;

void main() {
    vec3 towards = eye - v_world;
    float near = inversesqrt(max(dot(towards, towards), 1e-12));
    float seen = max(dot(v_normal, towards) * near, 0.0);
    vec3 base = paint(v_color.rgb, v_own, v_place, v_normal.z);
    vec3 shaded = exposed(base * (v_ambient + FILL * seen + SUN * v_sun * lit(v_light)));
    shaded = mix(shaded, vec3(1.0, 0.66, 0.15), v_shine);
    color = vec4(mix(shaded, HORIZON, 0.85 * haze(1.0 / near)), v_color.a);
}
