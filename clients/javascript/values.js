// Values of a reply by type and place; what is missing, or of another type, is no message.
import { Malformed } from "./errors.js";

/** @typedef {import("./coopsim.js").Message} Message */
/** @typedef {import("./coopsim.js").Value} Value */

/**
 * Return where a run begins and ends, or one of the equal parts that it is divided into.
 * @param {number} length of all values
 * @param {number} start below 0 = counted from the end
 * @param {number} count 0 = all up to `end` values at the end
 * @param {number} end
 * @param {number} part
 * @param {number} parts
 * @returns {[number, number]}
 */
function span(length, start, count, end, part, parts) {
  const first = start < 0 ? length + start : start;
  const all = count || length - end - first;
  if (first < 0 || all < 0 || first + all > length || all % parts) throw new Malformed(`a reply of ${length} values`);
  const share = all / parts;
  return [first + part * share, first + (part + 1) * share];
}

/**
 * Return a run of data.
 * @param {Message} reply
 * @param {number} start
 * @param {number} count
 * @returns {number[]}
 */
export function numbers({ data }, start, count, end = 0, part = 0, parts = 1) {
  return data.slice(...span(data.length, start, count, end, part, parts));
}

/**
 * Return a run of params.
 * @param {Message} reply
 * @param {number} start
 * @param {number} count
 * @returns {Value[]}
 */
export function values({ params }, start, count, end = 0, part = 0, parts = 1) {
  return params.slice(...span(params.length, start, count, end, part, parts));
}

/**
 * Return a run of params that are texts.
 * @param {Message} reply
 * @param {number} start
 * @param {number} count
 * @returns {string[]}
 */
export function texts(reply, start, count, end = 0, part = 0, parts = 1) {
  return values(reply, start, count, end, part, parts).map((value) => {
    if (typeof value !== "string") throw new Malformed(`${value} where a text is meant`);
    return value;
  });
}

/**
 * Return a number of the data.
 * @param {Message} reply
 * @param {number} place
 */
export function numberAt(reply, place) {
  return numbers(reply, place, 1)[0];
}

/**
 * Return a param.
 * @param {Message} reply
 * @param {number} place
 */
export function valueAt(reply, place) {
  return values(reply, place, 1)[0];
}

/**
 * Return a param that is a text.
 * @param {Message} reply
 * @param {number} place
 */
export function textAt(reply, place) {
  return texts(reply, place, 1)[0];
}

/**
 * Return a param that is a number.
 * @param {Message} reply
 * @param {number} place
 */
export function floatAt(reply, place) {
  const value = valueAt(reply, place);
  if (typeof value === "string") throw new Malformed(`${value} where a number is meant`);
  return Number(value);
}

/**
 * Return a param that is an integer; a bigint where a number would round it.
 * @param {Message} reply
 * @param {number} place
 */
export function wholeAt(reply, place) {
  const value = valueAt(reply, place);
  if (typeof value !== "bigint" && !Number.isInteger(value)) throw new Malformed(`${value} where an integer is meant`);
  return /** @type {number | bigint} */ (Number.isSafeInteger(Number(value)) ? Number(value) : value);
}
