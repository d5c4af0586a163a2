// Packs: thousands of equal shapes as a few large geometries. A machine without a graphics card draws each instance of a
// mesh by itself: ten thousand take seconds of the processor, one geometry of as many corners takes tenths.
"use strict";

(() => {
  const FEWEST = 500; // instances; fewer are drawn as fast either way
  const MOST_CORNERS = 2e6; // of a geometry, 24 bytes each
  const MOST_FINE = 150e3; // corners of the finest of several levels, which take a processor about 50 ms
  const COARSER = 1.25; // step in which more pixels are asked of what is drawn finely
  const WIDTH = 256; // instances in a row of a texture
  const RED = 1028; // WebGL's number for textures of one channel

  const HEAD = "uniform highp sampler2D places, colors, rows;\nuniform int corners;\n";
  const INSTANCE = `
    int slot = gl_VertexID / corners;
    int number = int(texelFetch(rows, ivec2(slot % ${WIDTH}, slot / ${WIDTH}), 0).r);
    ivec2 spot = ivec2(number % ${WIDTH}, number / ${WIDTH}), column = ivec2(4 * spot.x, spot.y);
    mat4 place = mat4(texelFetch(places, column, 0), texelFetch(places, column + ivec2(1, 0), 0),
      texelFetch(places, column + ivec2(2, 0), 0), texelFetch(places, column + ivec2(3, 0), 0));
    vColor.rgb *= texelFetch(colors, spot, 0).rgb;
    vec3 corner = position, side = normal;`;
  // as the library turns normals of instances, whose lengths along their axes differ
  const NORMAL = `
    objectNormal = mat3(place) * (side / vec3(dot(place[0].xyz, place[0].xyz), dot(place[1].xyz, place[1].xyz), dot(place[2].xyz, place[2].xyz)));`;
  const CORNER = `
    transformed = (place * vec4(corner, 1.0)).xyz;`;

  /** Return whether so many instances of a shape are better drawn as one geometry. */
  function isPacked(shape, geometry, count) {
    // meshes come later than their places, and pictures lie on shapes by themselves
    if (shape.mesh || shape.texture || count < FEWEST) return false;
    const levels = coopsim.levelsOf(shape, geometry);
    return roomOf(levels.at(-1), true, count) === count;
  }

  /** Return how many instances a level holds at most. */
  function roomOf(level, isLast, count) {
    return Math.min(count, Math.floor((isLast ? MOST_CORNERS : MOST_FINE) / level.geometry.getAttribute("position").count));
  }

  /** What a camera sees: planes of its sides, and how large a metre is on the screen. */
  class Sight {
    constructor(camera, height) {
      camera.updateMatrixWorld();
      const whole = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
      const row = (k) => [0, 4, 8, 12].map((column) => whole[column + k]), depth = row(3);
      this.depth = depth;
      this.scale = camera.projectionMatrix.elements[5] * height / 2; // px a metre, at a depth of 1
      this.planes = [0, 1].flatMap((axis) => [1, -1].map((sign) => {
        const plane = row(axis).map((part, k) => depth[k] + sign * part), length = Math.hypot(plane[0], plane[1], plane[2]);
        return plane.map((part) => part / length);
      }));
    }
  }

  /** The instances of a mesh as one geometry for each level; places and colours stay those of the mesh, which is not drawn itself. */
  class Pack {
    constructor(mesh, shape, locals) {
      this.mesh = mesh;
      this.version = {};
      const { count, geometry } = mesh;
      this.places = texture(4 * WIDTH, count);
      this.colors = texture(WIDTH, count);
      mesh.visible = false;
      this.places.image.data.set(mesh.instanceMatrix.array);
      mesh.instanceMatrix.array = this.places.image.data; // written once for both
      this.lengths = new Float32Array(count);
      for (let i = 0; i < count; i++) this.lengths[i] = Math.max(...[0, 3, 6].map((k) => Math.hypot(...locals.slice(12 * i + k, 12 * i + k + 3))));
      this.reach = geometry.boundingSphere.center.length() + geometry.boundingSphere.radius; // of lengths
      this.seen = new Float32Array(count);
      this.object = new THREE.Group();
      const levels = coopsim.levelsOf(shape, geometry);
      this.levels = levels.map((level, k) => this.level(level, roomOf(level, k === levels.length - 1, count)));
    }

    level({ name, geometry, shaders, from, isPoints }, room) {
      const corners = geometry.getAttribute("position").count, rows = texture(WIDTH, room, 1), pixels = new THREE.Vector2();
      const material = this.mesh.material.clone();
      material.onBeforeCompile = (shader) => edit(shader, shaders, { places: this.places, colors: this.colors, rows, corners, pixels });
      material.customProgramCacheKey = () => `pack ${name}`;
      const object = new THREE.InstancedMesh(repeated(geometry, room), material, 1);
      if (isPoints) Object.assign(object, { isMesh: false, isPoints: true });
      object.setMatrixAt(0, new THREE.Matrix4());
      object.setColorAt(0, new THREE.Color(1, 1, 1));
      object.frustumCulled = false;
      this.object.add(object);
      return { object, rows, room, from, pixels, count: 0, ends: geometry.index ? geometry.index.count : corners };
    }

    /** Take over what changed since the last picture, and what is seen from here. */
    renew(sight, size) {
      const { instanceMatrix, instanceColor, count } = this.mesh;
      if (this.version.places !== instanceMatrix.version) this.places.needsUpdate = true;
      if (this.version.colors !== instanceColor.version) {
        const { data } = this.colors.image;
        for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) data[4 * i + k] = instanceColor.array[3 * i + k];
        this.colors.needsUpdate = true;
      }
      this.version = { places: instanceMatrix.version, colors: instanceColor.version };
      this.measure(sight);
      this.share();
      for (const { object, rows, pixels, count: own, ends } of this.levels) {
        object.visible = own > 0;
        object.geometry.setDrawRange(0, own * ends);
        rows.needsUpdate = own > 0;
        pixels.copy(size);
      }
    }

    /** Note how many pixels each instance is long, 0 = it is out of sight. */
    measure({ planes: [left, right, below, above], depth, scale }) {
      const { seen, lengths, reach } = this, { array, count } = this.mesh.instanceMatrix;
      const within = (plane, x, y, z, radius) => plane[0] * x + plane[1] * y + plane[2] * z + plane[3] > -radius;
      for (let i = 0; i < count; i++) {
        const x = array[16 * i + 12], y = array[16 * i + 13], z = array[16 * i + 14], radius = reach * lengths[i];
        const isSeen = array[16 * i + 15] !== 0 // hidden ones have nothing but zeros
          && within(left, x, y, z, radius) && within(right, x, y, z, radius) && within(below, x, y, z, radius) && within(above, x, y, z, radius);
        // beside the camera they are as long as those close to it
        seen[i] = isSeen ? scale * lengths[i] / Math.max(0.01, depth[0] * x + depth[1] * y + depth[2] * z + depth[3]) : 0;
      }
    }

    /** Give each instance that is seen to its level; where the finest one has no room, the largest ones have it. */
    share() {
      const { seen, levels } = this, [finest] = levels;
      let { from } = finest;
      const holds = () => seen.reduce((sum, pixels) => sum + (pixels > 0 && pixels >= from), 0) <= finest.room;
      while (levels.length > 1 && !holds()) from *= COARSER;
      for (const level of levels) level.count = 0;
      for (let i = 0; i < seen.length; i++) {
        if (seen[i] === 0) continue;
        const level = seen[i] >= from ? finest : levels.length > 1 && seen[i] >= levels[1].from ? levels[1] : null;
        if (level) level.rows.image.data[level.count++] = i;
      }
      // what others cover need not be drawn, if these come first
      finest.rows.image.data.subarray(0, finest.count).sort((a, b) => seen[b] - seen[a]);
    }

    dispose() {
      for (const { object, rows } of this.levels) {
        object.geometry.dispose();
        object.material.dispose();
        object.dispose();
        rows.dispose();
      }
      for (const part of [this.places, this.colors]) part.dispose();
    }
  }

  /** Return a texture with four numbers in each pixel, or one, and room for all instances. */
  function texture(width, count, channels = 4) {
    const lines = Math.ceil(count / WIDTH), data = new Float32Array(channels * width * lines);
    return new THREE.DataTexture(data, width, lines, channels === 1 ? RED : undefined, THREE.FloatType);
  }

  function edit(shader, { head = "", vertex = "", projected = "", fragmentHead = "", begun = "", normal = "", ended = "" }, values) {
    for (const [name, value] of Object.entries(values)) shader.uniforms[name] = { value };
    const longer = (text, chunk, more) => text.replace(`#include <${chunk}>`, `#include <${chunk}>${more}`);
    let text = longer(shader.vertexShader, "color_vertex", INSTANCE + vertex);
    text = longer(text, "beginnormal_vertex", NORMAL);
    text = longer(text, "begin_vertex", CORNER);
    shader.vertexShader = HEAD + head + longer(text, "project_vertex", projected);
    text = longer(shader.fragmentShader, "clipping_planes_fragment", begun);
    text = longer(text, "normal_fragment_begin", normal);
    shader.fragmentShader = fragmentHead + longer(text, "dithering_fragment", ended);
  }

  /** Return a geometry that has another one many times, each time in the same place. */
  function repeated(geometry, count) {
    const whole = new THREE.BufferGeometry(), corners = geometry.getAttribute("position").count;
    for (const name of ["position", "normal"]) {
      const { array } = geometry.getAttribute(name), all = new Float32Array(count * array.length);
      for (let i = 0; i < count; i++) all.set(array, i * array.length);
      whole.setAttribute(name, new THREE.BufferAttribute(all, 3));
    }
    if (corners === 1) return whole; // points are in order
    const order = geometry.index ? geometry.index.array : [...Array(corners).keys()], all = new Uint32Array(count * order.length);
    for (let i = 0, at = 0; i < count; i++) for (let k = 0; k < order.length; k++) all[at++] = order[k] + i * corners;
    whole.setIndex(new THREE.BufferAttribute(all, 1));
    return whole;
  }

  Object.assign(coopsim, { Pack, Sight, isPacked });
})();
