// Messages and their bytes.
import { Decoder, Encoder } from "@msgpack/msgpack";
import { Malformed } from "./errors.js";

const VERSION = 1;
const WIDE = { useBigInt64: true }; // integers of 64 bits are read as bigint, so that none is rounded
const [encoder, decoder] = [new Encoder(WIDE), new Decoder(WIDE)];
const HALF = 2 ** 32; // from here on the library writes numbers as floats, but bigints as integers

/** Return the bytes of a message; its data as float64 back to back, which keeps every bit. */
export function encode({ id = 0, target, tick = 0, command = 0, params = [], data = [], run = 0 }) {
  const fields = [VERSION, whole(id), target, whole(tick), 0, "", whole(command), params.map(whole), floats(data)];
  return encoder.encode(run > 0 ? [...fields, whole(run)] : fields);
}

/** Return the message of some bytes; later fields are passed over. */
export function decode(raw) {
  let fields;
  try {
    fields = decoder.decode(raw);
  } catch (problem) {
    throw new Malformed(problem.message);
  }
  if (!Array.isArray(fields) || fields.length < 9 || Number(fields[0]) !== VERSION || !fits(fields)) {
    throw new Malformed("not the nine fields of a message of version 1");
  }
  const [, id, target, tick, error, text, command, params, data] = fields;
  return { id, target, tick, error: Number(error), text, command, params, data: numbers(data) };
}

function fits([, id, target, tick, error, text, command, params, data]) {
  const isWhole = (value) => typeof value === "bigint" || Number.isInteger(value);
  const isArray = Array.isArray(data) || (data instanceof Uint8Array && data.length % 8 === 0);
  return [id, tick, error, command].every(isWhole) && [target, text].every((it) => typeof it === "string") && Array.isArray(params) && isArray;
}

function whole(value) {
  return Number.isInteger(value) && Math.abs(value) >= HALF ? BigInt(value) : value;
}

function floats(values) {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, place) => view.setFloat64(8 * place, value, true));
  return new Uint8Array(view.buffer);
}

function numbers(data) {
  if (Array.isArray(data)) return data.map(Number);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return Array.from({ length: data.length / 8 }, (_, place) => view.getFloat64(8 * place, true));
}
