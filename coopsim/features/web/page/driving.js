// Driving: keys, a stick on the screen, or a gamepad command the selected robot's motors.
"use strict";

(() => {
  const EVERY = 100; // ms between two commands; a robot whose driver is gone stops by the rules of its run
  const SPEED = 0.5, TURN = 1.2; // m/s and rad/s at the end of the stick
  const DEAD = 0.15; // of the way of a gamepad's stick, which never rests quite at 0
  const KEYS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1], w: [1, 0], s: [-1, 0], a: [0, 1], d: [0, -1] };
  const $ = (id) => document.getElementById(id);

  class Driving {
    constructor(app) {
      this.app = app;
      this.pressed = new Set();
      this.stick = [0, 0];
      this.target = null;
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

    /** Say which motors the selected robot has, null = none. */
    async offer(target) {
      if (this.isOn && target !== this.target) await this.switch(false);
      this.target = target;
      $("drive").hidden = !target;
    }

    /** Begin or end to drive; meanwhile nobody else commands the robot. */
    async switch(isOn) {
      const wanted = isOn && Boolean(this.target), { source } = this.app, robot = this.robot;
      if (wanted === this.isOn) return;
      if (wanted && await this.app.try(source.ask({ do: "claim", robot }).then(() => true)) === undefined) return;
      if (!wanted && this.isMoving) await this.send(0, 0);
      this.isOn = wanted;
      this.isMoving = false;
      if (!wanted) source.ask({ do: "release", robot }).catch(() => {}); // it is free when the connection ends, too
      this.pressed.clear();
      $("drive").setAttribute("aria-pressed", String(this.isOn));
      $("stick").hidden = !this.isOn;
      if (this.isOn) $("view").focus();
    }

    get robot() { return this.target && this.target.slice(1, this.target.lastIndexOf("/")); }

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
        await this.app.source.call(this.target, "set_velocity", v, w);
      } catch (problem) {
        this.app.notice(problem.message);
        this.isMoving = false;
        this.switch(false);
      }
      this.isSending = false;
      const next = this.waiting.shift();
      if (next && this.target) this.send(...next);
      else this.waiting = [];
    }

    /** Keep a velocity for later: the newest alone, but a stop lets what was to be driven before it happen. */
    keep(velocity) {
      const isTap = this.waiting.length === 1 && this.waiting[0].some(Boolean) && !velocity.some(Boolean);
      this.waiting = isTap ? [this.waiting[0], velocity] : [...this.waiting.slice(0, this.waiting.length - 1), velocity];
    }
  }

  Object.assign(coopsim, { Driving });
})();
