// Shapes: geometries drawn into a unit box, 1 long, wide and high, the middle of its base at the origin.
"use strict";

(() => {
  const FLAT = 0.05; // m; areas are thinner, and have no sides
  const SIDES = 24, FEW_SIDES = 8;
  const SHAFT = 0.62, THICK = 0.4; // of an arrow: length of its shaft, width of it, as shares

  const cache = new Map();

  /** Return the geometry of a shape; those of the same key are one. A coarse one has a few corners alone. */
  function geometryOf(shape, isCoarse = false) {
    const key = `${keyOf(shape)} ${isCoarse}`;
    if (!cache.has(key)) cache.set(key, make(shape, isCoarse ? FEW_SIDES : SIDES));
    return cache.get(key);
  }

  /** Return what shapes have in common that are drawn with one geometry. */
  function keyOf(shape) {
    if (shape.shape === "capsule") return `capsule ${shape.size.join(" ")}`;
    if (shape.shape === "polygon") return `polygon ${shape.points.join(" ")} ${shape.size[2]}`;
    return shape.shape;
  }

  /** Return whether a geometry has its size already, instead of filling the unit box. */
  const isSized = (shape) => shape.shape === "capsule" || shape.shape === "polygon";

  function make(shape, sides) {
    const [length, width, height] = shape.size;
    switch (shape.shape) {
      case "box": return new THREE.BoxGeometry(1, 1, 1).translate(0, 0, 0.5);
      case "sphere": return new THREE.SphereGeometry(0.5, sides, sides / 2).rotateX(Math.PI / 2).translate(0, 0, 0.5);
      case "cone": return upright(new THREE.ConeGeometry(0.5, 1, sides));
      case "arrow": return arrow(sides);
      case "capsule": return capsule(Math.min(length, width) / 2, height, sides);
      case "polygon": return polygon(shape.points, height);
      default: return upright(new THREE.CylinderGeometry(0.5, 0.5, 1, sides));
    }
  }

  const upright = (geometry) => geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);

  /** Join geometries into one, as far as they have positions and normals. */
  function joined(geometries) {
    const whole = new THREE.BufferGeometry();
    for (const name of ["position", "normal"]) {
      const arrays = geometries.map((geometry) => (geometry.index ? geometry.toNonIndexed() : geometry).getAttribute(name).array);
      const all = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
      let at = 0;
      for (const array of arrays) { all.set(array, at); at += array.length; }
      whole.setAttribute(name, new THREE.BufferAttribute(all, 3));
    }
    return whole;
  }

  function arrow(sides) {
    const shaft = new THREE.CylinderGeometry(THICK / 2, THICK / 2, SHAFT, Math.ceil(0.4 * sides), 1, sides < SIDES).translate(0, SHAFT / 2, 0);
    const head = new THREE.ConeGeometry(0.5, 1 - SHAFT, sides / 2, 1, sides < SIDES).translate(0, SHAFT + (1 - SHAFT) / 2, 0);
    return joined([shaft, head]).rotateZ(-Math.PI / 2); // along x, from its tail
  }

  function capsule(radius, height, sides) {
    const between = Math.max(0, height - 2 * radius), middle = height / 2;
    const parts = [radius, height - radius].map((z) => new THREE.SphereGeometry(radius, sides, sides / 2).translate(0, 0, z));
    parts.push(new THREE.CylinderGeometry(radius, radius, between, sides).rotateX(Math.PI / 2).translate(0, 0, middle));
    return joined(parts);
  }

  function polygon(points, height) {
    const corners = [];
    for (let i = 0; i < points.length; i += 2) corners.push(new THREE.Vector2(points[i], points[i + 1]));
    const top = new THREE.ShapeGeometry(new THREE.Shape(corners)).translate(0, 0, height);
    return height > FLAT ? joined([top, sides(corners, height)]) : top;
  }

  /** Return the upright sides of a polygon, which are seen from outside. */
  function sides(corners, height) {
    const places = [], next = (k) => corners[(k + 1) % corners.length];
    const isClockwise = corners.reduce((sum, a, k) => sum + a.x * next(k).y - a.y * next(k).x, 0) < 0;
    corners.forEach((corner, k) => {
      const [a, b] = isClockwise ? [next(k), corner] : [corner, next(k)];
      places.push(a.x, a.y, 0, b.x, b.y, 0, b.x, b.y, height, a.x, a.y, 0, b.x, b.y, height, a.x, a.y, height);
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** Return the geometry of triangles that came as floats, scaled into the unit box. */
  function meshGeometry(corners) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox;
    geometry.translate(-(min.x + max.x) / 2, -(min.y + max.y) / 2, -min.z);
    geometry.scale(1 / (max.x - min.x || 1), 1 / (max.y - min.y || 1), 1 / (max.z - min.z || 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  Object.assign(coopsim, { geometryOf, keyOf, isSized, meshGeometry });
})();
