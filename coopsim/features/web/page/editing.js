// Editing: insert, move, delete, save; each step can be undone, as the text of the section that was there before.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const ROOM = { target: 0.1, team2: 1.1, usual: 0.45 }; // around what is inserted [m]; the bar of a team is 1.5 m long
  const MOST_STEPS = 100, FIELDS = ["x", "y", "z", "heading"];
  const place = (x, y, z = 0) => [x, y, z].map((value) => value.toFixed(3)).join(" ");

  /** Return the keys of a section with what they say. */
  function keysOf(text) {
    const lines = text.split("\n").map((line) => line.trim()).filter((line) => line && !/^[[#]/.test(line));
    return Object.fromEntries(lines.map((line) => [line.split(/\s+/)[0], line.replace(/^\S+\s*/, "")]));
  }

  class Editing {
    constructor(app) {
      this.app = app;
      this.done = [];
      this.undone = [];
      this.turn = Promise.resolve();
      $("insert").onclick = () => this.insert($("insert-kind").value);
      $("undo").onclick = () => this.undo();
      $("redo").onclick = () => this.redo();
      $("delete").onclick = () => this.remove(app.selected);
      $("insert-text").onclick = () => this.insertText($("new-section").value);
      $("section-part").ontoggle = () => { if ($("section-part").open) this.showText(); };
      $("apply-section").onclick = () => this.applyText();
      $("put").onclick = () => this.putSelected();
      $("reset-world").onclick = () => this.app.call("/sim/world", "reset");
      $("save").onclick = () => this.save($("save-as").value.trim());
    }

    enable() {
      const mayEdit = this.app.role === "edit" && !this.app.isReplay;
      $("edits").hidden = !mayEdit;
      $("delete").hidden = !mayEdit || !this.app.selected;
      const entity = this.app.view.byName.get(this.app.selected);
      $("putting").hidden = !mayEdit || !entity;
      $("section-part").hidden = !mayEdit || !entity || entity.kind === "target"; // its section is its place
      if (mayEdit && entity) {
        this.fillPlace(entity);
        if ($("section-part").open) this.showText();
      }
      this.app.managers.enable(mayEdit);
      $("undo").disabled = !this.done.length;
      $("redo").disabled = !this.undone.length;
    }

    /** Write where something is now into the fields for another place. */
    fillPlace(entity) {
      const { latest } = this.app, isDrawn = latest && 7 * entity.row + 7 <= latest.length; // not yet, where it has just come
      const pose = this.app.view.pose(entity, isDrawn ? latest : null), turn = coopsim.headingOf(pose) * 180 / Math.PI;
      [...pose.slice(0, 3), turn].forEach((value, k) => { $(`put-${FIELDS[k]}`).value = value.toFixed(3).replace(/\.?0+$/, ""); });
    }

    putSelected() {
      const entity = this.app.view.byName.get(this.app.selected), numbers = FIELDS.map((field) => Number($(`put-${field}`).value));
      if (!entity || !numbers.every(Number.isFinite)) return this.app.notice("A place is three numbers in metres, and a heading in degrees.");
      return this.put(numbers, entity, [...this.app.view.pose(entity, this.app.latest)]);
    }

    forget() {
      this.done = [];
      this.undone = [];
      this.savedStep = undefined;
      this.enable();
    }

    /** Whether this page has changed something since the scene was loaded or saved. */
    get hasUnsaved() { return this.done.at(-1) !== this.savedStep; }

    world(command, ...values) { return this.app.source.call("/sim/world", command, ...values); }

    /** Do one step after the other: who presses undo twice quickly wants the second one to find what the first left. */
    inTurn(work) {
      this.turn = this.turn.catch(() => {}).then(work);
      return this.turn;
    }

    /** Do a step that knows its way back: two functions that return promises. */
    do(step) {
      return this.inTurn(async () => {
        try {
          await step.there();
          this.done.push(step);
          if (this.done.length > MOST_STEPS) this.done.shift();
          this.undone = [];
        } catch (problem) {
          this.app.notice(problem.message);
        }
        this.enable();
      });
    }

    undo() {
      return this.inTurn(async () => {
        const step = this.done.pop();
        if (step && await this.app.try(step.back().then(() => true))) this.undone.push(step);
        this.enable();
      });
    }

    redo() {
      return this.inTurn(async () => {
        const step = this.undone.pop();
        if (step && await this.app.try(step.there().then(() => true))) this.done.push(step);
        this.enable();
      });
    }

    /** Offer what can be inserted, as the server has templates of it. */
    offer(offered) {
      const titles = { object: "Objects", target: "Targets", robot: "Robots", artifact: "Artifacts" };
      $("insert-kind").replaceChildren(...Object.entries(offered || {}).map(([kind, names]) => {
        const group = document.createElement("optgroup");
        group.label = titles[kind];
        group.append(...names.map((name) => new Option(name, `${kind} ${name}`)));
        return group;
      }));
    }

    /** Insert one of what is offered, `object box`, where nothing stands. */
    insert(words) {
      const [kind, name] = words.split(" "), { x, y } = this.app.cameras.controls.target;
      const room = ROOM[name] ?? ROOM[kind] ?? ROOM.usual;
      return this.insertText(() => this.app.source.ask({ do: "section", kind, name, place: [...this.app.freePlace(x, y, room), 0] }));
    }

    /** Insert a section as files have it, or what a function makes of it in its turn: names and room depend on what came before. */
    insertText(section) {
      let inserted = [], text = "";
      return this.do({
        there: async () => {
          text ||= typeof section === "string" ? section : await section();
          const answer = await this.world("insert", text);
          inserted = [].concat(answer.names ?? answer);
          if (!inserted[0]) return;
          this.app.selectWhenThere(inserted[0]); // the scene with it comes before or after the reply
          await this.app.arrival(inserted[0]);
        },
        back: async () => {
          const answer = await this.world("list"), words = answer.entities ?? answer; // name, kind and type of each
          // joints go with the bodies that they hold; the picture may be older than what the run has
          for (const name of inserted.filter((own) => words.some((word, k) => k % 3 === 0 && word === own && words[k + 1] !== "joint")))
            await this.world("remove", name);
        },
      });
    }

    /** Show the section of what is selected, for who may change it; what is being written there stays. */
    async showText() {
      const { selected } = this.app, answer = selected && await this.app.try(this.world("section", selected, 1));
      const isWritten = this.shownName === selected && $("section").value !== this.shownText;
      if (answer === undefined || selected !== this.app.selected || isWritten) return;
      this.shownName = selected;
      this.shownText = answer ? answer.text ?? answer : "";
      $("section").value = this.shownText;
    }

    /** Do to what is selected what its changed section says. */
    async applyText() {
      const name = this.app.selected, before = keysOf(this.shownText), after = keysOf($("section").value);
      const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
      if (!changed.length) return this.app.notice("Nothing is changed.");
      const lines = (keys) => changed.filter((key) => key in keys).map((key) => `${key} ${keys[key]}`).join("\n");
      const isNew = changed.includes("name") || changed.some((key) => !(key in before));
      if (isNew) return this.replace(name, this.shownText, $("section").value); // an update could not be undone
      this.shownName = null; // what comes next shows what has become of it
      return this.do({ there: () => this.world("update", name, lines(after)), back: () => this.world("update", name, lines(before)) });
    }

    /** Put what another section says in the place of something. */
    replace(name, before, after) {
      let [present, absent] = [name, after];
      const change = async () => {
        await this.world("remove", present);
        try {
          const answer = await this.world("insert", absent);
          [present, absent] = [[].concat(answer.names ?? answer)[0], absent === after ? before : after];
        } catch (problem) {
          await this.world("insert", absent === after ? before : after); // as it was
          throw problem;
        }
        this.app.selectWhenThere(present);
      };
      return this.do({ there: change, back: change });
    }

    /** Put what is selected where four numbers say: x y z [m] and heading [degrees]. */
    put([x, y, z, heading], entity, from) {
      const before = coopsim.headingOf(from) * 180 / Math.PI, isTurned = entity.kind !== "target" && Math.abs(heading - before) > 1e-3;
      const words = (pose, turn) => `position ${place(...pose)}${isTurned ? `\norientation 0 0 ${turn.toFixed(3)}` : ""}`;
      return this.do({
        there: () => this.world("update", entity.name, words([x, y, z], heading)),
        back: () => this.world("update", entity.name, words(from.slice(0, 3), before)),
      });
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

    /** Write what there is; return whether that went well. */
    async save(file) {
      const step = this.done.at(-1), answer = await this.app.try(file ? this.world("save", file, 1, 0) : this.world("save"));
      if (answer === undefined) return false;
      this.savedStep = step;
      this.app.notice(`saved: ${[].concat(answer.files ?? answer).join(", ")}`);
      return true;
    }
  }

  Object.assign(coopsim, { Editing });
})();
