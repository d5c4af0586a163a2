// Inspector: what a robot or an object is, reads and can be told; parameters that can be set.
"use strict";

(() => {
  const IMAGES_EVERY = 500; // ms
  const MOST_SHOWN = 24; // values of one reading
  const MOST_OTHERS = 200; // that a distance is offered to
  const $ = (id) => document.getElementById(id);
  const number = (value) => Number.isFinite(value) ? value.toFixed(Math.abs(value) >= 100 ? 1 : 3) : "–";

  class Inspector {
    constructor(app) {
      this.app = app;
      this.outputs = [];
      this.units = {};
      setInterval(() => this.fetchImage(), IMAGES_EVERY);
      for (const field of ["x", "y", "z", "heading"]) $(`plot-${field}`).onclick = () => this.app.plots.toggle({ robot: this.entity.name, field });
      $("distance-to").onchange = () => this.plotDistance();
    }

    /** Show an entity, or nobody. */
    async show(entity) {
      this.entity = entity;
      this.outputs = [];
      this.camera = null;
      $("image").hidden = true;
      $("nobody").hidden = Boolean(entity);
      $("inspected").hidden = !entity;
      $("modules").replaceChildren();
      this.app.watch();
      if (!entity) return;
      $("inspected-name").textContent = entity.name;
      this.offerDistances();
      this.showChosen();
      if (entity.kind !== "robot") return;
      const names = await this.app.try(this.app.source.modules(entity.name)) || [];
      for (const name of names) {
        const facts = await this.app.try(this.app.source.describe(`/${entity.name}/${name}`));
        if (this.entity !== entity) return; // another one was selected meanwhile
        if (facts) $("modules").append(this.module(name, facts));
      }
      this.tellFields(this.app.fields);
    }

    /** Offer the distance to each other robot, and to each target. */
    offerDistances() {
      const others = this.app.view.entities.filter(({ name, kind }) => (kind === "robot" || kind === "target") && name !== this.entity.name);
      $("distance-to").replaceChildren(new Option("distance to …", ""), ...others.slice(0, MOST_OTHERS).map(({ name }) => new Option(name, name)));
    }

    plotDistance() {
      const other = $("distance-to").value;
      $("distance-to").value = "";
      if (other) this.app.plots.toggle({ robot: this.entity.name, other });
    }

    /** Mark what is drawn over time. */
    showChosen() {
      if (!this.entity) return;
      const { plots } = this.app, robot = this.entity.name;
      for (const field of ["x", "y", "z", "heading"]) $(`plot-${field}`).setAttribute("aria-pressed", String(plots.has({ robot, field })));
      for (const { module, field, button } of this.outputs) button.setAttribute("aria-pressed", String(plots.has({ robot, module, field })));
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
      if (!this.app.match.game && commands.some((command) => command.name === "set_velocity" && command.takes[1]?.name === "w" && command.permitted)) {
        this.app.driving.offer(new coopsim.Motors(this.app.source, target));
      }
      return box;
    }

    parameter(target, facts) {
      const set = (value) => this.app.try(this.app.source.set(target, facts.name, value));
      return parameterField(facts, `${target} ${facts.name}`, set, this.app.role === "watch");
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

    /** Hear what the numbers in frames are, as `placedFields` gives them. */
    tellFields(fields) {
      this.outputs = [];
      if (!fields || !this.entity) return;
      for (const { robot, module, field } of fields.list) {
        const place = robot === this.entity.name && $("modules").querySelector(`[data-module="${CSS.escape(module)}"] .readings`);
        const [at, length] = fields.places.get(`${robot} ${module} ${field}`);
        if (place) this.outputs.push({ at, length, ...this.reading(place, module, field) });
      }
      this.size = fields.size;
      this.showChosen();
    }

    reading(place, module, field) {
      let row = [...place.children].find((child) => child.firstChild.textContent === field);
      if (!row) {
        row = document.createElement("div");
        const button = document.createElement("button");
        row.className = "field";
        button.textContent = field;
        button.title = "Draw it over time";
        button.onclick = () => this.app.plots.toggle({ robot: this.entity.name, module, field });
        row.append(button, document.createElement("output"));
        place.append(row);
      }
      return { module, field, unit: (this.units[module] || {})[field], button: row.firstChild, output: row.lastChild };
    }

    /** Bring numbers to a frame. */
    move(frame, pose) {
      if (!this.entity) return;
      const turn = coopsim.headingOf(pose);
      const { kind, type, mass } = this.entity;
      $("inspected-about").textContent = `${kind} ${type}${mass ? `, ${mass} kg` : ""}\nx ${number(pose[0])}, y ${number(pose[1])}, ` +
        `z ${number(pose[2])} m\nheading ${(turn * 180 / Math.PI).toFixed(1)}°`;
      const { readings } = frame;
      if (!readings.length || readings.length !== this.size) return;
      for (const { at, length, output, unit } of this.outputs) {
        const values = [...readings.subarray(at, at + Math.min(length, MOST_SHOWN))];
        output.textContent = values.map(number).join(" ") + (length > MOST_SHOWN ? " …" : "") + (unit && unit !== "1" ? ` ${unit}` : "");
      }
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

  /** Return a part that is opened by a click; nothing where it is empty. */
  function part(title, rows) {
    if (!rows.length) return "";
    const box = document.createElement("details"), head = document.createElement("summary");
    head.textContent = title;
    box.className = "part";
    box.append(head, ...rows);
    return box;
  }

  /** Return the field of a parameter; `set` returns a promise of what was set in the end, if anything. */
  function parameterField({ name, kind, unit, low, high, choices, summary, value }, title, set, isDisabled = false) {
    const row = document.createElement("label"), shown = document.createElement("output");
    row.className = "field";
    row.title = `${summary} [${unit}]`;
    row.append(name);
    const input = choices.length ? choice(choices) : document.createElement("input");
    const isBounded = kind !== "str" && low !== null && high !== null && Math.abs(low) < 1e6 && high < 1e6;
    if (!choices.length) input.type = kind === "str" ? "text" : isBounded ? "range" : "number";
    if (isBounded && !choices.length) Object.assign(input, { min: low, max: high, step: kind === "int" ? 1 : "any" });
    input.value = value === null ? "" : value;
    input.setAttribute("aria-label", title);
    input.disabled = isDisabled;
    const show = () => { shown.textContent = number(Number(input.value)); };
    if (input.type === "range") { // other inputs show their value themselves
      row.append(shown);
      show();
      input.oninput = show;
    }
    input.onchange = async () => {
      const answer = await set(kind === "str" ? input.value : kind === "int" ? Math.round(input.value) : Number(input.value));
      if (answer !== undefined) input.value = answer;
      show();
    };
    row.append(input);
    return row;
  }

  function choice(values) {
    const select = document.createElement("select");
    select.append(...values.map((value) => new Option(value, value)));
    return select;
  }

  Object.assign(coopsim, { Inspector, number, parameterField });
})();
