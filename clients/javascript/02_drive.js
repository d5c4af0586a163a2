// Drives a robot in an arc, one request after the other.
import { connect } from "./coopsim.js";

const [RESET, RELEASE, SET_VELOCITY, STOP, POSE] = [14, 15, 10, 12, 10];

const sim = await connect();
await sim.ask("/sim/world", RESET);
let pose;
for (let step = 0; step < 100; step++) {
  await sim.ask("/robot1/motors", SET_VELOCITY, [], [0.4, 0.2]);
  pose = (await sim.ask("/robot1/odometry", POSE)).data;
}
await sim.ask("/robot1/motors", STOP);
const [x, y, heading] = pose.map((value) => value.toFixed(3));
console.log(`robot1 drove to x ${x} m, y ${y} m, heading ${heading} rad`);
await sim.ask("/sim/step", RELEASE);
sim.close();
