// Inspector: what a robot or an object is, reads and can be told; parameters that can be set; a curve of one reading.
"use strict";

(() => {
  const IMAGES_EVERY = 500; // ms
  const MOST_SHOWN = 24; // values of one reading
  const MOST_DRAWN = 1500; // points of a curve: more than its canvas has pixels
  const $ = (id) => document.getElementById(id);
  const number = (value) => Number.isFinite(value) ? value.toFixed(Math.abs(value) >= 100 ? 1 : 3) : "–";

  class Inspector {
    constructor(app) {
      this.app = app;
      this.outputs = [];
      this.units = {};
      this.curve = null;
      setInterval(() => this.fetchImage(), IMAGES_EVERY);
      $("plot").onclick = (event) => this.seek(event);
    }

    /** Show an entity, or nobody. */
    async show(entity) {
      this.entity = entity;
      this.outputs = [];
      this.curve = null;
      this.camera = null;
      $("plot").hidden = $("image").hidden = true;
      $("nobody").hidden = Boolean(entity);
      $("inspected").hidden = !entity;
      $("modules").replaceChildren();
      this.app.source.watch({ robot: entity && entity.kind === "robot" ? entity.name : null });
      if (!entity) return;
      $("inspected-name").textContent = entity.name;
      if (entity.kind !== "robot") return;
      const names = await this.app.try(this.app.source.modules(entity.name)) || [];
      for (const name of names) {
        const facts = await this.app.try(this.app.source.describe(`/${entity.name}/${name}`));
        if (this.entity !== entity) return; // another one was selected meanwhile
        if (facts) $("modules").append(this.module(name, facts));
      }
      this.tellFields(this.fields);
    }

    module(name, { kind, summary, parameters, commands, units }) {
      const box = document.createElement("details"), head = document.createElement("summary"), target = `/${this.entity.name}/${name}`;
      box.open = ["differential_drive", "sonars", "motors"].includes(kind);
      box.dataset.module = name;
      head.textContent = name;
      head.title = summary;
      box.append(head);
      this.units[name] = units;
      const readings = document.createElement("div");
      readings.className = "readings";
      box.append(readings);
      const told = commands.filter((command) => command.permitted && command.takes.length);
      box.append(part("Commands", told.map((command) => this.command(target, command))));
      const settable = parameters.filter((parameter) => !parameter.fixed);
      box.append(part("Parameters", settable.map((parameter) => this.parameter(target, parameter))));
      if (kind === "camera") this.camera = target;
      if (commands.some((command) => command.name === "set_velocity" && command.takes[1]?.name === "w" && command.permitted)) {
        this.app.driving.offer(target);
      }
      return box;
    }

    parameter(target, { name, kind, unit, low, high, choices, summary, value }) {
      const row = document.createElement("label"), shown = document.createElement("output");
      row.className = "field";
      row.title = `${summary} [${unit}]`;
      row.append(name);
      const input = choices.length ? choice(choices) : document.createElement("input");
      const isBounded = kind !== "str" && low !== null && high !== null && Math.abs(low) < 1e6 && high < 1e6;
      if (!choices.length) input.type = kind === "str" ? "text" : isBounded ? "range" : "number";
      if (isBounded && !choices.length) Object.assign(input, { min: low, max: high, step: kind === "int" ? 1 : "any" });
      input.value = value === null ? "" : value;
      input.setAttribute("aria-label", `${target} ${name}`);
      input.disabled = this.app.role === "watch";
      const show = () => { shown.textContent = number(Number(input.value)); };
      if (input.type === "range") { // other inputs show their value themselves
        row.append(shown);
        show();
        input.oninput = show;
      }
      input.onchange = async () => {
        const wanted = kind === "str" ? input.value : kind === "int" ? Math.round(input.value) : Number(input.value);
        const answer = await this.app.try(this.app.source.set(target, name, wanted));
        if (answer !== undefined) input.value = answer;
        show();
      };
      row.append(input);
      return row;
    }

    command(target, { name, takes, summary }) {
      const row = document.createElement("form"), button = document.createElement("button");
      row.className = "row";
      button.textContent = name;
      button.title = summary;
      const inputs = takes.map((field) => {
        const input = document.createElement("input");
        input.placeholder = `${field.name} [${field.unit}]`;
        input.setAttribute("aria-label", `${name} ${field.name}`);
        return input;
      });
      row.append(button, ...inputs);
      row.onsubmit = (event) => {
        event.preventDefault();
        this.app.messages.send(`${target} ${name} ${inputs.map((input) => input.value).join(" ")}`);
      };
      return row;
    }

    /** Hear what the numbers in frames are. */
    tellFields(fields) {
      this.fields = fields;
      this.outputs = [];
      let at = 0;
      for (const { module, field, length } of fields || []) {
        const place = $("modules").querySelector(`[data-module="${CSS.escape(module)}"] .readings`);
        if (place) this.outputs.push({ at, length, ...this.reading(place, module, field) });
        at += length;
      }
    }

    reading(place, module, field) {
      const row = document.createElement("div"), button = document.createElement("button"), output = document.createElement("output");
      row.className = "field";
      button.textContent = field;
      button.title = "Draw it over time";
      button.onclick = () => this.draw(module, field);
      const unit = (this.units[module] || {})[field];
      row.append(button, output);
      if (![...place.children].some((child) => child.firstChild.textContent === field)) place.append(row);
      return { module, field, unit, output: [...place.children].find((child) => child.firstChild.textContent === field).lastChild };
    }

    /** Bring numbers and the curve to a frame. */
    move(frame, pose) {
      if (!this.entity) return;
      const turn = Math.atan2(2 * (pose[3] * pose[6] + pose[4] * pose[5]), 1 - 2 * (pose[5] ** 2 + pose[6] ** 2));
      const { kind, type, mass } = this.entity;
      $("inspected-about").textContent = `${kind} ${type}${mass ? `, ${mass} kg` : ""}\nx ${number(pose[0])}, y ${number(pose[1])}, ` +
        `z ${number(pose[2])} m\nheading ${(turn * 180 / Math.PI).toFixed(1)}°`;
      if (!frame.readings.length) return;
      for (const { at, length, output, unit, module, field } of this.outputs) {
        const values = [...frame.readings.subarray(at, at + Math.min(length, MOST_SHOWN))];
        output.textContent = values.map(number).join(" ") + (length > MOST_SHOWN ? " …" : "") + (unit && unit !== "1" ? ` ${unit}` : "");
        if (this.curve && this.curve.module === module && this.curve.field === field) this.plot(frame.time, values);
      }
    }

    /** Draw a reading over time: of a recording all that there is, of a run what comes. */
    draw(module, field) {
      const { source } = this.app, isWhole = Boolean(source.curve);
      this.curve = { module, field, isWhole, points: isWhole ? source.curve(this.entity.name, module, field) : [] };
      $("plot").hidden = false;
    }

    /** Go to the instant at a place of the curve. */
    seek(event) {
      const { points } = this.curve, box = $("plot").getBoundingClientRect();
      if (points.length < 2) return;
      const begin = points[0].time, end = points[points.length - 1].time;
      this.app.time.scrub(begin + (event.clientX - box.left) / box.width * (end - begin));
    }

    follow(time, values) {
      const { points } = this.curve, last = points[points.length - 1];
      if (last && time < last.time) points.length = 0;
      if (last && time === last.time) return;
      points.push({ time, values });
      if (points.length > 600) points.shift();
    }

    plot(time, values) {
      if (!this.curve.isWhole) this.follow(time, values);
      const all = this.curve.points, step = Math.ceil(all.length / MOST_DRAWN);
      const points = all.filter((_, k) => k % step === 0), canvas = $("plot");
      if (!points.length) return;
      canvas.width = canvas.clientWidth * devicePixelRatio;
      canvas.height = 120 * devicePixelRatio;
      const pen = canvas.getContext("2d"), { width, height } = canvas;
      const [low, high] = extremes(points), extent = high - low || 1, margin = 14 * devicePixelRatio;
      const begin = points[0].time, end = points[points.length - 1].time;
      const x = (t) => (t - begin) / ((end - begin) || 1) * width;
      const y = (v) => height - margin - (v - low) / extent * (height - 2 * margin);
      const ink = getComputedStyle(document.body).color;
      pen.font = `${11 * devicePixelRatio}px system-ui`;
      pen.fillStyle = ink;
      pen.fillText(`${this.curve.module}.${this.curve.field}  ${number(low)} … ${number(high)}`, 4, margin - 3);
      values.forEach((_, k) => {
        pen.strokeStyle = `hsl(${(k * 47 + 210) % 360} 70% 50%)`;
        pen.beginPath();
        for (const point of points) if (Number.isFinite(point.values[k])) pen.lineTo(x(point.time), y(point.values[k]));
        pen.stroke();
      });
      pen.strokeStyle = ink;
      pen.strokeRect(x(time), 0, 0, height);
    }

    async fetchImage() {
      const camera = this.camera;
      if (!camera || this.isFetching || document.hidden) return;
      this.isFetching = true;
      try {
        const file = await this.app.source.image(camera);
        if (this.camera === camera) { $("image").src = `data:image/png;base64,${file}`; $("image").hidden = false; }
      } catch {
        $("image").hidden = true; // no image yet, or the run draws none; the parameters of the camera say it
      }
      this.isFetching = false;
    }
  }

  /** Return the lowest and the highest value of a curve. */
  function extremes(points) {
    let low = Infinity, high = -Infinity;
    for (const { values } of points) {
      for (const value of values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    return low <= high ? [low, high] : [0, 0];
  }

  /** Return a part that is opened by a click; nothing where it is empty. */
  function part(title, rows) {
    if (!rows.length) return "";
    const box = document.createElement("details"), head = document.createElement("summary");
    head.textContent = title;
    box.className = "part";
    box.append(head, ...rows);
    return box;
  }

  function choice(values) {
    const select = document.createElement("select");
    select.append(...values.map((value) => new Option(value, value)));
    return select;
  }

  Object.assign(coopsim, { Inspector });
})();
