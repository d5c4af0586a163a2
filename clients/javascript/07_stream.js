// Sees every state of a robot without asking for it.
import { connect, stateOf } from "./coopsim.js";

const [RESET, SUBSCRIBE, CLAIM, STEP, RELEASE] = [14, 11, 13, 11, 15];

const sim = await connect();
await sim.ask("/sim/world", RESET);
await sim.ask("/sim/step", CLAIM, ["robot1"]);
await sim.ask("/sim/info", SUBSCRIBE, ["/robot1"]);
for (let number = 1; number <= 50; number++) {
  const { tick } = await sim.ask("/sim/step", STEP, [0, "robot1"], [0.4, 0.1]);
  let state = stateOf(await sim.state());
  while (state.tick < tick) state = stateOf(await sim.state());
  if (number % 10 === 0) {
    for (const [name, [x, y]] of state.poses) console.log(`step ${number}: ${name} is at x ${x.toFixed(3)} m, y ${y.toFixed(3)} m`);
  }
}
await sim.ask("/sim/step", RELEASE);
sim.close();
