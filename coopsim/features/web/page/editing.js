// Editing: insert, move, delete, save; each step can be undone, as the text of the section that was there before.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const MOST_STEPS = 100;
  const SIZES = { box: "0.6 0.4 0.3", cylinder: "0.4 0.4 0.4", sphere: "0.3 0.3 0.3" };
  const place = (x, y, z = 0) => [x, y, z].map((value) => value.toFixed(3)).join(" ");

  class Editing {
    constructor(app) {
      this.app = app;
      this.done = [];
      this.undone = [];
      $("insert").onclick = () => this.insert($("insert-kind").value);
      $("undo").onclick = () => this.undo();
      $("redo").onclick = () => this.redo();
      $("delete").onclick = () => this.remove(app.selected);
      $("save").onclick = () => this.save($("save-as").value.trim());
    }

    enable() {
      const mayEdit = this.app.role === "edit" && !this.app.isReplay;
      $("edits").hidden = !mayEdit;
      $("delete").hidden = !mayEdit || !this.app.selected;
      $("undo").disabled = !this.done.length;
      $("redo").disabled = !this.undone.length;
    }

    forget() {
      this.done = [];
      this.undone = [];
      this.enable();
    }

    world(command, ...values) { return this.app.source.call("/sim/world", command, ...values); }

    /** Do a step that knows its way back: two functions that return promises. */
    async do(step) {
      try {
        await step.there();
        this.done.push(step);
        if (this.done.length > MOST_STEPS) this.done.shift();
        this.undone = [];
      } catch (problem) {
        this.app.notice(problem.message);
      }
      this.enable();
    }

    async undo() {
      const step = this.done.pop();
      if (step && await this.app.try(step.back().then(() => true))) this.undone.push(step);
      this.enable();
    }

    async redo() {
      const step = this.undone.pop();
      if (step && await this.app.try(step.there().then(() => true))) this.done.push(step);
      this.enable();
    }

    insert(kind) {
      const { x, y } = this.app.cameras.controls.target, name = this.freeName(kind);
      const [px, py] = this.app.freePlace(x, y);
      const lines = kind in SIZES ? ["[OBJECT_1]", `type ${kind}`, `name ${name}`, `position ${place(px, py)}`, `size ${SIZES[kind]}`, "mass 2"]
        : kind === "target" ? ["[TARGET]", `${name} ${place(px, py)}`]
          : ["[ROBOT_1]", `type ${kind}`, `name ${name}`, `position ${place(px, py)}`];
      let inserted = name;
      return this.do({
        there: async () => {
          const answer = await this.world("insert", lines.join("\n"));
          inserted = (answer.names || [name])[0] || name;
          this.app.selectWhenThere(inserted); // the scene with it comes before or after the reply
        },
        back: () => this.world("remove", inserted),
      });
    }

    freeName(kind) {
      const stem = kind === "target" ? "red_" : kind in SIZES ? kind : "robot";
      for (let number = 1; ; number++) if (!this.app.view.byName.has(`${stem}${number}`)) return `${stem}${number}`;
    }

    async remove(name) {
      if (!name) return;
      const text = await this.app.try(this.world("section", name, 1));
      if (text === undefined) return;
      this.app.select(null);
      await this.do({ there: () => this.world("remove", name), back: () => this.world("insert", text.text ?? text) });
    }

    move(entity, from, to) {
      return this.do({
        there: () => this.world("update", entity.name, `position ${place(to.x, to.y, from[2])}`),
        back: () => this.world("update", entity.name, `position ${place(from[0], from[1], from[2])}`),
      });
    }

    async save(file) {
      const answer = await this.app.try(file ? this.world("save", file, 1, 0) : this.world("save"));
      if (answer !== undefined) this.app.notice(`saved: ${[].concat(answer.files ?? answer).join(", ")}`);
    }
  }

  Object.assign(coopsim, { Editing });
})();
