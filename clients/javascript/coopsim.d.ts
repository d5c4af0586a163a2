// Types of coopsim.js.
export * from "./errors.js";
export * from "./error_codes.js";
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

/** A client of one run; `connect` makes one. Any number of requests may be under way. */
export class Client {
  private constructor();
  /** Number of the run; another one refuses what is meant for this one. */
  readonly run: number | bigint;
  /** Send a request and return its reply; a CoopsimError says what went wrong. */
  ask(target: string, command: number, params?: readonly Value[], data?: ArrayLike<number>): Promise<Message>;
  /** Wait for the next state of a topic that was subscribed to: `ask("/sim/info", 11, [topic])`. */
  state(): Promise<Message>;
  /** End all connections. */
  close(): void;
}

/** Connect to host:port; by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds. */
export function connect(address?: string, timeout?: number): Promise<Client>;
/** Return the bytes of a message. */
export function encode(request: Request): Uint8Array;
/** Return the message of some bytes; later fields are passed over. */
export function decode(raw: Uint8Array): Message;
