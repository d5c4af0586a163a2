// End of the run: a card over the picture says how it ended, and what who edits can do then, as the window's card does.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);

  class RunEnd {
    constructor(app) {
      this.app = app;
      this.standing = { laws: false, end: null };
      $("run-again").onclick = $("run-again-now").onclick = () => this.runAgain();
      $("ending-reset").onclick = () => this.app.call("/sim/world", "reset");
      $("go-on").onclick = () => {
        this.app.time.toggle();
        this.close();
      };
      $("close-ending").onclick = () => this.close();
    }

    /** What tells this end from another one, null while the run goes on. */
    get mark() { return this.standing.end && JSON.stringify(this.standing.end.mark); }
    get mayEdit() { return this.app.role === "edit" && !this.app.isReplay && Boolean(this.app.facts) && this.app.facts.state === "live"; }

    hear(standing) {
      const { begins } = this.standing;
      this.standing = standing;
      if (standing.begins !== (begins ?? standing.begins)) this.app.beginAnew();
      this.app.match.learn(standing.result);
      $("ending-lines").replaceChildren(...(standing.end ? standing.end.lines : []).map(({ kind, text }) => {
        const line = document.createElement("li");
        line.dataset.kind = kind;
        line.textContent = text;
        return line;
      }));
      this.enable();
    }

    /** Show the card where the end is to be seen: the past and a closed card hide it. */
    enable() {
      const { mark, mayEdit } = this;
      if (mark === null) this.closed = null; // the next end may be the same, tick by tick
      $("ending").hidden = mark === null || mark === this.closed || this.app.time.past !== null || Boolean(this.app.isFilm);
      for (const id of ["run-again", "ending-reset", "go-on"]) $(id).hidden = this.app.role !== "edit";
      for (const id of ["ending-reset", "go-on"]) $(id).disabled = !mayEdit;
      $("run-again").disabled = !mayEdit || Boolean(this.isAsked);
      $("run-again-now").disabled = $("run-again").disabled || !this.standing.laws;
    }

    close() {
      this.closed = this.mark;
      this.enable();
    }

    /** Press "Run again" by a key: while the run goes on, a slip of a finger must not end it for all. */
    press() { if (!$("ending").hidden && !$("run-again").hidden) $("run-again").click(); }

    /** Put everything back, and let all control laws of the scene begin again. */
    async runAgain() {
      if (this.isAsked) return;
      this.isAsked = true;
      this.enable();
      this.app.time.goLive();
      await this.app.call("/sim/controllers", "restart");
      this.isAsked = false;
      this.enable();
    }
  }

  Object.assign(coopsim, { RunEnd });
})();
