// Layers over the scene: grid, trails, rays, springs, and labels, which are elements of the page.
"use strict";

(() => {
  const MOST_TRAILS = 300, MOST_LABELS = 60; // more of them hide what they explain
  const TRAIL_POINTS = 160, TRAIL_SECONDS = 20;
  const LIFTED = 0.012; // m; so that lines lie above the floor
  const NEAR = [0.89, 0.36, 0.08], FAR = [0.16, 0.59, 0.75], NOTHING = [0.5, 0.57, 0.66];
  const CLOSE = 1 / 3; // of the reach

  class Layers {
    constructor(view, labels) {
      this.view = view;
      this.box = labels;
      this.shown = { labels: true, trails: true, rays: false, grid: true };
      this.elements = new Map();
      this.rays = lines(true);
      this.trails = lines(true);
      this.springs = lines(false, 0x465064);
      this.grid = new THREE.Group();
      for (const layer of [this.grid, this.rays, this.trails, this.springs]) view.scene.add(layer);
    }

    build(facts) {
      this.facts = facts;
      this.robots = facts.entities.filter(({ kind, row }) => kind === "robot" && row >= 0);
      this.named = facts.entities.filter(({ kind, wall, whole }) => (kind === "robot" || kind === "target") && !wall && !whole);
      this.grid.clear();
      this.grid.add(gridOf(this.view.box));
      for (const element of this.elements.values()) element.remove();
      this.elements.clear();
    }

    move(frame, poses, history, time) {
      if (!this.facts) return;
      this.grid.visible = this.shown.grid;
      this.trails.visible = this.shown.trails && this.robots.length <= MOST_TRAILS;
      this.rays.visible = this.shown.rays && frame.ranges.length > 0;
      if (this.trails.visible) write(this.trails, ...this.trailLines(history, time));
      if (this.rays.visible) write(this.rays, ...this.rayLines(frame.ranges, poses));
      write(this.springs, this.springLines(poses));
    }

    trailLines(history, time) {
      const begin = Math.max(history.begin, time - TRAIL_SECONDS);
      const last = history.numberAt(time), { first: oldest = 0 } = history.frames[last]; // older ones have other rows
      const first = Math.max(oldest, history.numberAt(begin));
      const step = Math.max(1, Math.ceil((last - first) / TRAIL_POINTS));
      const points = [], colors = [], color = new THREE.Color();
      for (const { row, color: rgb } of this.robots) {
        color.setRGB(...rgb, THREE.SRGBColorSpace);
        for (let number = first; number < last; number += step) {
          const a = history.frames[number].poses, b = history.frames[Math.min(last, number + step)].poses;
          points.push(a[7 * row], a[7 * row + 1], a[7 * row + 2] + LIFTED, b[7 * row], b[7 * row + 1], b[7 * row + 2] + LIFTED);
          colors.push(color.r, color.g, color.b, color.r, color.g, color.b);
        }
      }
      return [points, colors];
    }

    rayLines(ranges, poses) {
      const points = [], colors = [], from = new THREE.Vector3(), to = new THREE.Vector3(), turn = new THREE.Quaternion();
      let at = 0;
      for (const { rows, radii, mount, heights, bearings, elevations, reach } of this.facts.rays) {
        rows.forEach((row, robot) => {
          const p = 7 * row;
          if (row >= 0) turn.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
          bearings.forEach((bearing, k) => {
            const range = Number.isFinite(ranges[at]) ? ranges[at] : reach;
            at += 1;
            if (row < 0) return;
            const radius = radii[robot], flat = radius + range * Math.cos(elevations[k]);
            from.set(mount[0] + radius * Math.cos(bearing), mount[1] + radius * Math.sin(bearing), heights[robot]).applyQuaternion(turn);
            to.set(mount[0] + flat * Math.cos(bearing), mount[1] + flat * Math.sin(bearing), heights[robot] + range * Math.sin(elevations[k]));
            to.applyQuaternion(turn);
            for (const end of [from, to]) points.push(poses[p] + end.x, poses[p + 1] + end.y, poses[p + 2] + end.z);
            const color = range < CLOSE * reach ? NEAR : range < 0.999 * reach ? FAR : NOTHING;
            colors.push(...color, ...color);
          });
        });
      }
      return [points, colors];
    }

    springLines(poses) {
      const points = [], end = new THREE.Vector3(), turn = new THREE.Quaternion();
      for (const { rows, anchors } of this.facts.joints) {
        if (rows.some((row) => row < 0)) continue;
        rows.forEach((row, k) => {
          const p = 7 * row;
          turn.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
          end.set(...anchors[k]).applyQuaternion(turn);
          points.push(poses[p] + end.x, poses[p + 1] + end.y, poses[p + 2] + end.z);
        });
      }
      return points;
    }

    /** Put names above robots and targets, those that are nearest to the camera first. */
    label(poses, camera, selected) {
      const { clientWidth: width, clientHeight: height } = this.view.canvas, point = new THREE.Vector3();
      const wanted = new Map();
      if (this.shown.labels && this.facts) {
        const placed = [];
        for (const entity of this.named) {
          const pose = this.view.pose(entity, poses);
          point.set(pose[0], pose[1], pose[2] + entity.size[2] + 0.12).project(camera);
          if (Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1 && point.z < 1) placed.push([point.z, entity, point.x, point.y]);
        }
        placed.sort((a, b) => a[0] - b[0]);
        for (const [, entity, x, y] of placed.slice(0, MOST_LABELS)) wanted.set(entity.name, [(x + 1) / 2 * width, (1 - y) / 2 * height]);
      }
      for (const [name, element] of this.elements) if (!wanted.has(name)) { element.remove(); this.elements.delete(name); }
      for (const [name, [x, y]] of wanted) {
        let element = this.elements.get(name);
        if (!element) {
          element = document.createElement("span");
          element.textContent = name;
          this.elements.set(name, element);
          this.box.append(element);
        }
        element.className = name === selected ? "selected" : "";
        element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
      }
    }
  }

  function lines(isColored, color = 0xffffff) {
    const material = new THREE.LineBasicMaterial({ vertexColors: isColored, color, transparent: true, opacity: 0.85 });
    const object = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    object.frustumCulled = false;
    return object;
  }

  /** Write points into lines; the buffers grow, and are used again. */
  function write(object, points, colors) {
    for (const [name, numbers] of [["position", points], ["color", colors]]) {
      if (!numbers) continue;
      let attribute = object.geometry.getAttribute(name);
      if (!attribute || attribute.array.length < numbers.length) {
        attribute = new THREE.BufferAttribute(new Float32Array(Math.max(64, 2 * numbers.length)), 3);
        attribute.setUsage(THREE.DynamicDrawUsage);
        object.geometry.setAttribute(name, attribute);
      }
      attribute.array.set(numbers);
      attribute.needsUpdate = true;
    }
    object.geometry.setDrawRange(0, points.length / 3);
  }

  /** Return lines a metre apart, wider ones on large floors. */
  function gridOf({ x, y, length, width }) {
    const step = [1, 2, 5, 10, 20, 50, 100].find((metres) => Math.max(length, width) / metres <= 60) || 200;
    const points = [];
    for (let i = -Math.floor(length / 2 / step); i <= length / 2 / step; i++) {
      points.push(x + i * step, y - width / 2, 0.004, x + i * step, y + width / 2, 0.004);
    }
    for (let i = -Math.floor(width / 2 / step); i <= width / 2 / step; i++) {
      points.push(x - length / 2, y + i * step, 0.004, x + length / 2, y + i * step, 0.004);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
    return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x7b8594, transparent: true, opacity: 0.35 }));
  }

  Object.assign(coopsim, { Layers });
})();
