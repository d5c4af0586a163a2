// rotates v by the unit quaternion w x y z
vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v);
}
