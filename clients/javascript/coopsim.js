// A client of coopsim: plain TCP in Node, WebSockets in pages, and msgpack.
//
//   const sim = await connect();
//   const { data } = await sim.ask("/robot1/sonars", 10);
//   await sim.ask("/robot1/motors", 10, [], [0.3, 0.1]);
//   sim.close();
import { MessageSocket, usualAddress } from "#socket";
import { Lost, Malformed, Refused, Silent } from "./errors.js";
import { decode, framed as encode, LARGEST } from "./message.js";

export * from "./error_codes.js";
export * from "./errors.js";
export { eventsOf, stateOf } from "./events.js";
export { decode, encode } from "./message.js";
export * from "./modules.js";
export { RawReadings, RawStepper, Rows } from "./stepping.js";
export { keys } from "#socket";

const [PING, ELSEWHERE, WRONG_RUN] = [0, 207, 208];
const MOST_STATES = 64;

/** A connection: replies are matched by id. */
class Link {
  waiting = new Map(); // by id, the oldest first: resolve, reject, and when the time is over
  readers = new Map(); // of states, likewise
  states = [];
  timer = null; // one for all that wait
  next = Infinity; // when it looks at them
  problem = null;

  constructor(address, timeout, keys) {
    this.patience = 1000 * timeout;
    this.socket = new MessageSocket(address, keys, (raw) => this.sort(raw), (problem) => this.fail(problem));
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
    this.socket.end();
  }

  /** Let somebody wait as long as the time-out says, or until a signal is aborted. */
  wait(waiters, id, resolve, reject, { timeout, signal }) {
    if (this.problem) return reject(this.problem);
    if (signal) [resolve, reject] = this.heeding(signal, waiters, id, resolve, reject);
    if (signal?.aborted) return reject(signal.reason);
    const end = performance.now() + (timeout === undefined ? this.patience : 1000 * timeout);
    waiters.set(id, { resolve, reject, end });
    if (end < this.next) this.wakeAt(end);
  }

  /** Return what listens no longer to a signal once somebody has what it waited for. */
  heeding(signal, waiters, id, resolve, reject) {
    const settled = (settle) => (value) => {
      signal.removeEventListener("abort", aborted);
      settle(value);
    };
    const aborted = () => {
      waiters.delete(id); // a reply that comes later goes by
      reject(signal.reason);
    };
    signal.addEventListener("abort", aborted, { once: true });
    return [settled(resolve), settled(reject)];
  }

  wakeAt(time) {
    clearTimeout(this.timer);
    this.next = time;
    this.timer = time < Infinity ? setTimeout(() => this.expire(), time - performance.now() + 1) : null;
  }

  /** Tell those who waited too long; later ones are looked at when their time may be over. */
  expire() {
    const now = performance.now();
    let next = Infinity;
    for (const waiters of [this.waiting, this.readers]) {
      for (const [id, { reject, end }] of waiters) {
        if (end > now) {
          next = Math.min(next, end);
          continue;
        }
        waiters.delete(id);
        reject(new Silent());
      }
    }
    this.wakeAt(next);
  }

  /** Write a request and wait for its reply; what nobody reads is not heaped up. */
  exchange(id, request, run, resolve, reject, options) {
    const raw = encode(id, request, run);
    if (this.socket.backlog > 4 * LARGEST) return reject(new Lost("nobody reads what is sent"));
    this.wait(this.waiting, id, resolve, reject, options);
    this.socket.write(raw);
  }

  state(number, options) {
    if (this.states.length) return Promise.resolve(this.states.shift());
    return new Promise((resolve, reject) => this.wait(this.readers, number, resolve, reject, options));
  }
}

/** A client of one run; `connect` makes one. Any number of requests may be under way. */
export class Client {
  run = 0;
  options = {};
  shared = { number: 0, elsewhere: new Map() }; // with what `within` returns

  constructor(address, timeout, keys) {
    Object.assign(this.shared, { address, timeout, keys, link: new Link(address, timeout, keys) });
  }

  /** Return this client with a time-out, or a signal that ends requests, for whatever is asked through it. */
  within(options) {
    return Object.assign(Object.create(this), { options: { ...this.options, ...options } });
  }

  /** Send a request and return its reply; a CoopsimError says what went wrong. */
  ask(target, command, params = [], data = [], options = this.options) {
    const request = { target, command, params, data };
    const { link, elsewhere, timeout, keys } = this.shared;
    return new Promise((resolve, reject) => {
      if (elsewhere.has(target)) return this.askElsewhere(request, resolve, reject, options);
      const answered = (reply) => {
        if (reply.error !== ELSEWHERE || !reply.params[1]) return settle(reply, resolve, reject);
        const address = reply.params[1].replace("0.0.0.0", link.socket.host);
        elsewhere.set(target, new Link(address, timeout, address.startsWith("tls://") ? keys : undefined));
        this.askElsewhere(request, resolve, reject, options);
      };
      link.exchange(++this.shared.number, request, this.run, answered, reject, options);
    });
  }

  askElsewhere(request, resolve, reject, options) {
    const { elsewhere } = this.shared;
    const link = elsewhere.get(request.target);
    const failed = (problem) => {
      // where it is gone, the next request asks where it is now
      if ((problem instanceof Lost || problem instanceof Malformed) && elsewhere.get(request.target) === link) elsewhere.delete(request.target);
      reject(problem);
    };
    link.exchange(++this.shared.number, request, 0, (reply) => settle(reply, resolve, reject), failed, options);
  }

  /** Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, [topic])`. */
  state(options = this.options) {
    return this.shared.link.state(++this.shared.number, options);
  }

  /** Connect anew, to the same run; Refused with 208 when another one is there, which `connect` may drive. */
  async reconnect() {
    this.close();
    const { address, timeout, keys, elsewhere } = this.shared;
    elsewhere.clear();
    this.shared.link = new Link(address, timeout, keys);
    const there = await runOf(this);
    if (there === this.run) return;
    this.close();
    throw new Refused({ error: WRONG_RUN, text: `another run is at ${address}`, params: [there] });
  }

  /** End all connections. */
  close() {
    for (const link of [this.shared.link, ...this.shared.elsewhere.values()]) link.fail(new Lost("the client was closed"));
  }
}

/** Learn the run: from now on another one refuses what is meant for this one. */
async function runOf(client) {
  const anyRun = Object.assign(Object.create(client), { run: 0 });
  try {
    return (await anyRun.ask("/sim/clock", PING)).params[1] ?? 0;
  } catch (problem) {
    client.close();
    throw problem;
  }
}

function settle(reply, resolve, reject) {
  if (reply.error) reject(new Refused(reply));
  else resolve(reply);
}

/**
 * Connect to host:port; by default what COOPSIM_TCP says, or 127.0.0.1:5571, in pages 127.0.0.1:5573. Time-out in seconds.
 * A server with keys takes `keys(own, server)`.
 */
export async function connect(address = usualAddress(), timeout = 5, keys = undefined) {
  const client = new Client(address, timeout, keys);
  client.run = await runOf(client);
  return client;
}
