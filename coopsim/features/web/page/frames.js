// Frames: one tick in bytes, as `frames.py` packs them; and what lies between two of them. No browser is needed here.
"use strict";
var coopsim = globalThis.coopsim || (globalThis.coopsim = {});

(() => {
  const HEADER = 40; // bytes
  const PAUSED = 1, ENDED = 2;
  const MODES = ["", "real-time", "lockstep", "free"];

  /** Return the frame in an ArrayBuffer; throws RangeError where it is cut short. */
  function decode(buffer) {
    const head = new DataView(buffer);
    const flags = head.getUint32(20, true);
    const bodies = head.getUint32(24, true), rays = head.getUint32(28, true), readings = head.getUint32(32, true);
    const posesEnd = HEADER + 28 * bodies, rangesEnd = posesEnd + 4 * rays;
    return {
      time: head.getFloat64(0, true),
      tick: head.getFloat64(8, true),
      generation: head.getUint32(16, true),
      paused: Boolean(flags & PAUSED),
      ended: Boolean(flags & ENDED),
      mode: MODES[(flags >> 8) & 3],
      poses: new Float32Array(buffer, HEADER, 7 * bodies),
      ranges: new Float32Array(buffer, posesEnd, rays),
      readings: new Float32Array(buffer, rangesEnd, readings),
    };
  }

  /** Write the poses that lie the share `s` of the way from `a` to `b` into `out`; quaternions by the shorter way. */
  function between(a, b, s, out) {
    for (let i = 0; i < out.length; i += 7) {
      for (let k = 0; k < 3; k++) out[i + k] = a[i + k] + s * (b[i + k] - a[i + k]);
      const dot = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6];
      const sign = dot < 0 ? -1 : 1;
      let size = 0;
      for (let k = 3; k < 7; k++) {
        const value = (1 - s) * a[i + k] + s * sign * b[i + k];
        out[i + k] = value;
        size += value * value;
      }
      size = Math.sqrt(size) || 1;
      for (let k = 3; k < 7; k++) out[i + k] /= size;
    }
    return out;
  }

  /** Return the heading of a pose, x y z and quaternion w x y z [rad]. */
  const headingOf = (pose) => Math.atan2(2 * (pose[3] * pose[6] + pose[4] * pose[5]), 1 - 2 * (pose[5] ** 2 + pose[6] ** 2));

  Object.assign(coopsim, { decode, between, headingOf });
})();
