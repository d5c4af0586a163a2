// Messages and their bytes.
import { Decoder, Encoder } from "@msgpack/msgpack";
import { Malformed } from "./errors.js";

/** Most bytes of a message. */
export const LARGEST = 2 ** 20;
const VERSION = 1;
const WIDE = { useBigInt64: true }; // integers of 64 bits are read as bigint, so that none is rounded
const [encoder, decoder] = [new Encoder(WIDE), new Decoder(WIDE)];
const NOTHING = new Uint8Array(0);
const HALF = 2 ** 32; // from here on the library writes numbers as floats, but bigints as integers

/** Return the bytes of a message; its data as float64 back to back, which keeps every bit. */
export function encode({ id = 0, run = 0, ...request }) {
  return framed(id, request, run).subarray(4);
}

/** Return the bytes of a message behind their length. */
export function framed(id, { target, tick = 0, command = 0, params = [], data = [] }, run) {
  const fields = [VERSION, whole(id), target, whole(tick), 0, "", whole(command), params.map(whole), floats(data)];
  if (run > 0) fields.push(whole(run));
  const raw = encoder.encodeSharedRef(fields); // good until the next one is made
  const bytes = roomFor(4 + raw.length);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, raw.length);
  bytes.set(raw, 4);
  return bytes;
}

/** Return memory of a size: Node hands it out of a pool, in a fifth of the time. */
function roomFor(size) {
  return typeof Buffer === "undefined" ? new Uint8Array(size) : Buffer.allocUnsafe(size);
}

/** Return the message of some bytes; later fields are passed over. */
export function decode(raw) {
  let fields;
  try {
    fields = decoder.decode(raw);
  } catch (problem) {
    throw new Malformed(problem.message);
  }
  if (!Array.isArray(fields) || fields.length < 9 || !isWhole(fields[0]) || Number(fields[0]) !== VERSION || !fits(fields)) {
    throw new Malformed("not the nine fields of a message of version 1");
  }
  const [, id, target, tick, error, text, command, params, data] = fields;
  return { id, target, tick, error: Number(error), text, command, params, data: numbers(data) };
}

function fits([, id, target, tick, error, text, command, params, data]) {
  const areData = Array.isArray(data) ? data.every(isNumber) : data instanceof Uint8Array && data.length % 8 === 0;
  const areTexts = typeof target === "string" && typeof text === "string";
  const areParams = Array.isArray(params) && params.every((param) => typeof param === "string" || isNumber(param));
  return areData && areTexts && areParams && isWhole(id) && isWhole(tick) && isWhole(error) && isWhole(command);
}

function isWhole(value) {
  return (typeof value === "bigint" || Number.isInteger(value)) && value >= 0;
}

function isNumber(value) {
  return typeof value === "number" || typeof value === "bigint";
}

function whole(value) {
  return Number.isInteger(value) && Math.abs(value) >= HALF ? BigInt(value) : value;
}

function floats(values) {
  if (values.length === 0) return NOTHING;
  const raw = new Uint8Array(8 * values.length);
  const view = new DataView(raw.buffer);
  for (let place = 0; place < values.length; place++) view.setFloat64(8 * place, values[place], true);
  return raw;
}

function numbers(data) {
  if (Array.isArray(data)) return data.map(Number);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const values = new Array(data.length / 8);
  for (let place = 0; place < values.length; place++) values[place] = view.getFloat64(8 * place, true);
  return values;
}
