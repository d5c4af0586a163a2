// Wanders without a collision: in lockstep each reading is of the step that the last command made.
import { connect } from "./coopsim.js";

const [RESET, RELEASE, RANGES, SET_VELOCITY, POSE] = [14, 15, 10, 10, 10];
const STEPS = 90;

/** Return [v, w]: forward, turning to the side with more room. */
function decide(ranges) {
  const middle = Math.floor(ranges.length / 2);
  const least = (from, to) => Math.min(...ranges.slice(from, to));
  const [right, left] = [least(0, middle + 1), least(middle)];
  if (least(middle - 1, middle + 2) < 0.6) return [0.0, left >= right ? 0.8 : -0.8];
  return [0.4, (0.4 * (left - right)) / (left + right + 0.1)];
}

const sim = await connect();
await sim.ask("/sim/world", RESET);
for (let step = 1; step <= STEPS; step++) {
  const ranges = (await sim.ask("/robot1/sonars", RANGES)).data;
  await sim.ask("/robot1/motors", SET_VELOCITY, [], decide(ranges));
  if (step % 30 === 0) {
    const [x, y] = (await sim.ask("/robot1/odometry", POSE)).data;
    console.log(`step ${step}: x ${x.toFixed(3)} m, y ${y.toFixed(3)} m`);
  }
}
await sim.ask("/sim/step", RELEASE);
sim.close();
