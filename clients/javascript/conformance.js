// Answers the lines of docs/conformance.md, for `coopsim conformance client`.
import readline from "node:readline";
import { connect, decode, encode, keys, Lost, Malformed, Refused, Silent, Stepper } from "./coopsim.js";

let sim = null;
let using = "main";
const clients = new Map();

const commands = {
  decode(raw) {
    const { id, target, tick, error, text, command, params, data } = decode(Buffer.from(raw, "hex"));
    return ["message", ...[id, target, tick, error, text, command].map(integer), list(params), floats(data)];
  },
  encode(id, target, tick, command, params, data, run) {
    const [fields, all] = [{ id, target, tick, command, run }, { params: values(params), data: values(data).map(Number) }];
    for (const [name, text] of Object.entries(fields)) all[name] = value(text);
    return ["bytes", Buffer.from(encode(all)).toString("hex")];
  },
  async connect(address, seconds) {
    sim?.close();
    sim = null;
    sim = await connect(address, Number(seconds));
    return ["connected", integer(sim.run)];
  },
  async tls(address, seconds, own, server) {
    sim?.close();
    sim = null;
    sim = await connect(address, Number(seconds), await keys(own, server));
    return ["connected", integer(sim.run)];
  },
  async reconnect() {
    await connected().reconnect();
    return ["connected", integer(sim.run)];
  },
  use(name) {
    clients.set(using, sim);
    using = name;
    sim = clients.get(name) ?? null;
    return ["using", name];
  },
  async ask(target, command, params, data) {
    return told("reply", await connected().ask(value(target), value(command), values(params), values(data)));
  },
  async within(seconds, target, command, params, data) {
    const client = connected().within({ timeout: Number(seconds) });
    return told("reply", await client.ask(value(target), value(command), values(params), values(data)));
  },
  async time(count, target, command, params, data) {
    const request = [value(target), value(command), values(params), values(data)];
    const began = performance.now();
    for (let left = Number(count); left > 0; left--) await connected().ask(...request);
    return ["time", floats([(performance.now() - began) / 1000])];
  },
  async steps(count, robots) {
    const names = values(robots);
    const stepper = await Stepper.of(connected(), ...names);
    const began = performance.now();
    for (let left = Number(count); left > 0; left--) {
      for (const name of names) stepper.setDifferentialDrive(name, { v: 0.25, w: 0.125 });
      const seen = await stepper.step();
      for (const name of names) {
        if (!seen.sonars(name).ranges.length || seen.differentialDrive(name).v > 1) throw new Malformed(`${name} sees nothing, or is too fast`);
      }
    }
    const seconds = (performance.now() - began) / 1000;
    await stepper.close();
    return ["time", floats([seconds])];
  },
  async state() {
    const state = await connected().state();
    return ["state", integer(state.target), ...told("", state).slice(1)];
  },
  close() {
    sim?.close();
    sim = null;
    return ["closed"];
  },
};

function connected() {
  if (!sim) throw new Lost("there is no connection");
  return sim;
}

const told = (word, { tick, params, data }) => [word, integer(tick), list(params), floats(data)];

function bits(number) {
  const raw = Buffer.alloc(8);
  raw.writeDoubleBE(number);
  return raw.toString("hex");
}

/** Of what is known to be an integer or a text. */
const integer = (it) => (typeof it === "string" ? `s:${Buffer.from(it).toString("hex")}` : `i:${it}`);

/** Of params: JavaScript does not tell 3.0 from 3. */
const untyped = (it) => (typeof it === "number" ? `n:${bits(it)}` : integer(it));

const list = (values) => values.map(untyped).join(" ");
const floats = (values) => values.map((it) => `f:${bits(it)}`).join(" ");

function value(text) {
  const rest = text.slice(2);
  if (text[0] === "s") return Buffer.from(rest, "hex").toString();
  if (text[0] === "f") return Buffer.from(rest, "hex").readDoubleBE();
  return Number.isSafeInteger(Number(rest)) ? Number(rest) : BigInt(rest);
}

const values = (text) => text.split(" ").filter(Boolean).map(value);

function failure(problem) {
  if (problem instanceof Refused) return ["refused", `i:${problem.number}`, list(problem.params), problem.message];
  const kinds = { silent: Silent, lost: Lost, malformed: Malformed };
  const word = Object.keys(kinds).find((name) => problem instanceof kinds[name]);
  return [word ?? "failed", problem.message];
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split("\t");
  try {
    console.log((word in commands ? await commands[word](...rest) : ["unsupported"]).join("\t"));
  } catch (problem) {
    console.log(failure(problem).join("\t"));
  }
}
process.exit(0);
