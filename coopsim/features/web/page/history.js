// History: the frames of the last minutes, so that a live run can be scrubbed. No browser is needed here.
"use strict";

(() => {
  const MOST_BYTES = 64e6; // a phone has room for this much, and ten robots for an hour

  class History {
    constructor(mostBytes = MOST_BYTES) {
      this.mostBytes = mostBytes;
      this.clear();
    }

    clear() {
      this.frames = [];
      this.bytes = 0;
    }

    get begin() { return this.frames.length ? this.frames[0].time : 0; }
    get end() { return this.frames.length ? this.frames[this.frames.length - 1].time : 0; }

    /** Keep a frame; where time went back, by a reset or a seek, what came before it is another story. */
    add(frame) {
      const last = this.frames[this.frames.length - 1];
      if (last && (frame.time < last.time || frame.generation !== last.generation)) this.clear();
      else if (last && frame.time === last.time) this.bytes -= size(this.frames.pop());
      this.frames.push(frame);
      this.bytes += size(frame);
      if (this.bytes > this.mostBytes) {
        const gone = this.frames.splice(0, Math.ceil(this.frames.length / 8)); // seldom, since it copies
        for (const old of gone) this.bytes -= size(old);
      }
    }

    /** Return the number of the last frame at or before a time, 0 where there is none. */
    numberAt(time) {
      let low = 0, high = this.frames.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.frames[middle].time <= time) low = middle + 1; else high = middle;
      }
      return Math.max(0, low - 1);
    }

    /** Return the frame at a time and its poses, between two frames of the same scene on the straight way. */
    at(time) {
      const number = this.numberAt(time), frame = this.frames[number], next = this.frames[number + 1];
      if (!frame) return null;
      if (!next || time <= frame.time || next.generation !== frame.generation) return { frame, poses: frame.poses };
      if (!this.between || this.between.length !== frame.poses.length) this.between = new Float32Array(frame.poses.length);
      const share = Math.min(1, (time - frame.time) / (next.time - frame.time));
      return { frame, poses: coopsim.between(frame.poses, next.poses, share, this.between) };
    }
  }

  const size = (frame) => 200 + 4 * (frame.poses.length + frame.ranges.length + frame.readings.length);

  Object.assign(coopsim, { History });
})();
