// A client of coopsim: plain TCP and msgpack.
//
//   const sim = await connect();
//   const { data } = await sim.ask("/robot1/sonars", 10);
//   await sim.ask("/robot1/motors", 10, [], [0.3, 0.1]);
//   sim.close();
import net from "node:net";
import { Lost, Malformed, Refused, Silent } from "./errors.js";
import { decode, framed as encode } from "./message.js";

export * from "./error_codes.js";
export * from "./errors.js";
export { decode, encode } from "./message.js";
export * from "./modules.js";
export { RawReadings, RawStepper, Rows } from "./stepping.js";

const [PING, ELSEWHERE] = [0, 207];
const [LARGEST, MOST_STATES] = [2 ** 20, 64];

/** A connection: messages, each behind its length; replies are matched by id. */
class Link {
  inbox = null; // what came of a message
  waiting = new Map(); // by id, the oldest first: resolve, reject, and when the time is over
  readers = new Map(); // of states, likewise
  states = [];
  timer = null; // one for all that wait
  problem = null;

  constructor(address, timeout) {
    const [, host, port] = /^(?:tcp:\/\/)?(.*):(\d+)$/.exec(address) ?? [];
    this.patience = 1000 * timeout;
    this.host = host;
    this.socket = net.connect({ host, port: Number(port), noDelay: true });
    this.socket.on("data", (part) => this.take(part));
    this.socket.on("error", (problem) => this.fail(new Lost(problem.message)));
    this.socket.on("close", () => this.fail(new Lost("the connection was closed")));
  }

  take(part) {
    const inbox = this.inbox ? Buffer.concat([this.inbox, part]) : part;
    let at = 0;
    while (inbox.length - at >= 4) {
      const length = inbox.readUInt32BE(at);
      if (length > LARGEST) return this.fail(new Malformed(`a length of ${length} bytes`));
      if (inbox.length - at < 4 + length) break;
      if (length > 0) this.sort(inbox.subarray(at + 4, at + 4 + length)); // an empty message is a probe
      at += 4 + length;
    }
    this.inbox = at < inbox.length ? inbox.subarray(at) : null;
  }

  sort(raw) {
    let message;
    try {
      message = decode(raw);
    } catch (problem) {
      return this.reject(problem); // whose reply it was nobody can tell
    }
    const id = Number(message.id);
    const [from] = id === 0 ? this.readers.keys() : [id];
    const waiters = id === 0 ? this.readers : this.waiting;
    const waiter = waiters.get(from);
    waiters.delete(from);
    if (waiter) waiter.resolve(message);
    else if (id === 0) this.states = [...this.states, message].slice(-MOST_STATES);
  }

  reject(problem) {
    for (const waiters of [this.waiting, this.readers]) {
      const all = [...waiters.values()];
      waiters.clear();
      for (const { reject } of all) reject(problem);
    }
  }

  fail(problem) {
    this.problem ??= problem;
    this.close();
    this.reject(this.problem);
  }

  close() {
    clearTimeout(this.timer);
    this.socket.destroy();
  }

  /** Let somebody wait as long as the time-out says. */
  wait(waiters, id, resolve, reject) {
    if (this.problem) return reject(this.problem);
    waiters.set(id, { resolve, reject, end: performance.now() + this.patience });
    this.timer ??= setTimeout(() => this.expire(), this.patience);
  }

  /** Tell those who waited too long; later ones are looked at when their time may be over. */
  expire() {
    const now = performance.now();
    let next = Infinity;
    for (const waiters of [this.waiting, this.readers]) {
      for (const [id, { reject, end }] of waiters) {
        if (end > now) {
          next = Math.min(next, end);
          break;
        }
        waiters.delete(id);
        reject(new Silent());
      }
    }
    this.timer = next < Infinity ? setTimeout(() => this.expire(), next - now + 1) : null;
  }

  exchange(id, request, run, resolve, reject) {
    const raw = encode(id, request, run);
    this.wait(this.waiting, id, resolve, reject);
    this.socket.write(raw);
  }

  state(number) {
    if (this.states.length) return Promise.resolve(this.states.shift());
    return new Promise((resolve, reject) => this.wait(this.readers, number, resolve, reject));
  }
}

/** A client of one run; `connect` makes one. Any number of requests may be under way. */
export class Client {
  run = 0;
  number = 0;
  elsewhere = new Map();

  constructor(address, timeout) {
    this.link = new Link(address, timeout);
    this.timeout = timeout;
  }

  /** Send a request and return its reply; a CoopsimError says what went wrong. */
  ask(target, command, params = [], data = []) {
    const request = { target, command, params, data };
    return new Promise((resolve, reject) => {
      if (this.elsewhere.has(target)) return this.askElsewhere(request, resolve, reject);
      const answered = (reply) => {
        if (reply.error !== ELSEWHERE || !reply.params[1]) return settle(reply, resolve, reject);
        this.elsewhere.set(target, new Link(reply.params[1].replace("0.0.0.0", this.link.host), this.timeout));
        this.askElsewhere(request, resolve, reject);
      };
      this.link.exchange(++this.number, request, this.run, answered, reject);
    });
  }

  askElsewhere(request, resolve, reject) {
    const link = this.elsewhere.get(request.target);
    const failed = (problem) => {
      // where it is gone, the next request asks where it is now
      if (!(problem instanceof Silent) && this.elsewhere.get(request.target) === link) this.elsewhere.delete(request.target);
      reject(problem);
    };
    link.exchange(++this.number, request, 0, (reply) => settle(reply, resolve, reject), failed);
  }

  /** Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, [topic])`. */
  state() {
    return this.link.state(++this.number);
  }

  /** End all connections. */
  close() {
    for (const link of [this.link, ...this.elsewhere.values()]) link.close();
  }
}

function settle(reply, resolve, reject) {
  if (reply.error) reject(new Refused(reply));
  else resolve(reply);
}

/** Connect to host:port; by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds. */
export async function connect(address = process.env.COOPSIM_TCP ?? "127.0.0.1:5571", timeout = 5) {
  const client = new Client(address, timeout);
  try {
    client.run = (await client.ask("/sim/clock", PING)).params[1] ?? 0;
  } catch (problem) {
    client.close();
    throw problem;
  }
  return client;
}
