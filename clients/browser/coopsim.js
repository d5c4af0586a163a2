// A client of coopsim for pages: each message is a binary frame of a WebSocket. No library, no build.
//
//   const sim = await coopsim.connect("127.0.0.1:5573");
//   const { data } = await sim.ask("/robot1/sonars", 10);
"use strict";

const coopsim = (() => {
  const VERSION = 1;
  const TIMEOUT = 5000; // ms

  /** Return the bytes of a request; its data as float64 back to back. */
  function encode({ id, target, command, params = [], data = [], run = 0 }) {
    const out = [run ? 0x9a : 0x99, VERSION];
    for (const value of [id, target, 0, 0, "", command]) put(out, value);
    put(out, params);
    const body = new Uint8Array(new Float64Array(data).buffer);
    out.push(0xc6, ...wide(body.length, 4), ...body);
    if (run) put(out, run);
    return new Uint8Array(out);
  }

  function wide(value, size) {
    return Array.from({ length: size }, (_, place) => Math.floor(value / 256 ** (size - 1 - place)) % 256);
  }

  function put(out, value) {
    if (Array.isArray(value)) {
      out.push(0xdd, ...wide(value.length, 4));
      value.forEach((each) => put(out, each));
    } else if (typeof value === "string") {
      const text = new TextEncoder().encode(value);
      out.push(0xdb, ...wide(text.length, 4), ...text);
    } else if (Number.isInteger(value) && value >= 0) {
      out.push(...(value < 128 ? [value] : [0xcf, ...wide(value, 8)]));
    } else {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, value);
      out.push(0xcb, ...new Uint8Array(view.buffer));
    }
  }

  const NUMBERS = {
    0xca: ["getFloat32", 4], 0xcb: ["getFloat64", 8], 0xcc: ["getUint8", 1], 0xcd: ["getUint16", 2], 0xce: ["getUint32", 4],
    0xcf: ["getBigUint64", 8], 0xd0: ["getInt8", 1], 0xd1: ["getInt16", 2], 0xd2: ["getInt32", 4], 0xd3: ["getBigInt64", 8],
  };

  /** Reads one msgpack value after the other. */
  class Reader {
    at = 0;

    constructor(raw) {
      this.view = new DataView(raw);
    }

    number([read, size]) {
      this.at += size;
      return Number(this.view[read](this.at - size));
    }

    bytes(size) {
      this.at += size;
      return new Uint8Array(this.view.buffer, this.at - size, size);
    }

    text(size) {
      return new TextDecoder().decode(this.bytes(size));
    }

    list(size) {
      return Array.from({ length: size }, () => this.next());
    }

    next() {
      const code = this.number(NUMBERS[0xcc]);
      if (code < 0x80) return code;
      if (code >= 0xe0) return code - 256;
      if (code >= 0xa0 && code < 0xc0) return this.text(code - 0xa0);
      if (code >= 0x90 && code < 0xa0) return this.list(code - 0x90);
      if (NUMBERS[code]) return this.number(NUMBERS[code]);
      const size = (first) => this.number(NUMBERS[0xcc + code - first]);
      if (code >= 0xc4 && code <= 0xc6) return this.bytes(size(0xc4)).slice();
      if (code >= 0xd9 && code <= 0xdb) return this.text(size(0xd9));
      if (code === 0xdc || code === 0xdd) return this.list(this.number(NUMBERS[code === 0xdc ? 0xcd : 0xce]));
      throw new Error(`the server sent no message: code ${code}`);
    }
  }

  /** Return the message of some bytes; later fields are passed over. */
  function decode(raw) {
    const reader = new Reader(raw);
    const code = reader.number(NUMBERS[0xcc]);
    if (code === 0xdc) reader.at += 2;
    const [version, id, target, tick, error, text, command, params, data] = reader.list(9);
    if (version !== VERSION) throw new Error(`the server speaks version ${version}`);
    return { id, target, tick, error, text, command, params, data: Array.isArray(data) ? data : [...new Float64Array(data.buffer)] };
  }

  class Client {
    run = 0;
    number = 0;
    waiting = new Map();
    onstate = () => {};
    onclose = () => {};

    constructor(socket) {
      this.socket = socket;
      socket.onmessage = ({ data }) => this.take(data);
      socket.onclose = () => this.end();
    }

    take(raw) {
      if (raw.byteLength === 0) return;
      const message = decode(raw);
      if (message.id === 0) return this.onstate(message);
      const waiter = this.waiting.get(message.id);
      if (!waiter) return; // it came too late
      if (message.error) waiter.reject(Object.assign(new Error(`error ${message.error}: ${message.text}`), { number: message.error }));
      else waiter.resolve(message);
    }

    end() {
      for (const { reject } of this.waiting.values()) reject(new Error("the simulation is gone"));
      this.onclose();
    }

    /** Send a request and return its reply. */
    ask(target, command, params = [], data = []) {
      const id = ++this.number;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => done(reject)(new Error(`no reply from ${target} in time`)), TIMEOUT);
        const done = (settle) => (value) => {
          clearTimeout(timer);
          this.waiting.delete(id);
          settle(value);
        };
        this.waiting.set(id, { resolve: done(resolve), reject: done(reject) });
        this.socket.send(encode({ id, target, command, params, data, run: this.run }));
      });
    }
  }

  /** Connect to host:port. */
  async function connect(address) {
    const socket = new WebSocket(`ws://${address}`);
    socket.binaryType = "arraybuffer";
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`no simulation at ws://${address}: was it started with --websocket, and may this page connect?`));
    });
    const client = new Client(socket);
    client.run = (await client.ask("/sim/clock", 0)).params[1] ?? 0;
    return client;
  }

  return { connect, encode, decode };
})();
window.coopsim = coopsim;
