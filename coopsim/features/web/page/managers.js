// Managers: name, colour and texture of what is selected, its team as a whole, and the control laws that can drive it.
"use strict";

(() => {
  const NO_TEXTURE = "none", PATTERNS = ["bricks", "checkerboard", "concrete", "dots", "stripes", "wood"];
  const LAWS_EVERY = 1000; // ms between two looks at what drives the selected robots
  const LOAD = ["length", "mass", "carriers"]; // of a team's section
  const SIZE = ["length", "width", "height"], SIZED = new Set(["conveyor"]); // artifacts that are made in any size
  const $ = (id) => document.getElementById(id);
  const hex = (color) => `#${color.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("")}`;
  const words = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)).join(" ");
  const teamOf = (name) => name && name.includes("/") ? name.split("/")[0] : "";

  class Managers {
    constructor(app) {
      this.app = app;
      this.given = {}; // values of parameters by law
      $("entity-name").onchange = () => this.rename(this.app.selected, $("entity-name").value.trim());
      $("entity-color").onchange = () => this.paint([this.app.selected], $("entity-color").value);
      $("entity-texture").append(...[NO_TEXTURE, ...PATTERNS].map((name) => new Option(name, name)));
      $("entity-texture").onchange = () => this.cover(this.app.selected, $("entity-texture").value);
      for (const key of SIZE) $(`size-${key}`).onchange = () => this.resize(this.app.selected);
      $("team-name").onchange = () => this.renameTeam($("team-name").value.trim());
      $("team-color").onchange = () => this.paint(this.members.filter((name) => this.kindOf(name) === "robot"), $("team-color").value);
      $("team-put").onclick = () => this.moveTeam();
      $("team-delete").onclick = () => this.removeTeam();
      $("team-carriers").append(...[2, 3, 4, 5, 6].map((count) => new Option(count, count)));
      for (const key of LOAD) $(`team-${key}`).onchange = () => this.loadTeam(key, Number($(`team-${key}`).value));
      $("law-robots").onchange = () => this.offerLaws();
      $("law").onchange = () => this.offerLaws();
      $("law-start").onclick = () => this.startLaw();
      $("law-stop").onclick = () => this.driveOtherwise({ do: "stop-laws", robots: this.robots });
      setInterval(() => this.showDrivers(), LAWS_EVERY);
    }

    get editing() { return this.app.editing; }

    /** Members of the team that the selected entity belongs to. */
    get members() {
      const team = teamOf(this.app.selected);
      return team ? this.app.view.entities.map(({ name }) => name).filter((name) => teamOf(name) === team) : [];
    }

    /** Robots that a law is chosen for. */
    get robots() {
      if ($("law-robots").value !== "team") return [this.app.selected];
      return this.members.filter((name) => this.kindOf(name) === "robot");
    }

    kindOf(name) { return (this.app.view.byName.get(name) || {}).kind; }
    ask(request) { return this.app.try(this.app.source.ask(request)); }

    /** Show the managers of what is selected, for who may edit. */
    enable(mayEdit) {
      const entity = this.app.view.byName.get(this.app.selected), isRobot = Boolean(entity) && entity.kind === "robot";
      const isOffered = mayEdit && Boolean(entity), team = teamOf(this.app.selected);
      $("looks").hidden = !isOffered || entity.kind === "floor";
      $("team-part").hidden = !isOffered || !team;
      $("laws").hidden = !isOffered || !isRobot;
      if (isOffered) this.fill(entity, team);
      const shown = `${this.app.selected} ${mayEdit}`;
      if (shown === this.shown) return;
      this.shown = shown;
      if (!$("laws").hidden) this.beginLaws(team);
    }

    fill(entity, team) {
      const textured = entity.shapes.find(({ texture }) => texture);
      $("entity-name").value = entity.name;
      $("entity-name").disabled = Boolean(team);
      $("entity-color").value = hex(entity.color);
      $("entity-color").disabled = entity.kind === "target"; // its name is its colour
      $("entity-texture").value = textured && PATTERNS.includes(textured.texture) ? textured.texture : NO_TEXTURE;
      $("texture-field").hidden = entity.kind !== "object";
      this.fillSize(entity);
      if (!team) return;
      const { x, y, turn } = this.teamPose();
      $("team-title").textContent = `Team ${team}`;
      $("team-name").value = team;
      $("team-color").value = hex(entity.color);
      this.fillLoad();
      [["team-x", x], ["team-y", y], ["team-heading", turn]].forEach(([id, value]) => { $(id).value = coopsim.number(value); });
    }

    // looks

    /** Change keys of some entities at once; `before` and `after` give the text of each. */
    change(names, before, after) {
      const update = (text) => async () => { for (const name of names) await this.editing.world("update", name, text(name)); };
      return this.editing.do({ there: update(after), back: update(before) });
    }

    paint(names, color) {
      const colors = new Map(names.map((name) => [name, words(hex(this.app.view.byName.get(name).color))]));
      return this.change(names, (name) => `color ${colors.get(name)}`, () => `color ${words(color)}`);
    }

    cover(name, texture) {
      const shape = this.app.view.byName.get(name).shapes.find((own) => own.texture), before = shape ? shape.texture : NO_TEXTURE;
      return this.change([name], () => `texture ${before}`, () => `texture ${texture}`);
    }

    async rename(before, name) {
      if (!name || name === before) return;
      const section = await this.app.try(this.editing.world("section", before, 1)), text = section && (section.text ?? section);
      const renamed = text && await this.ask({ do: "renamed", text, before, name });
      if (renamed) await this.editing.replace(before, text, renamed);
    }

    isSized(entity) { return SIZED.has(entity.type.split("+")[0]); }

    fillSize(entity) {
      $("size-field").hidden = !this.isSized(entity);
      SIZE.forEach((key, k) => { $(`size-${key}`).value = coopsim.number(entity.size[k]); });
    }

    /** Give an artifact another size: it is inserted anew where it stands. */
    async resize(name) {
      const size = SIZE.map((key) => Number($(`size-${key}`).value)), section = await this.app.try(this.editing.world("section", name, 1));
      const text = section && (section.text ?? section), resized = text && await this.ask({ do: "resized", text, size });
      if (resized) await this.editing.replace(name, text, resized);
      else this.fillSize(this.app.view.byName.get(name));
    }

    // teams

    team() { return this.ask({ do: "team", team: teamOf(this.app.selected) }); }

    poses() { return this.members.map((name) => [name, [...this.app.view.pose(this.app.view.byName.get(name), this.app.latest)]]); }

    /** Return where the middle of the team is [m], and where its leader looks to [degrees]; null while it is exchanged. */
    teamPose() {
      const poses = this.poses();
      if (!poses.length) return null;
      const mean = (k) => poses.reduce((sum, [, pose]) => sum + pose[k], 0) / poses.length;
      const leader = poses.find(([name]) => name.endsWith("/leader")) || poses[0];
      return { x: mean(0), y: mean(1), turn: coopsim.headingOf(leader[1]) * 180 / Math.PI };
    }

    /** Put the team elsewhere as a whole: moved one by one, its members would tear at what they carry. */
    async moveTeam() {
      const [x, y, heading] = ["team-x", "team-y", "team-heading"].map((id) => Number($(id).value)), from = this.teamPose();
      if (!from) return this.app.notice("The team is being put elsewhere: it can be moved again as soon as it is shown.");
      if (![x, y, heading].every(Number.isFinite)) return this.app.notice("A place is two numbers in metres, and a heading in degrees.");
      const team = await this.team(), turn = (heading - from.turn) * Math.PI / 180;
      const text = team && await this.ask({ do: "put-team", text: team.text, middle: [from.x, from.y], to: [x, y], turn });
      if (text) await this.exchange(team, text, team.members);
    }

    /** Return the load of the team as the scene shows it, and how many carry it; null where it carries nothing. */
    load() {
      const members = this.members.map((name) => this.app.view.byName.get(name)), load = members.find(({ kind }) => kind === "object");
      const carriers = members.filter(({ kind }) => kind === "robot").length;
      return load ? { length: load.size[1], mass: load.mass, carriers } : null;
    }

    fillLoad() {
      const load = this.load();
      $("team-load").hidden = !load;
      if (load) LOAD.forEach((key) => { $(`team-${key}`).value = key === "carriers" ? load[key] : coopsim.number(load[key]); });
    }

    /** Give the team another load, or more or fewer carriers: it is inserted anew where it stands. */
    async loadTeam(key, value) {
      if (!Number.isFinite(value)) return this.app.notice("The load of a team is said in numbers.");
      const name = teamOf(this.app.selected), team = await this.team();
      const text = team && await this.ask({ do: "load-team", team: name, entries: { [key]: value } });
      if (!text) return this.fillLoad();
      const exchange = (sections, former) => async () => {
        await this.without(await this.membersNow(name));
        try {
          await this.editing.world("insert", sections);
        } catch (problem) {
          await this.editing.world("insert", former); // as it was
          throw problem;
        } finally {
          this.app.selectWhenThere(`${name}/leader`);
        }
      };
      await this.editing.do({ there: exchange(text, team.text), back: exchange(team.text, text) });
      this.fillLoad();
    }

    /** Return the members of a team as the run has them: the scene that is shown may be older. */
    async membersNow(team) {
      const answer = await this.editing.world("list"), words = answer.entities ?? answer; // name, kind and type of each
      return words.filter((own, k) => k % 3 === 0 && words[k + 1] !== "joint" && teamOf(own) === team);
    }

    async without(names) { for (const name of names) await this.editing.world("remove", name); }

    async removeTeam() {
      const team = await this.team();
      if (!team) return;
      this.app.select(null);
      await this.editing.do({ there: () => this.without(team.members), back: () => this.editing.world("insert", team.text) });
    }

    async renameTeam(name) {
      const before = teamOf(this.app.selected), team = name && name !== before && await this.team();
      const text = team && await this.ask({ do: "renamed", text: team.text, before, name });
      if (text) await this.exchange(team, text, team.members.map((member) => name + member.slice(before.length)));
    }

    /** Put other sections of a team in the place of those that there are. */
    exchange({ members, text }, after, renamed) {
      const rank = members.indexOf(this.app.selected);
      const change = (gone, sections, came) => async () => {
        await this.without(gone);
        await this.editing.world("insert", sections);
        this.app.selectWhenThere(came[rank]);
      };
      return this.editing.do({ there: change(members, after, renamed), back: change(renamed, text, members) });
    }

    // control laws

    async beginLaws(team) {
      const { selected } = this.app, names = [[selected, "robot"], ...(team ? [[`all of ${team}`, "team"]] : [])];
      $("law-robots").replaceChildren(...names.map(([title, value]) => new Option(title, value)));
      $("law-robots").hidden = !team;
      await this.offerLaws();
    }

    async offerLaws() {
      const { selected } = this.app, answer = await this.ask({ do: "laws", robots: this.robots, law: $("law").value });
      if (!answer || selected !== this.app.selected) return;
      const chosen = answer.choices.includes($("law").value) ? $("law").value : answer.choices.includes("wander") ? "wander" : answer.choices[0];
      $("law").replaceChildren(...answer.choices.map((name) => new Option(name, name, false, name === chosen)));
      $("law-start").disabled = !chosen;
      this.showRows(answer.drivers);
      const parts = answer.parts.length || !chosen ? answer : await this.ask({ do: "laws", robots: this.robots, law: chosen });
      if (parts && selected === this.app.selected) $("law-parameters").replaceChildren(...parts.parts.map((part) => this.law(part)));
    }

    /** Return the fields of a law's parameters. */
    law({ law, parameters, problem }) {
      const box = document.createElement("details"), head = document.createElement("summary"), given = this.given[law] ??= {};
      head.textContent = problem || (parameters.length ? `Parameters of ${law}` : `${law} has no parameters`);
      box.dataset.law = law;
      const offered = parameters.map((facts) => ({ ...facts, value: given[facts.name] ?? facts.value }));
      box.append(head, ...offered.map((facts) => coopsim.parameterField(facts, `${law} ${facts.name}`, (value) => this.setLaw(law, facts.name, value))));
      return box;
    }

    async startLaw() {
      const { robots } = this, law = $("law").value;
      this.app.driving.offer(null); // what a law drives no key drives
      $("law-start").disabled = true;
      await this.driveOtherwise({ do: "start-law", robots, law, given: structuredClone(this.given) });
      $("law-start").disabled = false;
      await this.showDrivers();
    }

    /** Start or stop laws; the way back starts what drove the robots before, with what it was given. */
    async driveOtherwise(request) {
      const orders = await this.ask({ do: "law-orders", robots: request.robots });
      if (!orders) return;
      const robots = [...new Set([...request.robots, ...orders.flatMap((order) => order.robots)])];
      const { source } = this.app;
      await this.editing.do({ there: () => source.ask(request), back: () => source.ask({ do: "drive", robots, orders }) });
    }

    /** Set a parameter that a law begins with. */
    async setLaw(law, name, value) {
      const given = this.given[law], before = given[name];
      let isFirst = true; // the field that was changed shows it already
      const set = (own) => async () => {
        if (own === undefined) delete given[name];
        else given[name] = own;
        if (!isFirst) await this.offerLaws();
        isFirst = false;
      };
      await this.editing.do({ there: set(value), back: set(before) });
    }

    async showDrivers() {
      if ($("laws").hidden || document.hidden || this.isAsking) return;
      this.isAsking = true;
      const { selected } = this.app, answer = await this.app.source.ask({ do: "laws", robots: this.robots }).catch(() => null);
      this.isAsking = false;
      if (answer && selected === this.app.selected) this.showRows(answer.drivers);
    }

    showRows(rows) {
      const items = rows.map(({ name, state, robots, reason }) => {
        const item = document.createElement("li");
        item.dataset.state = state;
        item.textContent = `${name} ${state}: ${reason || `drives ${robots.join(", ")}`}`;
        return item;
      });
      $("drivers").replaceChildren(...items);
      $("law-start").textContent = rows.some(({ state }) => state === "running") ? "Replace" : "Start";
      $("law-stop").disabled = !rows.some(({ state }) => state === "running");
    }
  }

  Object.assign(coopsim, { Managers });
})();
