// Asks what is there, and for something that is not.
import { connect, Refused } from "./coopsim.js";

const LIST = 10;

const sim = await connect();
const [kind] = (await sim.ask("/robot1/motors", 0)).params;
console.log(`/robot1/motors is a ${kind}`);
for (const name of (await sim.ask("/sim/names", LIST, ["/robot1/"])).params) console.log(name);
try {
  await sim.ask("/robotX/motors", 0);
} catch (problem) {
  if (!(problem instanceof Refused)) throw problem;
  console.log(`refused with ${problem.number}`);
}
sim.close();
