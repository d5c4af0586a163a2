/** What goes wrong between this program and the simulation. */
export class CoopsimError extends Error {}

/** The server refuses; `number` says why (protocol, section 11), `params` what a program needs. */
export class Refused extends CoopsimError {
  constructor({ error, text, params }) {
    super(`error ${error}: ${text}`);
    Object.assign(this, { number: error, params });
  }
}

/** No reply came in time. */
export class Silent extends CoopsimError {
  constructor() {
    super("no reply in time: is the simulation paused, or waiting for another robot?");
  }
}

/** There is no connection; connect anew. */
export class Lost extends CoopsimError {
  constructor(why) {
    super(`the simulation is gone, or was never there: ${why}`);
  }
}

/** The server sent something that is no message. */
export class Malformed extends CoopsimError {
  constructor(why) {
    super(`the server sent no message: ${why}`);
  }
}
