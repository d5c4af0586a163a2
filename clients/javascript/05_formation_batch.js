// Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
import { connect } from "./coopsim.js";

const [RESET, LAYOUT, STEP, CLAIM, RELEASE, POSE] = [14, 10, 11, 13, 15, 10];
const ROBOTS = ["robot1", "robot2", "robot3"];
const STEPS = 60;

const sim = await connect();
await sim.ask("/sim/world", RESET);
const lengths = (await sim.ask("/sim/step", LAYOUT)).data;
await sim.ask("/sim/step", CLAIM, ROBOTS);
let readings;
for (let step = 0; step < STEPS; step++) {
  const turn = step % 80 < 40 ? 0.25 : -0.25;
  const commands = [0.25, 0.3125, 0.375].flatMap((v) => [v, turn]);
  readings = (await sim.ask("/sim/step", STEP, [0, ...ROBOTS], commands)).data;
}
console.log(`${readings.length} readings a step, ${lengths[1]} of each robot`);
for (const name of ROBOTS) {
  const [x, y] = (await sim.ask(`/${name}/odometry`, POSE)).data;
  console.log(`${name}: x ${x.toFixed(3)} m, y ${y.toFixed(3)} m`);
}
await sim.ask("/sim/step", RELEASE);
sim.close();
