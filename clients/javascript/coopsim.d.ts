// Types of coopsim.js.
export * from "./errors.js";
export * from "./error_codes.js";
export { eventsOf, stateOf } from "./events.js";
export type { Event, State } from "./events.js";
export * from "./modules.js";
export { RawReadings, RawStepper, Rows } from "./stepping.js";

/** A param: an integer of 64 bits may come as a bigint, so that none is rounded. */
export type Value = string | number | bigint;

/** A reply or a state. */
export interface Message {
  id: number | bigint;
  target: string;
  tick: number | bigint;
  error: number;
  text: string;
  command: number | bigint;
  params: Value[];
  data: number[];
}

/** A request, as it becomes bytes. */
export interface Request {
  id?: number | bigint;
  run?: number | bigint;
  target: string;
  tick?: number | bigint;
  command?: number | bigint;
  params?: readonly Value[];
  data?: ArrayLike<number>;
}

/** How long a request may take [s], and what ends it before: then it is rejected with the reason of the signal. */
export interface AskOptions {
  timeout?: number;
  signal?: AbortSignal;
}

/** What TLS needs; `keys` reads it. */
export interface Keys {
  cert: string | Uint8Array;
  key: string | Uint8Array;
  ca: string | Uint8Array;
}

/** A client of one run; `connect` makes one. Any number of requests may be under way. */
export class Client {
  private constructor();
  /** Number of the run; another one refuses what is meant for this one. */
  readonly run: number | bigint;
  /** Return this client with a time-out, or a signal that ends requests, for whatever is asked through it. */
  within(options: AskOptions): Client;
  /** Send a request and return its reply; a CoopsimError says what went wrong. */
  ask(target: string, command: number, params?: readonly Value[], data?: ArrayLike<number>, options?: AskOptions): Promise<Message>;
  /** Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, [topic])`. */
  state(options?: AskOptions): Promise<Message>;
  /** Connect anew, to the same run; Refused with 208 when another one is there, which `connect` may drive. */
  reconnect(): Promise<void>;
  /** End all connections. */
  close(): void;
}

/** Connect to host:port; by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds. */
export function connect(address?: string, timeout?: number, keys?: Keys): Promise<Client>;
/** Return what TLS needs from our NAME.key and the server's NAME.pub. */
export function keys(own: string, server: string): Promise<Keys>;
/** Return the bytes of a message. */
export function encode(request: Request): Uint8Array;
/** Return the message of some bytes; later fields are passed over. */
export function decode(raw: Uint8Array): Message;
