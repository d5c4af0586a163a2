// Driving: keys, a stick on the screen, or a gamepad command the selected robot's motors.
"use strict";

(() => {
  const EVERY = 100; // ms between two commands; a robot whose driver is gone stops by the rules of its run
  const SPEED = 0.5, TURN = 1.2; // m/s and rad/s at the end of the stick
  const BELOW = 0.97; // of the limits of a robot, which are told rounded
  const DEAD = 0.15; // of the way of a gamepad's stick, which never rests quite at 0
  const KEYS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1], w: [1, 0], s: [-1, 0], a: [0, 1], d: [0, -1] };
  const $ = (id) => document.getElementById(id);

  class Driving {
    constructor(app) {
      this.app = app;
      this.pressed = new Set();
      this.stick = [0, 0];
      this.way = null;
      this.waiting = [];
      this.isOn = this.isMoving = false;
      $("drive").onclick = () => this.switch(!this.isOn);
      addEventListener("keydown", (event) => this.key(event, true));
      addEventListener("keyup", (event) => this.key(event, false));
      addEventListener("blur", () => this.pressed.clear());
      const pad = $("stick");
      pad.onpointerdown = (event) => { pad.setPointerCapture(event.pointerId); this.pull(event); };
      pad.onpointermove = (event) => { if (pad.hasPointerCapture(event.pointerId)) this.pull(event); };
      pad.onpointerup = pad.onpointercancel = () => this.pull(null);
      setInterval(() => this.command(), EVERY);
    }

    /** Say how the selected robot is driven: by `Motors`, or `ByHand` in a match; null = not at all. */
    async offer(way) {
      const isSame = way && this.way && way.robot === this.way.robot && way.constructor === this.way.constructor;
      if (isSame) return;
      if (this.isOn) await this.switch(false);
      this.way = way;
      $("drive").hidden = !way;
    }

    get target() { return this.way && this.way.target; }
    get robot() { return this.way && this.way.robot; }

    /** Begin or end to drive; meanwhile nobody else commands the robot. */
    async switch(isOn) {
      const wanted = isOn && Boolean(this.way), { way } = this;
      if (wanted === this.isOn) return;
      if (wanted && await this.app.try(way.begin().then(() => true)) === undefined) return;
      if (!wanted && this.isMoving) await this.send(0, 0);
      this.isOn = wanted;
      this.isMoving = false;
      if (!wanted) way.end().catch(() => {}); // it is free when the connection ends, too
      this.pressed.clear();
      $("drive").setAttribute("aria-pressed", String(this.isOn));
      $("stick").hidden = !this.isOn;
      if (this.isOn) $("view").focus();
    }

    key(event, isDown) {
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (!this.isOn || !(key in KEYS) || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const isNew = this.pressed.has(key) !== isDown;
      if (isDown) this.pressed.add(key); else this.pressed.delete(key);
      if (isNew) this.command(); // a tap may be over before the next interval
    }

    pull(event) {
      const box = $("stick").getBoundingClientRect(), half = box.width / 2;
      let x = 0, y = 0;
      if (event) {
        x = (event.clientX - box.left - half) / half;
        y = (event.clientY - box.top - half) / half;
        const far = Math.max(1, Math.hypot(x, y));
        x /= far;
        y /= far;
      }
      this.stick = [-y, -x];
      $("stick").firstElementChild.style.transform = `translate(${x * half}px, ${y * half}px)`;
    }

    gamepad() {
      const pad = [...(navigator.getGamepads ? navigator.getGamepads() : [])].find((connected) => connected);
      if (!pad) return [0, 0];
      return [-(pad.axes[1] || 0), -(pad.axes[0] || 0)].map((way) => Math.abs(way) < DEAD ? 0 : way);
    }

    command() {
      if (!this.isOn) return;
      const ways = [...[...this.pressed].map((key) => KEYS[key]), this.stick, this.gamepad()];
      const [ahead, turn] = [0, 1].map((k) => Math.max(-1, Math.min(1, ways.reduce((sum, way) => sum + way[k], 0))));
      const isMoving = ahead !== 0 || turn !== 0;
      if (isMoving || this.isMoving) this.send(SPEED * ahead, TURN * turn);
      this.isMoving = isMoving;
    }

    /** Send a velocity; while one is under way the newest one waits, so that a slow network gets no queue. */
    async send(v, w) {
      if (this.isSending) return this.keep([v, w]);
      this.isSending = true;
      try {
        await this.way.drive(v, w);
      } catch (problem) {
        this.app.notice(problem.message);
        this.isMoving = false;
        this.switch(false);
      }
      this.isSending = false;
      const next = this.waiting.shift();
      if (next && this.way) this.send(...next);
      else this.waiting = [];
    }

    /** Keep a velocity for later: the newest alone, but a stop lets what was to be driven before it happen. */
    keep(velocity) {
      const isTap = this.waiting.length === 1 && this.waiting[0].some(Boolean) && !velocity.some(Boolean);
      this.waiting = isTap ? [this.waiting[0], velocity] : [...this.waiting.slice(0, this.waiting.length - 1), velocity];
    }
  }

  /** Motors of a robot that is claimed, so that nobody else commands it. */
  class Motors {
    constructor(source, target) {
      this.source = source;
      this.target = target;
      this.robot = target.slice(1, target.lastIndexOf("/"));
    }

    begin() { return this.source.ask({ do: "claim", robot: this.robot }); }
    drive(v, w) { return this.source.call(this.target, "set_velocity", v, w); }
    end() { return this.source.ask({ do: "release", robot: this.robot }); }
  }

  /** A robot of one's own squad in a match: the logic of the match has it, and hands it over. */
  class ByHand {
    constructor(match, robot) {
      this.match = match;
      this.robot = robot;
    }

    async begin() {
      const { parameters } = await this.match.app.source.describe(`/${this.robot}/intelligence`);
      const limit = (wanted, usual) => BELOW * ((parameters.find(({ name }) => name === wanted) || {}).value || usual);
      Object.assign(this, { fastest: limit("speed", SPEED), sharpest: limit("turn", TURN) }); // more of it is refused
      return this.match.hand(this.robot, "take");
    }

    drive(v, w) {
      const within = (value, most) => Math.max(-most, Math.min(most, value)).toFixed(2);
      return this.match.hand(this.robot, `drive ${within(v, this.fastest)} ${within(w, this.sharpest)}`);
    }

    end() { return this.match.hand(this.robot, "give"); }
  }

  Object.assign(coopsim, { Driving, Motors, ByHand });
})();
