uniform sampler2D shadow_map;

float lit_at(vec2 place, float depth) {
    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
    vec2 share = fract(place / texel - 0.5);
    vec4 nearest = vec4(texture(shadow_map, place + texel * vec2(-0.5, -0.5)).r,
                        texture(shadow_map, place + texel * vec2(0.5, -0.5)).r,
                        texture(shadow_map, place + texel * vec2(-0.5, 0.5)).r,
                        texture(shadow_map, place + texel * vec2(0.5, 0.5)).r);
    vec4 lit = step(vec4(depth), nearest);
    return mix(mix(lit.x, lit.y, share.x), mix(lit.z, lit.w, share.x), share.y);
}

// how much of the light reaches a point, 0 to 1
float lit(vec4 seen) {
    vec3 p = seen.xyz / seen.w * 0.5 + 0.5;
    if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
    float sum = 0.0;
    for (int row = -1; row <= 1; ++row)
        for (int column = -1; column <= 1; ++column)
            sum += lit_at(p.xy + 1.3 * texel * vec2(column, row), p.z - 0.0008);
    return sum / 9.0;
}
