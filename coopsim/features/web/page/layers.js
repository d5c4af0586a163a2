// Layers over the scene: grid, trails, rays, springs, and labels, which are elements of the page.
"use strict";

(() => {
  const MOST_LABELS = 60; // more of them hide what they explain
  const LABEL = { letter: 7.5, beside: 12, high: 18 }; // px; room of a letter, beside all of them, and above one another
  const TRAIL_SECONDS = 20;
  const GRID = [0.48, 0.52, 0.58], GRID_OPACITY = 0.35; // legible on light and on dark floors

  class Layers {
    constructor(view, labels) {
      this.view = view;
      this.box = labels;
      this.shown = { labels: true, trails: true, rays: false, contacts: false, sightings: false, grid: true, targets: true };
      this.elements = new Map();
      for (const name of ["grid", "rays", "sightings", "contacts", "trails", "springs"]) {
        this[name] = new coopsim.Lines();
        view.scene.add(this[name].object);
      }
      this.robot = new coopsim.Frame();
    }

    build(facts) {
      this.facts = facts;
      // of each frame, whether sensors are drawn or not
      this.lights = facts.sensors.reduce((count, { kind, rows, width }) => count + (kind === "lights" ? rows.length * width : 0), 0);
      this.robots = facts.entities.filter(({ kind, row }) => kind === "robot" && row >= 0);
      this.named = facts.entities.filter(({ named }) => named);
      writeGrid(this.grid, this.view.box);
      for (const element of this.elements.values()) element.remove();
      this.elements.clear();
    }

    move(frame, poses, history, time) {
      if (!this.facts) return;
      this.grid.object.visible = this.shown.grid;
      this.trails.object.visible = this.shown.trails && this.robots.length <= this.facts.style.mostTrails;
      for (const name of ["rays", "sightings", "contacts"]) this[name].object.visible = this.shown[name] && frame.ranges.length > this.lights;
      if (this.trails.object.visible) this.trailLines(history, time);
      if (this.isSensing && frame.ranges.length > this.lights) this.measure(frame.ranges, poses);
      if (this.facts.joints.length || this.springs.count) this.springLines(poses);
    }

    /** Whether anything is drawn of what sensors measure. */
    get isSensing() { return this.shown.rays || this.shown.sightings || this.shown.contacts; }

    trailLines(history, time) {
      const { trailPoints, trailOpacity, lifted } = this.facts.style, point = new THREE.Vector3();
      const begin = Math.max(history.begin, time - TRAIL_SECONDS);
      const last = history.numberAt(time), { first: oldest = 0 } = history.frames[last]; // older ones have other rows
      const first = Math.max(oldest, history.numberAt(begin)), step = Math.max(1, Math.ceil((last - first) / trailPoints));
      this.trails.begin();
      for (const { row, color: rgb } of this.robots) {
        for (let number = first; number < last; number += step) {
          for (const end of [number, Math.min(last, number + step)]) {
            const { poses } = history.frames[end];
            point.set(poses[7 * row], poses[7 * row + 1], poses[7 * row + 2] + lifted);
            this.trails.put(point, rgb, trailOpacity * (end - first) / (last - first));
          }
        }
      }
      this.trails.end();
    }

    /** Write what sensors measure as lines: rays, lines to what is seen, arcs around what is touched. */
    measure(ranges, poses) {
      const { rays, sightings, contacts } = this;
      for (const layer of [rays, sightings, contacts]) layer.begin();
      let at = 0;
      for (const group of this.facts.sensors) {
        group.rows.forEach((row, robot) => {
          if (row >= 0) {
            this.robot.set(poses, row);
            if (group.kind === "rays") this.rayLines(group, robot, ranges, at);
            else if (group.kind === "sightings") this.sightLines(group, robot, ranges, at);
            else if (group.kind === "touches" && ranges[at] > 0.5) this.touchLines(group, robot);
          }
          at += group.width;
        });
      }
      for (const layer of [rays, sightings, contacts]) layer.end();
    }

    rayLines({ radii, heights, mount, bearings, elevations, reach }, robot, ranges, at) {
      const { style } = this.facts, radius = radii[robot], height = heights[robot], { rays } = this;
      bearings.forEach((bearing, k) => {
        const range = Number.isFinite(ranges[at + k]) ? ranges[at + k] : reach, share = range / reach;
        const color = style.rays[share < style.close ? 0 : share < style.free ? 1 : 2];
        const flat = radius + range * Math.cos(elevations[k]), cos = Math.cos(bearing), sin = Math.sin(bearing);
        rays.add(this.robot, mount[0] + radius * cos, mount[1] + radius * sin, height, color, style.rayFade);
        rays.add(this.robot, mount[0] + flat * cos, mount[1] + flat * sin, height + range * Math.sin(elevations[k]), color, 1);
      });
    }

    /** Of each that may be seen: distance, angle, where it is told the height, whether it is. */
    sightLines({ radii, heights, width, columns, raised }, robot, table, at) {
      const { style } = this.facts;
      for (let k = at; k < at + width; k += columns) {
        if (!(table[k + columns - 1] > 0.5)) continue;
        const end = heights[robot] + (raised ? table[k + 2] : 0);
        const cos = Math.cos(table[k + 1]), sin = Math.sin(table[k + 1]), near = Math.min(radii[robot], table[k]);
        this.sightings.add(this.robot, near * cos, near * sin, heights[robot], style.seen, style.sightFade);
        this.sightings.add(this.robot, table[k] * cos, table[k] * sin, end, style.seen, 1);
      }
    }

    touchLines({ radii, heights, turn }, robot) {
      const { arc, touchRadius, touched } = this.facts.style, radius = touchRadius * radii[robot];
      for (let k = 1; k < arc.length; k++) {
        for (const angle of [arc[k - 1] + turn, arc[k] + turn]) {
          this.contacts.add(this.robot, radius * Math.cos(angle), radius * Math.sin(angle), heights[robot], touched, 1);
        }
      }
    }

    springLines(poses) {
      const { spring } = this.facts.style;
      this.springs.begin();
      for (const { rows, anchors } of this.facts.joints) {
        if (rows.some((row) => row < 0)) continue;
        const [begin, end] = rows.map((row, k) => this.robot.set(poses, row).point(...anchors[k], new THREE.Vector3()));
        const points = coil(begin, end, spring);
        for (let k = 1; k < points.length; k++) for (const point of [points[k - 1], points[k]]) this.springs.put(point, spring.color, spring.color[3]);
      }
      this.springs.end();
    }

    /** Put names above robots and targets: of what is selected, then of those nearest to the camera; of a crowd where there is room. */
    label(poses, camera, selected) {
      const { clientWidth: width, clientHeight: height } = this.view.canvas, point = new THREE.Vector3();
      const wanted = new Map();
      if (this.shown.labels && this.facts) {
        const placed = [];
        for (const entity of this.named) {
          if (this.view.unseen.has(entity.name)) continue;
          const pose = this.view.pose(entity, poses);
          point.set(pose[0], pose[1], pose[2] + entity.size[2] + 0.12).project(camera);
          const depth = entity.name === selected ? -Infinity : point.z;
          if (Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1 && point.z < 1) placed.push([depth, entity, point.x, point.y]);
        }
        placed.sort((a, b) => a[0] - b[0]);
        const room = placed.length > MOST_LABELS ? new LabelRoom() : null;
        for (const [, { name }, x, y] of placed) {
          const place = [(x + 1) / 2 * width, (1 - y) / 2 * height];
          if (!room || room.takes(name, ...place)) wanted.set(name, place);
          if (wanted.size === MOST_LABELS) break;
        }
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

  /** Room for labels that do not hide one another, in cells as high as one. */
  class LabelRoom {
    constructor() { this.lines = new Map(); }

    /** Take the room above a place for a name, if it is free. */
    takes(name, x, y) {
      const half = (LABEL.letter * name.length + LABEL.beside) / 2, line = Math.floor(y / LABEL.high);
      const taken = [line - 1, line, line + 1].flatMap((near) => this.lines.get(near) || []);
      if (taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < LABEL.high)) return false;
      if (!this.lines.has(line)) this.lines.set(line, []);
      this.lines.get(line).push({ x, y, half });
      return true;
    }
  }

  /** Return points of a coil between two places, as a spring is drawn. */
  function coil(begin, end, { coils, around, straight, widest, share }) {
    const way = end.clone().sub(begin), length = way.length(), along = length ? way.clone().normalize() : new THREE.Vector3(0, 0, 1);
    const size = along.toArray().map(Math.abs), axis = size.indexOf(Math.min(...size));
    const aside = new THREE.Vector3().setComponent(axis, 1).cross(along).negate().normalize(), across = along.clone().cross(aside);
    const radius = Math.min(widest, share * length), last = coils * around, points = [begin];
    for (let k = 0; k <= last; k++) {
      const angle = 2 * Math.PI * coils * k / last, part = straight + (1 - 2 * straight) * k / last;
      points.push(begin.clone().addScaledVector(way, part).addScaledVector(aside, radius * Math.cos(angle)).addScaledVector(across, radius * Math.sin(angle)));
    }
    return [...points, end];
  }

  /** Write lines a metre apart, wider ones on large floors. */
  function writeGrid(lines, { x, y, length, width }) {
    const step = [1, 2, 5, 10, 20, 50, 100].find((metres) => Math.max(length, width) / metres <= 60) || 200, point = new THREE.Vector3();
    const put = (px, py) => lines.put(point.set(px, py, 0.004), GRID, GRID_OPACITY);
    lines.begin();
    for (let i = -Math.floor(length / 2 / step); i <= length / 2 / step; i++) {
      for (const end of [-1, 1]) put(x + i * step, y + end * width / 2);
    }
    for (let i = -Math.floor(width / 2 / step); i <= width / 2 / step; i++) {
      for (const end of [-1, 1]) put(x + end * length / 2, y + i * step);
    }
    lines.end();
  }

  Object.assign(coopsim, { Layers });
})();
