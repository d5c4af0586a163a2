// Sees every state of a robot without asking for it.
import { connect } from "./coopsim.js";

const [RESET, SUBSCRIBE, CLAIM, STEP, RELEASE] = [14, 11, 13, 11, 15];
const FIRST_NAME = 8; // of the params of a state; the values of the body follow the time

const sim = await connect();
await sim.ask("/sim/world", RESET);
await sim.ask("/sim/step", CLAIM, ["robot1"]);
await sim.ask("/sim/info", SUBSCRIBE, ["/robot1"]);
for (let number = 1; number <= 50; number++) {
  const { tick } = await sim.ask("/sim/step", STEP, [0, "robot1"], [0.4, 0.1]);
  let state = await sim.state();
  while (state.tick < tick) state = await sim.state();
  if (number % 10 === 0) {
    const [x, y] = state.data.slice(1, 3).map((value) => value.toFixed(3));
    console.log(`step ${number}: ${state.params[FIRST_NAME]} is at x ${x} m, y ${y} m`);
  }
}
await sim.ask("/sim/step", RELEASE);
sim.close();
