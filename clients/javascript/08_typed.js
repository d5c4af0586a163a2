// Drives three robots by names: commands, readings, parameters and refusals as this language has them.
import { connect, ErrorCode, Odometry, Refused, Sonars, Stepper, World } from "./coopsim.js";

const ROBOTS = ["robot1", "robot2", "robot3"];

const sim = await connect();
await new World(sim).reset();
const stepper = await Stepper.of(sim, ...ROBOTS);
let seen;
let step = 0;
do {
  ROBOTS.forEach((robot, index) => stepper.setDifferentialDrive(robot, { v: 0.1 * (index + 1), w: 0.05 }));
  seen = await stepper.step();
} while (++step < 40);
for (const robot of ROBOTS) {
  const [nearest, speed] = [Math.min(...seen.sonars(robot).ranges), seen.differentialDrive(robot).v];
  console.log(`${robot}: nearest ${nearest.toFixed(3)} m, speed ${speed.toFixed(3)} m/s`);
}
await stepper.close();
const pose = await new Odometry(sim, "/robot3/odometry").pose();
console.log(`robot3 is at x ${pose.x.toFixed(3)} m, y ${pose.y.toFixed(3)} m`);
const sonars = new Sonars(sim, "/robot1/sonars");
const reach = await sonars.getReach();
console.log(`reach was ${reach.toFixed(1)} m, is ${(await sonars.setReach(2.0)).toFixed(1)} m`);
await sonars.setReach(reach);
try {
  await new Sonars(sim, "/robotX/sonars").ranges();
} catch (problem) {
  if (!(problem instanceof Refused)) throw problem;
  console.log(`refused: no such name ${problem.number === ErrorCode.NO_SUCH_NAME}`);
}
sim.close();
