// Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.
import { connect, Refused } from "./coopsim.js";

const [PAUSE, SEEK, POSE, SET_VELOCITY] = [13, 14, 10, 10];

const sim = await connect();
await sim.ask("/sim/playback", PAUSE);
for (const moment of [1.0, 2.0, 0.5]) {
  const [shown] = (await sim.ask("/sim/playback", SEEK, [], [moment])).data;
  const [x, y] = (await sim.ask("/robot1/odometry", POSE)).data;
  console.log(`${shown.toFixed(2)} s: x ${x.toFixed(3)} m, y ${y.toFixed(3)} m`);
}
try {
  await sim.ask("/robot1/motors", SET_VELOCITY, [], [0.3, 0.0]);
} catch (problem) {
  if (!(problem instanceof Refused)) throw problem;
  console.log(`refused with ${problem.number}`);
}
sim.close();
