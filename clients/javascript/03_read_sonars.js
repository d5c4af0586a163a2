// Reads the distances around a robot, and changes how far it sees.
import { connect } from "./coopsim.js";

const [RESET, RANGES, GET_PARAMETER, SET_PARAMETER] = [14, 10, 2, 3];

const sim = await connect();
await sim.ask("/sim/world", RESET);
const { data } = await sim.ask("/robot1/sonars", RANGES);
console.log("ranges", data.map((distance) => distance.toFixed(3)).join(" "));
const [reach] = (await sim.ask("/robot1/sonars", GET_PARAMETER, ["reach"])).params;
const [changed] = (await sim.ask("/robot1/sonars", SET_PARAMETER, ["reach", 2.0])).params;
console.log(`reach was ${reach.toFixed(1)} m, is ${changed.toFixed(1)} m`);
await sim.ask("/robot1/sonars", SET_PARAMETER, ["reach", reach]);
sim.close();
