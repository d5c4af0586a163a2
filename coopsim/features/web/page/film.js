// Film: a recording that the page holds itself, as a source of what it shows; it can be told nothing.
"use strict";

(() => {
  const LOST = 2 ** 30; // of a value that is no finite number
  const SCALES = { moments: [1e-9, 1], poses: [1e-4, 1e-4, 1e-4, 5e-5, 5e-5, 5e-5, 5e-5], readings: [1e-4] };

  /** Return the bytes of a text in base64, unpacked. */
  async function unpacked(text) {
    const packed = atob(text), bytes = new Uint8Array(packed.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** Write numbers row by row that came as differences along each column, byte by byte, the lowest bytes first. */
  function sum(bytes, rows, size, scales, out) {
    const columns = rows ? out.length / rows : 0;
    for (let column = 0; column < columns; column++) {
      const scale = scales[column % scales.length], at = column * size * rows;
      let value = 0;
      for (let row = 0; row < rows; row++) {
        let folded = 0;
        for (let k = size - 1; k >= 0; k--) folded = folded * 256 + bytes[at + k * rows + row];
        value += folded % 2 ? -(folded + 1) / 2 : folded / 2;
        out[row * columns + column] = value === LOST ? NaN : value * scale;
      }
    }
    return out;
  }

  class FilmFrame {
    constructor(part, row, source) {
      this.part = part;
      this.row = row;
      this.source = source;
      this.time = part.moments[2 * row];
      this.tick = part.moments[2 * row + 1];
      this.generation = part.facts.generation;
      this.first = part.first; // number of the first frame with the same rows
      this.poses = part.poses.subarray(row * part.poseColumns, (row + 1) * part.poseColumns);
    }

    get ranges() {
      const { facts, sensors } = this.part;
      const lights = facts.sensors.reduce((count, { kind, rows }) => count + (kind === "lights" ? rows.length : 0), 0);
      return this.source.wanted.rays || lights ? this.columns(this.source.wanted.rays ? sensors : sensors.slice(0, lights)) : [];
    }
    get readings() { return this.columns(this.source.wanted.robots.flatMap((robot) => this.source.columnsOf(robot, this.part))); }

    columns(wanted) {
      const begin = this.row * this.part.width, { readings } = this.part;
      if (!this.part.width) return new Float32Array(0);
      return Float32Array.from(wanted.flatMap(([at, length]) => [...readings.subarray(begin + at, begin + at + length)]));
    }
  }

  class FilmSource {
    /** `on` has a function for each kind of news: hello, run, film, fields, event. */
    constructor(_token, _run, on) {
      this.on = on;
      this.run = 0;
      this.wanted = { rays: false, robots: [] };
      this.data = JSON.parse(document.getElementById("film").textContent);
      this.open();
    }

    async open() {
      const { data, on } = this, history = new coopsim.History(Infinity);
      on.hello({ role: "watch", runs: [] });
      on.run({ state: "film", scenario: data.title, caption: data.about.map((pair) => pair.join(" ")).join(", ") });
      for (const part of data.parts) {
        await this.unpack(part);
        part.first = history.frames.length;
        for (let row = 0; row < part.frames; row++) history.frames.push(new FilmFrame(part, row, this));
      }
      this.history = history;
      on.film(history);
      for (const { time, text } of data.messages) on.event({ time, topic: "", text });
    }

    async unpack(part) {
      const { frames } = part, poses = await unpacked(part.poses), readings = await unpacked(part.readings);
      part.moments = sum(await unpacked(part.moments), frames, 8, SCALES.moments, new Float64Array(2 * frames));
      part.poses = sum(poses, frames, 4, SCALES.poses, new Float32Array(poses.length / 4));
      part.poseColumns = part.poses.length / frames;
      part.readings = sum(readings, frames, 4, SCALES.readings, new Float32Array(frames * part.width));
    }

    /** Return the facts of the scene that a frame shows. */
    factsOf(frame) { return frame.part.facts; }

    modulesOf(robot) {
      const part = this.data.parts.find(({ robots }) => robots[robot]);
      return part ? this.data.types[part.robots[robot][0]] : [];
    }

    columnsOf(robot, part) {
      if (!robot || !part.robots[robot]) return [];
      const [type, offset] = part.robots[robot];
      return this.data.types[type].flatMap(({ fields }) => fields.map(({ columns: [at, length] }) => [offset + at, length]));
    }

    /** Return all that a robot ever read in a field: times and values. */
    curve(robot, module, field) {
      const points = [];
      for (const part of this.data.parts) {
        if (!part.robots[robot] || !part.width) continue;
        const [type, offset] = part.robots[robot];
        const reading = this.data.types[type].find(({ name }) => name === module).fields.find((candidate) => candidate.field === field);
        const [at, length] = reading.columns;
        for (let row = 0; row < part.frames; row++) {
          const begin = row * part.width + offset + at;
          points.push({ time: part.moments[2 * row], values: part.readings.subarray(begin, begin + length) });
        }
      }
      return points;
    }

    async watch(changes) {
      Object.assign(this.wanted, changes);
      if (!changes.robots) return;
      const fields = changes.robots.flatMap((robot) => this.modulesOf(robot).flatMap(({ name, fields: own }) =>
        own.map(({ field, columns }) => ({ robot, module: name, field, length: columns[1] }))));
      this.on.fields({ fields: this.data.parts.some(({ width }) => width) ? fields : [] });
    }

    async modules(robot) { return this.modulesOf(robot).map(({ name }) => name); }

    async describe(target) {
      const [, robot, name] = target.split("/"), module = this.modulesOf(robot).find((other) => other.name === name);
      const units = Object.fromEntries(module.fields.map(({ field, unit }) => [field, unit]));
      return { kind: module.kind, summary: module.summary, units, parameters: [], commands: [] };
    }

    async mesh(hash) { return new Float32Array((await unpacked(this.data.meshes[hash])).buffer); }
    picture(name) { return this.data.patterns[name]; }
    close() {}
    ask() { return Promise.reject(new Error("a recording can be told nothing")); }
    call() { return this.ask(); }
    set() { return this.ask(); }
    image() { return this.ask(); }
  }

  Object.assign(coopsim, { Source: FilmSource, unpacked, sum });
})();
