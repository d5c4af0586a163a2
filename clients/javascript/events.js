// Events and states: messages with id 0, which come once somebody subscribed.
import { Malformed } from "./errors.js";
import { numberAt, textAt, wholeAt } from "./values.js";

/** @typedef {import("./coopsim.js").Message} Message */

/**
 * What a program, or the simulation, published; a number that is left out is an event that was lost.
 * @typedef {{ number: number, topic: string, source: string, text: string, tick: number | bigint, data: number[] }} Event
 */

/**
 * A state of the stream; a pose is x y z and a quaternion w x y z.
 * @typedef {object} State
 * @property {string} topic
 * @property {number | bigint} tick
 * @property {number} time
 * @property {number | bigint} run
 * @property {number | bigint} generation
 * @property {number | bigint} revision
 * @property {string} mode
 * @property {boolean} isPaused
 * @property {boolean} hasEnded
 * @property {Map<string, number[]>} poses by body
 * @property {Map<string, number[]>} readings by robot
 */

const [PARAMS_OF_EVENT, FIRST_NAME, POSE] = [5, 8, 7];

/**
 * Return a function that returns the next values of a message, so many.
 * @param {Message} message
 * @param {number} behind
 */
function runs({ data }, behind) {
  /** @param {number} count */
  return (count) => {
    if (count < 0 || count > data.length - behind) throw new Malformed(`${count} values where ${data.length - behind} are left`);
    behind += count;
    return data.slice(behind - count, behind);
  };
}

/**
 * Return the events of a message that `state` brought from /sim/events.
 * @param {Message} message
 * @returns {Event[]}
 */
export function eventsOf(message) {
  const [first, next] = [Number(wholeAt(message, 0)), runs(message, 0)];
  const events = [];
  for (let place = 1; place < message.params.length; place += PARAMS_OF_EVENT) {
    const [topic, source, text] = [0, 1, 2].map((offset) => textAt(message, place + offset));
    const [tick, count] = [wholeAt(message, place + 3), Number(wholeAt(message, place + 4))];
    events.push({ number: first + events.length, topic, source, text, tick, data: next(count) });
  }
  return events;
}

/**
 * Return the state that a message tells which `state` brought.
 * @param {Message} message
 * @returns {State}
 */
export function stateOf(message) {
  const [bodies, robots] = [Number(wholeAt(message, 6)), Number(wholeAt(message, 7))];
  if (bodies < 0 || robots < 0 || message.params.length !== FIRST_NAME + bodies + 2 * robots) {
    throw new Malformed(`a state with ${message.params.length} params for ${bodies} bodies and ${robots} robots`);
  }
  const [time, next] = [numberAt(message, 0), runs(message, 1)];
  const [poses, readings] = [new Map(), new Map()];
  const firstRobot = FIRST_NAME + bodies;
  for (let place = FIRST_NAME; place < firstRobot; place++) poses.set(textAt(message, place), next(POSE));
  for (let place = firstRobot; place < firstRobot + robots; place++) {
    readings.set(textAt(message, place), next(Number(wholeAt(message, place + robots))));
  }
  const [run, generation, revision] = [0, 1, 2].map((place) => wholeAt(message, place));
  const [isPaused, hasEnded] = [4, 5].map((place) => wholeAt(message, place) === 1);
  const { target: topic, tick } = message;
  return { topic, tick, time, run, generation, revision, mode: textAt(message, 3), isPaused, hasEnded, poses, readings };
}
