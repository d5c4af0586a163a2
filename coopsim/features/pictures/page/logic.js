"use strict";
// what the page computes, without the page: it can be run by itself
const logic = (() => {
  // arrays travel as base64 of their little-endian bytes
  function decode(text, Kind) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Kind(bytes.buffer);
  }

  // the last picture at or before a time, 0 when all are later
  function frameAt(times, time) {
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  const turned = (from, to) => from + Math.atan2(Math.sin(to - from), Math.cos(to - from));

  // x, y, heading of a moving body at a time, between two pictures on the straight way; null when it is not there
  function poseAt(scene, row, time) {
    const frame = frameAt(scene.times, time), at = 3 * (frame * scene.moving + row), poses = scene.poses;
    const x = poses[at], y = poses[at + 1], heading = poses[at + 2];
    if (Number.isNaN(x)) return null;
    const next = at + 3 * scene.moving, gap = scene.times[frame + 1] - scene.times[frame];
    if (frame + 1 >= scene.times.length || !(gap > 0) || Number.isNaN(poses[next])) return [x, y, heading];
    const share = Math.min(1, Math.max(0, (time - scene.times[frame]) / gap));
    if (Math.hypot(poses[next] - x, poses[next + 1] - y) > 5 * gap + 0.2) return [x, y, heading]; // it was put elsewhere
    return [x + share * (poses[next] - x), y + share * (poses[next + 1] - y),
      heading + share * (turned(heading, poses[next + 2]) - heading)];
  }

  // whether an entity is there in a picture; spans are [first picture, picture after the last]
  const isThere = (entity, frame) => entity.spans.some(([from, to]) => from <= frame && frame < to);

  // distance between two moving bodies in every picture
  function distances(scene, row, other) {
    const found = new Float32Array(scene.times.length), poses = scene.poses, wide = 3 * scene.moving;
    for (let k = 0; k < found.length; k++) {
      const a = k * wide + 3 * row, b = k * wide + 3 * other;
      found[k] = Math.hypot(poses[a] - poses[b], poses[a + 1] - poses[b + 1]);
    }
    return found;
  }

  // one column of a table that is stored picture after picture
  function column(table, wide, index) {
    const found = new Float32Array(wide ? table.length / wide : 0);
    for (let k = 0; k < found.length; k++) found[k] = table[k * wide + index];
    return found;
  }

  // a round step so that about `most` of them fill `span`
  function niceStep(span, most) {
    const rough = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough || 1));
    return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough * 0.999) || power;
  }

  function range(columns) {
    let low = Infinity, high = -Infinity;
    for (const values of columns)
      for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    if (low > high) return [0, 1];
    if (high - low < 1e-9) { const room = Math.abs(high) * 0.1 || 0.5; return [low - room, high + room]; }
    const room = 0.06 * (high - low);
    return [low >= 0 && low < 0.35 * high ? 0 : low - room, high + room];
  }

  // a colour that is seen on the floor: on a dark one dark colours become lighter
  function seen(color, isDark) {
    const light = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
    if (!isDark || light > 0.25) return color;
    const share = (0.25 - light) / 0.25 * 0.6 + 0.15;
    return color.map((c) => c + share * (1 - c));
  }

  const seconds = (time) => `${(Math.round(time * 100) / 100).toFixed(2)} s`;

  return { decode, frameAt, poseAt, isThere, distances, column, niceStep, range, seconds, seen, turned };
})();
if (typeof module !== "undefined") module.exports = logic;
