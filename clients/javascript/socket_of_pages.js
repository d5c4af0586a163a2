// A connection of a page: each message is a binary frame of a WebSocket. Node has socket.js in its place.
import { CoopsimError, Lost, Malformed } from "./errors.js";
import { LARGEST } from "./message.js";

/** Where `connect` goes that is told no address; a page may say it in `globalThis.COOPSIM_WEBSOCKET`. */
export const usualAddress = () => globalThis.COOPSIM_WEBSOCKET ?? "127.0.0.1:5573";

/** Sends bytes and passes on messages: `sort` gets the bytes of each, `fail` what ends the connection. */
export class MessageSocket {
  early = []; // what is sent before the connection is open

  constructor(address, keys, sort, fail) {
    if (keys) throw new CoopsimError("pages have no keys; their server has: a proxy with TLS");
    this.host = address.slice(0, address.lastIndexOf(":"));
    const scheme = globalThis.location?.protocol === "https:" ? "wss" : "ws"; // such a page may open no other
    const socket = (this.socket = new WebSocket(/^wss?:/.test(address) ? address : `${scheme}://${address}`));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      for (const raw of this.early) socket.send(raw);
      this.early = [];
    };
    socket.onmessage = ({ data }) => {
      if (!(data instanceof ArrayBuffer) || data.byteLength > LARGEST) return fail(new Malformed("no frame of a message"));
      if (data.byteLength > 0) sort(new Uint8Array(data)); // an empty message is a probe
    };
    socket.onerror = () => fail(new Lost(`nobody answers at ${socket.url}: was it started with --websocket, and may this page connect?`));
    socket.onclose = () => fail(new Lost("the connection was closed"));
  }

  /** Send a message that stands behind its length, which a frame has itself. */
  write(framed) {
    const raw = framed.subarray(4);
    if (this.socket.readyState === WebSocket.CONNECTING) this.early.push(raw);
    else this.socket.send(raw);
  }

  /** How many bytes wait to be sent. */
  get backlog() {
    return this.socket.bufferedAmount + this.early.reduce((sum, raw) => sum + raw.length, 0);
  }

  end() {
    this.socket.close();
  }
}

/** Pages have no keys. */
export function keys() {
  throw new CoopsimError("pages have no keys; their server has: a proxy with TLS");
}
