// People's side of the scene: the list of who is there, and the lines that programs and players write.
"use strict";

(() => {
  const MOST_LISTED = 200, MOST_LINES = 200;
  const $ = (id) => document.getElementById(id);

  class EntityList {
    constructor(app) {
      this.app = app;
      $("search").oninput = () => this.show();
    }

    build(facts) {
      this.entities = facts.entities.filter(({ kind, whole }) => kind !== "floor" && !whole);
      this.show();
    }

    show() {
      const words = $("search").value.trim().toLowerCase();
      const fitting = (this.entities || []).filter(({ name, kind, type }) => `${name} ${kind} ${type}`.toLowerCase().includes(words));
      const robots = fitting.filter(({ kind }) => kind === "robot");
      const others = fitting.filter(({ kind }) => kind !== "robot");
      const listed = [...robots, ...others].slice(0, MOST_LISTED);
      $("counts").textContent = `${robots.length} robots, ${others.length} others` +
        (fitting.length > listed.length ? `; the first ${listed.length}, search for more` : "");
      $("entities").replaceChildren(...listed.map((entity) => this.line(entity)));
    }

    line({ name, kind, type, color }) {
      const item = document.createElement("li"), button = document.createElement("button"), mark = document.createElement("i");
      mark.style.background = `rgb(${color.map((part) => Math.round(255 * part)).join(",")})`;
      button.append(mark, name);
      button.title = `${kind} ${type}`;
      button.setAttribute("aria-current", String(name === this.app.selected));
      button.onclick = () => this.app.select(name);
      item.append(button);
      return item;
    }
  }

  class Messages {
    constructor(app) {
      this.app = app;
      $("console").onsubmit = (event) => {
        event.preventDefault();
        this.send($("words").value.trim());
        $("words").value = "";
      };
    }

    /** Add a line; where it tells when something happened, a click goes there. */
    note(text, isBad = false, time = null) {
      const line = document.createElement("li");
      line.textContent = time === null ? text : `${time.toFixed(2)} s  ${text}`;
      if (time !== null) {
        line.dataset.time = time;
        line.onclick = () => this.app.time.scrub(time);
      }
      line.className = isBad ? "bad" : "";
      $("messages").append(line);
      while ($("messages").children.length > MOST_LINES) $("messages").firstChild.remove();
      if (!this.app.isFilm) line.scrollIntoView({ block: "nearest" }); // of a recording all are there at once
    }

    /** Send a line: `/robot1/motors set_velocity 0.3 0`, or `say TOPIC WORDS`. */
    async send(line) {
      if (!line) return;
      const [target, command, ...words] = line.split(/\s+/);
      this.note(`> ${line}`);
      try {
        const values = target === "say" ? await this.app.source.call("/sim/events", "publish", command, words.join(" "), [])
          : await this.app.source.call(target.startsWith("/") ? target : `/${target}`, command, ...words.map(value));
        if (values !== null && values !== undefined) this.note(JSON.stringify(values));
      } catch (problem) {
        this.note(problem.message, true);
      }
    }
  }

  /** Return a word as a number where it is one. */
  const value = (word) => word !== "" && Number.isFinite(Number(word)) ? Number(word) : word;

  Object.assign(coopsim, { EntityList, Messages });
})();
