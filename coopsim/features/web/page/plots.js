// Plots: readings, poses and distances over time, as many as one likes, with the instant that is shown.
"use strict";

(() => {
  const EVERY = 100; // ms between two drawings of curves that grow
  const MOST_DRAWN = 1500; // points of a curve: more than its canvas has pixels
  const MOST_COLUMNS = 24; // of one reading, as in the window: more curves nobody can tell apart
  const HEIGHT = 150, MARGIN = 16; // pixels
  const POSE = { x: 0, y: 1, z: 2 }, DEGREES = 180 / Math.PI;
  const $ = (id) => document.getElementById(id);

  /** What can be drawn over time: `{ robot, module, field }`, `{ robot, field: "x" }` of a pose, or `{ robot, other }`, a distance. */
  const keyOf = ({ robot, module, field, other }) => JSON.stringify([robot, module, field, other]);
  const nameOf = ({ robot, module, field, other }) => other ? `distance ${robot} – ${other}` : [robot, module, field].filter(Boolean).join(".");

  class Plots {
    constructor(app) {
      this.app = app;
      this.chosen = new Map(); // channels by key, in the order in which they were chosen
      this.drawnAt = 0;
      this.isDark = matchMedia("(prefers-color-scheme: dark)");
      this.isDark.addEventListener("change", () => this.show());
      $("plot").onclick = (event) => this.seek(event);
      $("plot-window").onchange = () => { this.drawnAt = 0; };
      $("plot-none").onclick = () => this.clear();
    }

    /** Robots whose readings are drawn. */
    get robots() { return [...this.chosen.values()].filter(({ module }) => module).map(({ robot }) => robot); }

    has(channel) { return this.chosen.has(keyOf(channel)); }

    /** Draw a channel, or no more. */
    toggle(channel) {
      const key = keyOf(channel), { source } = this.app;
      if (!this.chosen.delete(key)) {
        const isRecorded = channel.module && source.curve;
        this.chosen.set(key, { ...channel, points: isRecorded ? source.curve(channel.robot, channel.module, channel.field) : null });
      }
      this.show();
    }

    clear() {
      this.chosen.clear();
      this.show();
    }

    show() {
      $("plots").hidden = !this.chosen.size;
      $("curves").replaceChildren(...[...this.chosen.values()].map((channel, k) => this.line(channel, k)));
      this.drawnAt = 0;
      this.app.watch();
      this.app.inspector.showChosen();
    }

    line(channel, number) {
      const item = document.createElement("li"), mark = document.createElement("i"), button = document.createElement("button");
      mark.style.background = this.color(number);
      button.textContent = "×";
      button.title = "Draw it no more";
      button.setAttribute("aria-label", `Draw ${nameOf(channel)} no more`);
      button.onclick = () => this.toggle(channel);
      item.append(mark, nameOf(channel), channel.value = document.createElement("output"), button);
      return item;
    }

    color(number, share = 1) {
      const { series, seriesOnPaper } = this.app.view.facts.style, all = this.isDark.matches ? series : seriesOnPaper;
      const [red, green, blue] = all[number % all.length].map((part) => Math.round(255 * part));
      return `rgb(${red} ${green} ${blue} / ${share})`;
    }

    /** Return the values of a channel in a frame; none where it has none. */
    valuesOf({ robot, module, field, other }, frame) {
      if (module) {
        const place = frame.fields && frame.fields.places.get(`${robot} ${module} ${field}`);
        return place ? frame.readings.subarray(place[0], place[0] + Math.min(place[1], MOST_COLUMNS)) : [];
      }
      const pose = this.poseOf(robot, frame);
      if (!pose) return [];
      if (other) {
        const far = this.poseOf(other, frame);
        return far ? [Math.hypot(pose[0] - far[0], pose[1] - far[1], pose[2] - far[2])] : [];
      }
      return [field in POSE ? pose[POSE[field]] : coopsim.headingOf(pose) * DEGREES];
    }

    poseOf(name, frame) {
      const { app } = this, facts = frame.part ? app.source.factsOf(frame) : app.view.facts;
      if (this.facts !== facts) {
        this.facts = facts;
        this.entities = new Map(facts.entities.map((entity) => [entity.name, entity]));
      }
      const entity = this.entities.get(name);
      return entity ? app.view.pose(entity, frame.poses) : null;
    }

    /** Return the points of a channel between two instants, as many as can be seen. */
    pointsOf(channel, begin, end) {
      const { history } = this.app, all = channel.points || history.frames;
      const first = channel.points ? all.findIndex(({ time }) => time >= begin) : history.numberAt(begin);
      const last = channel.points ? all.length : history.numberAt(end) + 1, step = Math.max(1, Math.ceil((last - first) / MOST_DRAWN));
      const points = [];
      for (let k = Math.max(0, first); k < last; k += step) {
        const { time } = all[k], values = channel.points ? all[k].values : this.valuesOf(channel, all[k]);
        if (time <= end && values.length) points.push({ time, values });
      }
      return points;
    }

    /** Bring the curves to the instant that is drawn. */
    move(time, frame) {
      if (!this.chosen.size || performance.now() - this.drawnAt < EVERY) return;
      this.drawnAt = performance.now();
      const { history } = this.app, seconds = Number($("plot-window").value);
      const begin = seconds ? Math.max(history.begin, time - seconds) : history.begin;
      const end = Math.max(begin + 0.1, seconds ? Math.min(history.end, begin + seconds) : history.end);
      this.span = [begin, end];
      this.curves = [...this.chosen.values()].map((channel) => this.pointsOf(channel, begin, end));
      let number = 0;
      for (const channel of this.chosen.values()) {
        const before = this.curves[number++].findLast((point) => point.time <= time + 1e-9);
        channel.value.textContent = before ? [...before.values].slice(0, 3).map(coopsim.number).join(" ") : "–";
      }
      this.paint(time);
    }

    paint(time) {
      const canvas = $("plot"), scale = Math.min(devicePixelRatio, 2);
      canvas.width = canvas.clientWidth * scale;
      canvas.height = HEIGHT * scale;
      const pen = canvas.getContext("2d"), { width, height } = canvas, margin = MARGIN * scale;
      const [low, high] = extremes(this.curves), [begin, end] = this.span, extent = high - low || 1;
      const x = (t) => (t - begin) / (end - begin) * width, y = (v) => height - margin - (v - low) / extent * (height - 2 * margin);
      const ink = getComputedStyle(document.body).color;
      pen.font = `${11 * scale}px system-ui`;
      pen.fillStyle = ink;
      pen.fillText(coopsim.number(high), 4, margin - 4 * scale);
      pen.fillText(coopsim.number(low), 4, height - 4 * scale);
      pen.textAlign = "right";
      pen.fillText(`${begin.toFixed(1)} … ${end.toFixed(1)} s`, width - 4, height - 4 * scale);
      pen.lineWidth = 1.5 * scale;
      this.curves.forEach((points, number) => {
        const columns = points.length ? Math.min(MOST_COLUMNS, points[points.length - 1].values.length) : 0;
        for (let k = 0; k < columns; k++) {
          pen.strokeStyle = this.color(number, 1 - 0.7 * k / columns);
          pen.beginPath();
          for (const point of points) if (Number.isFinite(point.values[k])) pen.lineTo(x(point.time), y(point.values[k]));
          pen.stroke();
        }
      });
      pen.strokeStyle = ink;
      pen.lineWidth = scale;
      pen.strokeRect(x(time), 0, 0, height);
    }

    /** Go to the instant at a place of the curves. */
    seek(event) {
      if (!this.span) return;
      const [begin, end] = this.span, box = $("plot").getBoundingClientRect();
      this.app.time.scrub(begin + (event.clientX - box.left) / box.width * (end - begin));
    }
  }

  /** Return the lowest and the highest value of curves. */
  function extremes(curves) {
    let low = Infinity, high = -Infinity;
    for (const points of curves) {
      for (const { values } of points) {
        for (let k = 0; k < Math.min(MOST_COLUMNS, values.length); k++) {
          if (values[k] < low) low = values[k];
          if (values[k] > high && Number.isFinite(values[k])) high = values[k];
        }
      }
    }
    return low <= high ? [low, high] : [0, 0];
  }

  /** Return the fields of frames with where each one's numbers are, by `robot module field`. */
  function placedFields(fields) {
    const places = new Map();
    let size = 0;
    for (const { robot, module, field, length } of fields || []) {
      places.set(`${robot} ${module} ${field}`, [size, length]);
      size += length;
    }
    return { list: fields || [], places, size };
  }

  Object.assign(coopsim, { Plots, placedFields });
})();
