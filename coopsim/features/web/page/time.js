// Time: what instant is shown, of a live run, of its past, or of a replay; and the buttons for it.
"use strict";

(() => {
  const DELAY = 0.07; // s of wall time; the picture is that late, so that it always lies between two frames
  const MOST_MARKS = 300, PLACE_EVERY = 400; // ms; the bar of a live run grows all the time
  const $ = (id) => document.getElementById(id);

  class TimeControl {
    constructor(app) {
      this.app = app;
      this.past = null; // seconds, null = now
      this.clock = null;
      this.isPlaying = this.isLooping = false; // of what is played here
      this.marks = [];
      $("play").onclick = () => this.toggle();
      $("step").onclick = () => this.step(1);
      $("back").onclick = () => this.step(-1);
      $("live").onclick = () => this.goLive();
      $("loop").onclick = () => this.switchLoop();
      $("speed").onchange = () => this.setSpeed(Number($("speed").value));
      $("scrub").oninput = () => this.scrub(Number($("scrub").value));
    }

    /** Whether time runs in this page: of a recording that it holds, or of what is over of a live run. */
    get isLocal() { return this.app.isFilm || (this.past !== null && !this.isReplay); }
    get isReplay() { return Boolean(this.clock && this.clock.playback); }
    get isPaused() { return this.isLocal ? !this.isPlaying : this.isReplay ? !this.clock.playback.playing : Boolean(this.clock && this.clock.paused); }

    hear(clock) {
      this.clock = clock;
      const speed = String(this.isReplay ? clock.playback.speed : clock.speed);
      if (!this.isLocal && document.activeElement !== $("speed") && [...$("speed").options].some(({ value }) => value === speed)) $("speed").value = speed;
      this.enable();
    }

    enable() {
      const mayEdit = this.app.role === "edit", isKnown = Boolean(this.clock);
      for (const id of ["play", "speed"]) $(id).disabled = !this.isLocal && (!mayEdit || !isKnown);
      $("step").disabled = $("back").disabled = !(this.isLocal || mayEdit);
      $("loop").hidden = !(this.isLocal || (this.isReplay && mayEdit));
      $("loop").setAttribute("aria-pressed", String(this.isReplay ? Boolean(this.clock.playback.looping) : this.isLooping));
      $("play").querySelector("path").setAttribute("d", this.isPaused ? "M4 3l9 5l-9 5z" : "M5 3v10M11 3v10");
      $("play").setAttribute("aria-label", this.isPaused ? "Go on" : "Pause");
      $("live").hidden = this.isReplay || Boolean(this.app.isFilm);
      $("live").setAttribute("aria-pressed", String(this.past === null));
      this.app.runEnd.enable();
    }

    /** Return the instant to draw. */
    shown(history) {
      if (this.isLocal) this.advance(history);
      if (this.past !== null) return Math.min(this.past, history.end);
      const number = history.frames.length;
      if (number < 2 || this.isPaused) return history.end;
      const [before, last] = history.frames.slice(-2);
      const pace = (last.time - before.time) / Math.max(0.005, (last.arrived - before.arrived) / 1000);
      const late = Math.max(0, DELAY - (performance.now() - last.arrived) / 1000);
      return Math.max(history.begin, last.time - late * Math.min(100, pace));
    }

    /** Play what is over on: at its end anew, or what happens now. */
    advance(history) {
      const clock = performance.now(), passed = (clock - this.advancedAt) / 1000;
      this.advancedAt = clock;
      if (!this.isPlaying) return;
      this.past = Math.max(history.begin, this.past + passed * Number($("speed").value));
      if (this.past < history.end) return;
      this.past = this.isLooping ? history.begin : history.end;
      if (this.isLooping) return;
      if (!this.app.isFilm) return this.goLive();
      this.isPlaying = false;
      this.enable();
    }

    /** Mark when something happened. */
    mark(time, text) {
      const mark = document.createElement("i");
      mark.title = text;
      mark.dataset.time = time;
      this.marks.push(mark);
      $("marks").append(mark);
      if (this.marks.length > MOST_MARKS) this.marks.shift().remove();
      this.placedAt = 0;
    }

    forgetMarks() {
      this.marks = [];
      $("marks").replaceChildren();
    }

    placeMarks(begin, end) {
      if (!this.marks.length || performance.now() - this.placedAt < PLACE_EVERY) return;
      this.placedAt = performance.now();
      for (const mark of this.marks) {
        const share = (mark.dataset.time - begin) / Math.max(1e-3, end - begin);
        mark.hidden = share < 0 || share > 1;
        mark.style.left = `calc(8px + (100% - 16px) * ${share})`;
      }
    }

    /** Bring the bar to the instant that is drawn. */
    show(time, history) {
      const [begin, end] = this.isReplay ? [this.clock.playback.begin, this.clock.playback.end] : [history.begin, history.end];
      const bar = $("scrub");
      bar.min = begin;
      bar.max = Math.max(end, begin + 1e-3);
      if (!this.isHeld) bar.value = time;
      this.placeMarks(begin, end);
      $("now").value = `${time.toFixed(2)} s`;
    }

    scrub(time) {
      if (this.isReplay) return this.seek(time);
      const { begin, end } = this.app.history, isOver = time < end || Boolean(this.app.isFilm);
      this.past = isOver ? Math.min(end, Math.max(begin, time)) : null;
      if (!isOver) this.isPlaying = false;
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
      if (!this.app.isFilm) this.past = null;
      this.isPlaying = false;
      this.enable();
    }

    toggle() {
      if (this.isLocal) return this.play(!this.isPlaying);
      if (this.isReplay) return this.app.call("/sim/playback", this.isPaused ? "play" : "pause");
      return this.isPaused ? this.goOn() : this.app.call("/sim/clock", "pause");
    }

    /** Let a run go on: in real time where lockstep would wait for ever, since nobody drives a robot after the end. */
    async goOn() {
      if (this.clock.mode === "lockstep" && this.app.runEnd.standing.end) {
        const answer = await this.app.call("/sim/step", "owners");
        if (answer && ![].concat(answer.owners ?? answer).length) await this.app.call("/sim/clock", "set_mode", "real-time");
      }
      return this.app.call("/sim/clock", "continue");
    }

    /** Play what is over, or stop; at the end it begins anew. */
    play(isOn) {
      const { begin, end } = this.app.history;
      if (isOn && this.past >= end) this.past = begin;
      this.isPlaying = isOn;
      this.advancedAt = performance.now();
      this.enable();
    }

    /** Begin a film where a link says. */
    begin(time, speed, isPlaying) {
      if (Number.isFinite(time)) this.scrub(time);
      if ([...$("speed").options].some(({ value }) => Number(value) === speed)) $("speed").value = speed;
      if (isPlaying) this.play(true);
    }

    async switchLoop() {
      if (this.isReplay) return this.app.call("/sim/playback", this.clock.playback.looping ? "unloop" : "loop");
      this.isLooping = !this.isLooping;
      return this.enable();
    }

    step(count) {
      this.isPlaying = false;
      const { history } = this.app;
      if (this.isReplay) return this.app.call("/sim/playback", "step", count);
      if (this.past === null && count > 0 && this.isPaused) return this.app.call("/sim/clock", "step", count);
      const number = history.numberAt(this.past === null ? history.end : this.past) + count;
      const frame = history.frames[Math.max(0, number)];
      if (frame) this.scrub(frame.time);
    }

    setSpeed(speed) {
      if (this.isLocal) return undefined; // it is read where time runs
      return this.app.call(this.isReplay ? "/sim/playback" : "/sim/clock", this.isReplay ? "speed" : "set_speed", speed);
    }
  }

  Object.assign(coopsim, { TimeControl });
})();
