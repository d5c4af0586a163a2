// Levels of detail: what is drawn of a shape that covers a few pixels, or of which one side alone is seen.
"use strict";

(() => {
  const FINE = 16; // px; shapes as large have all their corners
  const LEAST_ARROW = 1.5; // px; shorter ones lie on a robot that is still seen

  // direction to the camera along the axes of the unit box
  const EYE = `
    vec3 toEye = isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : cameraPosition - (place * MIDDLE).xyz;
    vec3 eye = vec3(dot(place[0].xyz, toEye), dot(place[1].xyz, toEye), dot(place[2].xyz, toEye));
    eye /= vec3(dot(place[0].xyz, place[0].xyz), dot(place[1].xyz, place[1].xyz), dot(place[2].xyz, place[2].xyz));`;
  const eyeFrom = (middle) => EYE.replace("MIDDLE", `vec4(0.0, 0.0, ${middle}, 1.0)`);

  // three faces of a box, turned to where the camera is; a mirrored corner would be seen from behind, hence the exchange
  const BOX = { vertex: `${eyeFrom("0.5")}
    vec3 way = vec3(eye.x < 0.0 ? -1.0 : 1.0, eye.y < 0.0 ? -1.0 : 1.0, eye.z < 0.0 ? -1.0 : 1.0);
    if (way.x * way.y * way.z < 0.0) { corner = corner.yxz; side = side.yxz; }
    side *= way;
    corner.xy *= way.xy;
    if (way.z < 0.0) corner.z = 1.0 - corner.z;` };

  // a triangle along an arrow, turned to the camera around it
  const DART = { vertex: `${eyeFrom("0.0")}
    vec2 up = eye.yz / max(length(eye.yz), 1e-9);
    corner = vec3(corner.x, corner.y * up.y + corner.z * up.x, corner.z * up.y - corner.y * up.x);
    side = vec3(0.0, up);` };

  // an upright round shape as one point: its pixels ask whether they lie within its cap, or on the way from there to its foot
  const SPOT_FACTS = `
    flat varying mat2 toCap;
    flat varying vec2 cap, foot;
    flat varying vec3 capDepth, capNormal, sideNormal;
    flat varying float wide;`;
  const SPOT = {
    head: `uniform vec2 pixels;${SPOT_FACTS}
    vec3 onScreen(vec4 point) { return vec3(pixels * point.xy, point.z) / point.w * 0.5 + vec3(0.0, 0.0, 0.5); }`,
    vertex: eyeFrom("0.5"),
    projected: `
    {
      mat4 whole = projectionMatrix * viewMatrix * place;
      float top = eye.z < 0.0 ? 0.0 : 1.0;
      vec4 capPoint = whole * vec4(0.0, 0.0, top, 1.0);
      vec3 middle = onScreen(gl_Position), above = onScreen(capPoint), below = onScreen(whole * vec4(0.0, 0.0, 1.0 - top, 1.0));
      vec3 a = onScreen(capPoint + 0.5 * whole[0]) - above, b = onScreen(capPoint + 0.5 * whole[1]) - above;
      // seen along its edge a cap is a line, which has no inside
      if (abs(a.x * b.y - a.y * b.x) < 0.02 * (dot(a.xy, a.xy) + dot(b.xy, b.xy))) {
        if (dot(a.xy, a.xy) > dot(b.xy, b.xy)) b.xy += 0.1 * vec2(-a.y, a.x); else a.xy += 0.1 * vec2(-b.y, b.x);
      }
      toCap = inverse(mat2(a.xy, b.xy));
      cap = above.xy - middle.xy;
      foot = toCap * (below.xy - above.xy);
      capDepth = vec3(above.z, a.z, b.z);
      vec3 axis = normalize(mat3(viewMatrix) * place[2].xyz), back = normalize(mat3(viewMatrix) * toEye);
      capNormal = top < 0.5 ? -axis : axis;
      sideNormal = normalize(back - dot(back, axis) * axis + vec3(0.0, 0.0, 1e-6));
      vec2 extent = abs(cap) + sqrt(a.xy * a.xy + b.xy * b.xy);
      gl_PointSize = wide = 2.0 * ceil(max(extent.x, extent.y)) + 1.0;
    }`,
    fragmentHead: SPOT_FACTS,
    begun: `
    vec2 onCap = toCap * ((gl_PointCoord - 0.5) * vec2(wide, -wide) - cap);
    bool isCap = dot(onCap, onCap) < 1.0;
    vec2 beside = onCap - clamp(dot(onCap, foot) / max(dot(foot, foot), 1e-9), 0.0, 1.0) * foot;
    if (dot(beside, beside) > 1.0) discard;`,
    normal: `
    normal = isCap ? capNormal : sideNormal;`,
    // its side is told as near as the edge of its cap, so that no floor covers it
    ended: `
    gl_FragDepth = capDepth.x + (isCap ? dot(onCap, capDepth.yz) : -length(capDepth.yz));`,
  };

  /** Return a geometry of triangles. */
  function triangles(positions, normals, order) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint16Array(order), 1));
    return geometry;
  }

  /** Return the faces of the unit box towards x, y and z. */
  function threeFaces() {
    const positions = [], normals = [], order = [];
    for (let axis = 0; axis < 3; axis++) {
      for (const [u, v] of [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) {
        const point = [0, 0, 0];
        point[axis] = 0.5;
        point[(axis + 1) % 3] = u;
        point[(axis + 2) % 3] = v;
        positions.push(point[0], point[1], point[2] + 0.5);
        normals.push(...[0, 1, 2].map((k) => Number(k === axis)));
      }
      order.push(...[0, 1, 2, 0, 2, 3].map((k) => 4 * axis + k));
    }
    return triangles(positions, normals, order);
  }

  const dart = () => triangles([1, 0, 0.2, 0, 0.42, 0.2, 0, -0.42, 0.2], [0, 0, 1, 0, 0, 1, 0, 0, 1], [0, 1, 2]);

  function spot() {
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array([0, 0, name === "normal" ? 1 : 0.5]), 3));
    return geometry;
  }

  /**
   * Return the levels of a shape, the finest first: geometry, what its shaders do beside the library's, and from how many
   * pixels on it is drawn.
   */
  function levelsOf({ shape }, geometry) {
    const all = { name: "all", geometry, shaders: {}, from: 0 };
    if (shape === "box") return [{ ...all, from: FINE }, { name: "faces", geometry: threeFaces(), shaders: BOX, from: 0 }];
    if (shape === "arrow") return [{ ...all, from: FINE }, { name: "dart", geometry: dart(), shaders: DART, from: LEAST_ARROW }];
    if (shape === "cylinder") return [{ ...all, from: FINE }, { name: "spot", geometry: spot(), shaders: SPOT, from: 0, isPoints: true }];
    return [all];
  }

  Object.assign(coopsim, { levelsOf });
})();
