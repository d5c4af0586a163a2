// Sharpness: how many pixels are drawn, so that a machine without a graphics card moves smoothly. And whether it has one.
"use strict";

(() => {
  const MOST = 2; // pixels of the screen for each of the page: finer nobody sees
  const COARSER = [1, 0.8, 0.65, 0.5]; // shares of the sharpest; the last is coarse, but legible
  const SLOW = 38, FAST = 22; // ms between two pictures: slower ones become coarser, faster ones sharper again
  const EVERY = 12; // pictures between two looks
  const PATIENCE = 5; // looks in a row that must be fast: sharpness that comes and goes is worse than none

  class Sharpness {
    constructor(isByProcessor) {
      this.isByProcessor = isByProcessor;
      this.step = this.pictures = this.fast = 0;
      this.since = performance.now();
    }

    /** Return the pixels to draw for each of the page; called once for each picture. */
    ratio() {
      if (this.isByProcessor && ++this.pictures >= EVERY) this.look(performance.now());
      return COARSER[this.step] * Math.min(devicePixelRatio, MOST);
    }

    look(now) {
      const pause = (now - this.since) / this.pictures;
      this.fast = pause < FAST ? this.fast + 1 : 0;
      if (pause > SLOW && this.step < COARSER.length - 1) this.step += 1;
      else if (this.fast >= PATIENCE && this.step > 0) {
        this.step -= 1;
        this.fast = 0;
      }
      this.since = now;
      this.pictures = 0;
    }
  }

  /** Return by what this browser draws in space: "card", "processor", or "" where it cannot. */
  function drawnBy() {
    const pen = document.createElement("canvas").getContext("webgl2");
    if (!pen) return "";
    const facts = pen.getExtension("WEBGL_debug_renderer_info");
    const name = facts ? pen.getParameter(facts.UNMASKED_RENDERER_WEBGL) : "";
    pen.getExtension("WEBGL_lose_context").loseContext();
    return /swiftshader|llvmpipe|software/i.test(name) ? "processor" : "card";
  }

  Object.assign(coopsim, { Sharpness, drawnBy });
})();
