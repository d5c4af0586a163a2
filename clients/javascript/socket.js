// A connection of Node by plain TCP or TLS: messages, each behind its length. Pages have socket_of_pages.js in its place.
import { readFile } from "node:fs/promises";
import net from "node:net";
import tls from "node:tls";
import { Lost, Malformed } from "./errors.js";
import { LARGEST } from "./message.js";

/** Where `connect` goes that is told no address. */
export const usualAddress = () => process.env.COOPSIM_TCP ?? "127.0.0.1:5571";

/** Sends bytes and passes on messages: `sort` gets the bytes of each, `fail` what ends the connection. */
export class MessageSocket {
  inbox = null; // what came of a message

  constructor(address, keys, sort, fail) {
    const [, host, port] = /^(?:tcp:\/\/|tls:\/\/)?(.*):(\d+)$/.exec(address) ?? [];
    const place = { host, port: Number(port) };
    Object.assign(this, { host, sort, fail });
    this.socket = keys ? tls.connect({ ...place, ...keys, servername: "coopsim" }) : net.connect(place);
    this.socket.setNoDelay(true);
    this.socket.on("data", (part) => this.take(part));
    this.socket.on("error", (problem) => fail(new Lost(problem.message)));
    this.socket.on("close", () => fail(new Lost("the connection was closed")));
  }

  take(part) {
    const inbox = this.inbox ? Buffer.concat([this.inbox, part]) : part;
    let at = 0;
    while (inbox.length - at >= 4) {
      const length = inbox.readUInt32BE(at);
      if (length > LARGEST) return this.fail(new Malformed(`a length of ${length} bytes`));
      if (inbox.length - at < 4 + length) break;
      if (length > 0) this.sort(inbox.subarray(at + 4, at + 4 + length)); // an empty message is a probe
      at += 4 + length;
    }
    this.inbox = at < inbox.length ? inbox.subarray(at) : null;
  }

  /** Send a message that stands behind its length. */
  write(framed) {
    this.socket.write(framed);
  }

  /** How many bytes wait to be sent. */
  get backlog() {
    return this.socket.writableLength;
  }

  end() {
    this.socket.destroy();
  }
}

/** Return what TLS needs from our NAME.key and the server's NAME.pub: `connect(address, 5, await keys(own, server))`. */
export async function keys(own, server) {
  const [secret, trusted] = await Promise.all([readFile(own), readFile(server)]);
  return { cert: secret, key: secret, ca: trusted };
}
