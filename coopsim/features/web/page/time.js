// Time: what instant is shown, of a live run, of its past, or of a replay; and the buttons for it.
"use strict";

(() => {
  const DELAY = 0.07; // s of wall time; the picture is that late, so that it always lies between two frames
  const $ = (id) => document.getElementById(id);

  class TimeControl {
    constructor(app) {
      this.app = app;
      this.past = null; // seconds, null = now
      this.clock = null;
      this.arrived = 0;
      $("play").onclick = () => this.toggle();
      $("step").onclick = () => this.step(1);
      $("back").onclick = () => this.step(-1);
      $("live").onclick = () => this.goLive();
      $("speed").onchange = () => this.setSpeed(Number($("speed").value));
      $("scrub").oninput = () => this.scrub(Number($("scrub").value));
    }

    get isReplay() { return Boolean(this.clock && this.clock.playback); }
    get isPaused() { return this.isReplay ? !this.clock.playback.playing : Boolean(this.clock && this.clock.paused); }

    hear(clock) {
      this.clock = clock;
      const speed = String(this.isReplay ? clock.playback.speed : clock.speed);
      if (document.activeElement !== $("speed") && [...$("speed").options].some(({ value }) => value === speed)) $("speed").value = speed;
      this.enable();
    }

    enable() {
      const mayEdit = this.app.role === "edit", isKnown = Boolean(this.clock);
      for (const id of ["play", "speed"]) $(id).disabled = !mayEdit || !isKnown;
      $("step").disabled = $("back").disabled = !(this.isReplay ? mayEdit : mayEdit || this.past !== null);
      $("play").querySelector("path").setAttribute("d", this.isPaused ? "M4 3l9 5l-9 5z" : "M5 3v10M11 3v10");
      $("play").setAttribute("aria-label", this.isPaused ? "Go on" : "Pause");
      $("live").hidden = this.isReplay;
      $("live").setAttribute("aria-pressed", String(this.past === null));
    }

    noteFrame() { this.arrived = performance.now(); }

    /** Return the instant to draw. */
    shown(history) {
      if (this.past !== null) return Math.min(this.past, history.end);
      const number = history.frames.length;
      if (number < 2 || this.isPaused) return history.end;
      const [before, last] = history.frames.slice(-2);
      const pace = (last.time - before.time) / Math.max(0.005, (last.arrived - before.arrived) / 1000);
      const late = Math.max(0, DELAY - (performance.now() - last.arrived) / 1000);
      return Math.max(history.begin, last.time - late * Math.min(100, pace));
    }

    /** Bring the bar to the instant that is drawn. */
    show(time, history) {
      const [begin, end] = this.isReplay ? [this.clock.playback.begin, this.clock.playback.end] : [history.begin, history.end];
      const bar = $("scrub");
      bar.min = begin;
      bar.max = Math.max(end, begin + 1e-3);
      if (!this.isHeld) bar.value = time;
      $("now").value = `${time.toFixed(2)} s`;
    }

    scrub(time) {
      if (this.isReplay) return this.seek(time);
      this.past = time >= this.app.history.end ? null : time;
      this.enable();
    }

    /** Seek a replay: the newest place counts, and one request is under way at a time. */
    async seek(time) {
      this.wantedTime = time;
      if (this.isSeeking) return;
      this.isSeeking = true;
      while (this.wantedTime !== null) {
        const next = this.wantedTime;
        this.wantedTime = null;
        await this.app.call("/sim/playback", "seek", next);
      }
      this.isSeeking = false;
    }

    goLive() {
      this.past = null;
      this.enable();
    }

    toggle() {
      if (this.isReplay) return this.app.call("/sim/playback", this.isPaused ? "play" : "pause");
      return this.app.call("/sim/clock", this.isPaused ? "continue" : "pause");
    }

    step(count) {
      const { history } = this.app;
      if (this.isReplay) return this.app.call("/sim/playback", "step", count);
      if (this.past === null && count > 0 && this.isPaused) return this.app.call("/sim/clock", "step", count);
      const number = history.numberAt(this.past === null ? history.end : this.past) + count;
      const frame = history.frames[Math.max(0, number)];
      if (frame) this.scrub(frame.time);
    }

    setSpeed(speed) {
      return this.app.call(this.isReplay ? "/sim/playback" : "/sim/clock", this.isReplay ? "speed" : "set_speed", speed);
    }
  }

  Object.assign(coopsim, { TimeControl });
})();
