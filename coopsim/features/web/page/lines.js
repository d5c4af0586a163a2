// Lines: buffers of coloured lines that grow and are used again, and points in the frame of a body.
"use strict";

(() => {
  const FIRST = 256; // ends of lines that a new buffer has room for
  const point = new THREE.Vector3(), colors = new WeakMap(), color = new THREE.Color();

  /** Where a body is: points of its own frame become points of the world. */
  class Frame {
    constructor() {
      this.turn = new THREE.Quaternion();
      this.place = new THREE.Vector3();
    }

    set(poses, row) {
      const p = 7 * row;
      this.place.set(poses[p], poses[p + 1], poses[p + 2]);
      this.turn.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
      return this;
    }

    point(x, y, z, out) { return out.set(x, y, z).applyQuaternion(this.turn).add(this.place); }
  }

  class Lines {
    constructor() {
      const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true });
      this.object = new THREE.LineSegments(new THREE.BufferGeometry(), material);
      this.object.frustumCulled = false;
      this.count = 0;
      this.resize(FIRST);
    }

    resize(room) {
      const { geometry } = this.object, before = this.positions && [this.positions, this.colors];
      geometry.dispose();
      this.positions = new Float32Array(3 * room);
      this.colors = new Float32Array(4 * room);
      if (before) {
        this.positions.set(before[0]);
        this.colors.set(before[1]);
      }
      for (const [name, array, size] of [["position", this.positions, 3], ["color", this.colors, 4]]) {
        geometry.setAttribute(name, new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage));
      }
    }

    begin() { this.count = 0; }

    /** Add an end of a line, in the frame of a body: red, green, blue and opacity, this times a share of its own. */
    add(frame, x, y, z, rgba, share) { this.put(frame.point(x, y, z, point), rgba, rgba[3] * share); }

    put({ x, y, z }, rgb, opacity) {
      if (3 * (this.count + 1) > this.positions.length) this.resize(2 * (this.count + 1));
      const linear = linearOf(rgb), c = 4 * this.count, p = 3 * this.count++;
      this.positions[p] = x;
      this.positions[p + 1] = y;
      this.positions[p + 2] = z;
      this.colors[c] = linear[0];
      this.colors[c + 1] = linear[1];
      this.colors[c + 2] = linear[2];
      this.colors[c + 3] = opacity;
    }

    end() {
      const { geometry } = this.object;
      for (const [name, size] of [["position", 3], ["color", 4]]) {
        const attribute = geometry.getAttribute(name);
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, size * this.count);
        attribute.needsUpdate = this.count > 0;
      }
      geometry.setDrawRange(0, this.count);
    }
  }

  /** Return a colour as the graphics card adds light; the same few arrays come again and again. */
  function linearOf(rgb) {
    let linear = colors.get(rgb);
    if (!linear) colors.set(rgb, linear = color.setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace).toArray());
    return linear;
  }

  Object.assign(coopsim, { Frame, Lines });
})();
