// A client of coopsim: plain TCP and msgpack.
//
//   const sim = await connect();
//   const { data } = await sim.ask("/robot1/sonars", 10);
//   await sim.ask("/robot1/motors", 10, [], [0.3, 0.1]);
//   sim.close();
import net from "node:net";
import { Lost, Malformed, Refused, Silent } from "./errors.js";
import { decode, encode } from "./message.js";

export * from "./errors.js";
export { decode, encode };

const [PING, ELSEWHERE] = [0, 207];
const [LARGEST, MOST_STATES] = [2 ** 20, 64];

/** A connection: messages, each behind its length; replies are matched by id. */
class Link {
  inbox = Buffer.alloc(0);
  waiting = new Map(); // by id: what to call with a reply or an error
  states = [];
  readers = []; // of states
  problem = null;

  constructor(address, timeout) {
    const [, host, port] = /^(?:tcp:\/\/)?(.*):(\d+)$/.exec(address) ?? [];
    this.timeout = timeout;
    this.host = host;
    this.socket = net.connect({ host, port: Number(port), noDelay: true });
    this.socket.on("data", (part) => this.take(part));
    this.socket.on("error", (problem) => this.fail(new Lost(problem.message)));
    this.socket.on("close", () => this.fail(new Lost("the connection was closed")));
  }

  take(part) {
    this.inbox = this.inbox.length ? Buffer.concat([this.inbox, part]) : part;
    while (this.inbox.length >= 4) {
      const length = this.inbox.readUInt32BE();
      if (length > LARGEST) return this.fail(new Malformed(`a length of ${length} bytes`));
      if (this.inbox.length < 4 + length) return;
      const raw = this.inbox.subarray(4, 4 + length);
      this.inbox = this.inbox.subarray(4 + length);
      if (length > 0) this.sort(raw); // an empty message is a probe
    }
  }

  sort(raw) {
    let message;
    try {
      message = decode(raw);
    } catch (problem) {
      return this.reject(problem); // whose reply it was nobody can tell
    }
    if (Number(message.id) !== 0) return this.waiting.get(Number(message.id))?.resolve(message);
    const reader = this.readers.shift();
    if (reader) return reader.resolve(message);
    this.states = [...this.states, message].slice(-MOST_STATES);
  }

  reject(problem) {
    for (const { reject } of [...this.waiting.values(), ...this.readers.splice(0)]) reject(problem);
  }

  fail(problem) {
    this.problem ??= problem;
    this.socket.destroy();
    this.reject(this.problem);
  }

  /** Wait for what `register` is called back for, at most as long as the time-out says. */
  wait(register, forget) {
    return new Promise((resolve, reject) => {
      if (this.problem) return reject(this.problem);
      const timer = setTimeout(() => done(reject)(new Silent()), 1000 * this.timeout);
      const done = (settle) => (value) => {
        clearTimeout(timer);
        forget();
        settle(value);
      };
      register({ resolve: done(resolve), reject: done(reject) });
    });
  }

  exchange(request) {
    return this.wait(
      (waiter) => {
        this.waiting.set(request.id, waiter);
        const raw = encode(request);
        const framed = Buffer.allocUnsafe(4 + raw.length);
        framed.writeUInt32BE(raw.length);
        framed.set(raw, 4);
        this.socket.write(framed);
      },
      () => this.waiting.delete(request.id),
    );
  }

  async state() {
    if (this.states.length) return this.states.shift();
    let reader;
    return this.wait(
      (waiter) => this.readers.push((reader = waiter)),
      () => (this.readers = this.readers.filter((it) => it !== reader)),
    );
  }
}

/** A client of one run; `connect` makes one. Any number of requests may be under way. */
class Client {
  run = 0;
  number = 0;
  elsewhere = new Map();

  constructor(address, timeout) {
    this.link = new Link(address, timeout);
    this.timeout = timeout;
  }

  /** Send a request and return its reply; a CoopsimError says what went wrong. */
  async ask(target, command, params = [], data = []) {
    const request = { target, command, params, data };
    let reply;
    if (!this.elsewhere.has(target)) {
      reply = await this.link.exchange({ ...request, id: ++this.number, run: this.run });
      if (reply.error !== ELSEWHERE || !reply.params[1]) return checked(reply);
      this.elsewhere.set(target, new Link(reply.params[1].replace("0.0.0.0", this.link.host), this.timeout));
    }
    return checked(await this.elsewhere.get(target).exchange({ ...request, id: ++this.number }));
  }

  /** Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, [topic])`. */
  state() {
    return this.link.state();
  }

  /** End all connections. */
  close() {
    for (const link of [this.link, ...this.elsewhere.values()]) link.socket.destroy();
  }
}

function checked(reply) {
  if (reply.error) throw new Refused(reply);
  return reply;
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
