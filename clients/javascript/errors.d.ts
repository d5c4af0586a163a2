// Types of errors.js.
import type { Message, Value } from "./coopsim.js";

/** What goes wrong between this program and the simulation. */
export class CoopsimError extends Error {}

/** The server refuses; `number` says why (`ErrorCode`), `params` what a program needs. */
export class Refused extends CoopsimError {
  constructor(reply: Pick<Message, "error" | "text" | "params">);
  readonly number: number;
  readonly params: Value[];
}

/** No reply came in time. */
export class Silent extends CoopsimError {
  constructor();
}

/** There is no connection; connect anew. */
export class Lost extends CoopsimError {
  constructor(why: string);
}

/** The server sent something that is no message. */
export class Malformed extends CoopsimError {
  constructor(why: string);
}
