// Steps of many robots in one message: what it takes and gives, by robot, module and name.
import { Malformed, Refused } from "./errors.js";

/** @typedef {import("./coopsim.js").Client} Client */
/** @typedef {import("./coopsim.js").Message} Message */
/** @typedef {[module: string, name: string, unit: string, start: number, count: number]} Column */
/** @typedef {Record<"takes" | "gives", Column[]> & Record<"takes_length" | "gives_length", number>} Kind */

const [STEP, LAYOUT, DO, CLAIM, RELEASE, PART] = ["/sim/step", 10, 11, 13, 15, 18];
const [STALE, PAGE] = [206, 1000];
const [MOST_ROBOTS, MOST_VALUES] = [2000, 65536]; // of one message: shorter than 1 MiB with names of 128 letters

/** The rows of some robots in a message, and where each value of a row stands. */
export class Rows {
  length = 0;
  /** @type {number[]} */
  starts = [];
  /** @type {Map<string, Map<string, Map<string, [first: number, end: number]>>>} by robot, module and name */
  spans = new Map();

  /**
   * Put the row of a robot behind all others.
   * @param {string} robot
   * @param {number} length
   * @param {Column[]} columns
   */
  add(robot, length, columns) {
    this.starts.push(this.length);
    const spans = new Map();
    for (const [module, name, , start, count] of columns) {
      if (!spans.has(module)) spans.set(module, new Map());
      spans.get(module).set(name, [this.length + start, this.length + start + count]);
    }
    this.spans.set(robot, spans);
    this.length += length;
  }

  /**
   * Return where the row of a robot begins; behind the last one is the end.
   * @param {number} robot
   */
  start(robot) {
    return this.starts[robot] ?? this.length;
  }

  /**
   * Return where a value, or a run of values, begins and ends.
   * @param {string} robot
   * @param {string} module
   * @param {string} name
   */
  span(robot, module, name) {
    const span = this.spans.get(robot)?.get(module)?.get(name);
    if (!span) throw new Malformed(`${robot} has no ${module}.${name} in a step`);
    return span;
  }
}

/** What a step gave. */
export class RawReadings {
  /**
   * @param {Message} reply
   * @param {Rows} rows
   */
  constructor(reply, rows) {
    if (reply.data.length !== rows.length) throw new Malformed(`${reply.data.length} readings instead of ${rows.length}`);
    this.tick = reply.tick;
    this.data = reply.data;
    this.rows = rows;
    this.stopped = reply.params.slice(1).map(String);
  }

  /**
   * Return one value.
   * @param {string} robot
   * @param {string} module
   * @param {string} name
   */
  number(robot, module, name) {
    return this.data[this.rows.span(robot, module, name)[0]];
  }

  /**
   * Return a run of values.
   * @param {string} robot
   * @param {string} module
   * @param {string} name
   */
  numbers(robot, module, name) {
    const [first, end] = this.rows.span(robot, module, name);
    return this.data.slice(first, end);
  }
}

/** Steps robots; the last command of one holds until there is another. `await Stepper.of(client, ...robots)` makes one. */
export class RawStepper {
  layout = { generation: 0, takes: new Rows(), gives: new Rows() };
  /** @type {number[]} */
  commands = [];
  /** @type {[first: number, end: number][]} robots that fit one message together */
  groups = [];

  /**
   * @param {Client} client
   * @param {string[]} robots
   */
  constructor(client, robots) {
    this.client = client;
    this.robots = robots;
  }

  /**
   * Claim robots and learn what a step of them takes and gives; without names all of them.
   * @template {RawStepper} T
   * @this {new (client: Client, robots: string[]) => T}
   * @param {Client} client
   * @param {string[]} robots
   * @returns {Promise<T>}
   */
  static async of(client, ...robots) {
    const stepper = new this(client, robots);
    await stepper.learn();
    for (const group of stepper.groups) await client.ask(STEP, CLAIM, stepper.robots.slice(...group));
    return stepper;
  }

  /** Ask what a step takes and gives; commands begin with 0. */
  async learn() {
    /** @type {Map<string, Kind>} */
    const kinds = new Map();
    let [count, generation] = [PAGE, 0];
    for (let first = 0; count === PAGE; first += PAGE) {
      const reply = await this.client.ask(STEP, LAYOUT, [first, PAGE]);
      const page = JSON.parse(String(reply.params[0]));
      for (const [robot, kind] of page.robots) kinds.set(robot, page.types[kind]);
      [count, generation] = [page.robots.length, page.generation];
    }
    if (this.robots.length === 0) this.robots = [...kinds.keys()];
    const [takes, gives] = [new Rows(), new Rows()];
    for (const robot of this.robots) {
      const kind = kinds.get(robot);
      if (!kind) throw new Malformed(`no robot ${robot} is in the layout of a step`);
      takes.add(robot, kind.takes_length, kind.takes);
      gives.add(robot, kind.gives_length, kind.gives);
    }
    this.layout = { generation, takes, gives };
    this.commands = new Array(takes.length).fill(0);
    this.group();
  }

  /** Put robots together that fit one message. */
  group() {
    const { takes, gives } = this.layout;
    this.groups = [];
    let first = 0;
    for (let last = 0; last < this.robots.length; last++) {
      const size = Math.max(takes.start(last + 1) - takes.start(first), gives.start(last + 1) - gives.start(first));
      if (last - first < MOST_ROBOTS && size <= MOST_VALUES) continue;
      this.groups.push([first, last]);
      first = last;
    }
    this.groups.push([first, this.robots.length]);
  }

  /**
   * Set a value, or a run of values, of the next command of a robot.
   * @param {string} robot
   * @param {string} module
   * @param {string} name
   * @param {number[]} values
   */
  put(robot, module, name, ...values) {
    const [first, end] = this.layout.takes.span(robot, module, name);
    if (values.length !== end - first) throw new RangeError(`${module}.${name} takes ${end - first} values, got ${values.length}`);
    for (let place = first; place < end; place++) this.commands[place] = values[place - first];
  }

  /** Do a step; when the scene has changed, robots begin anew with commands of 0. */
  async rawStep() {
    try {
      return await this.ask();
    } catch (problem) {
      if (!(problem instanceof Refused) || problem.number !== STALE) throw problem;
      await this.learn();
      return this.ask();
    }
  }

  /**
   * Robots that fit no message together are stepped in parts, by one tick for all.
   * @returns {Promise<Message>}
   */
  async ask() {
    const { generation, takes } = this.layout;
    if (this.groups.length === 1) return this.client.ask(STEP, DO, [generation, ...this.robots], this.commands);
    const parts = this.groups.map(([first, end]) => {
      const commands = this.commands.slice(takes.start(first), takes.start(end));
      return this.client.ask(STEP, end === this.robots.length ? DO : PART, [generation, ...this.robots.slice(first, end)], commands);
    });
    const replies = await Promise.all(parts);
    const params = [generation, ...replies.flatMap((reply) => reply.params.slice(1))];
    return { ...replies[0], params, data: replies.flatMap((reply) => reply.data) };
  }

  /** Give the robots back. */
  async close() {
    for (const group of this.groups) await this.client.ask(STEP, RELEASE, this.robots.slice(...group));
  }
}
