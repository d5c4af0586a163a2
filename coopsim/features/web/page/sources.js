// Source of what the page shows: a run or a replay behind a WebSocket.
"use strict";

(() => {
  const TRY_AGAIN = [0.3, 0.6, 1, 2, 3]; // s; how long to wait before each attempt, the last one for all that follow
  const PATIENCE = 60000; // ms; edits of large scenes take some seconds, loads more

  class LiveSource {
    /** `on` has a function for each kind of news: hello, run, scene, clock, fields, event, frame, lost. */
    constructor(token, run, on) {
      this.token = token;
      this.run = run;
      this.on = on;
      this.number = 0;
      this.waiting = new Map();
      this.wanted = { rays: false, robots: [], rate: 30 };
      this.attempts = 0;
      this.open();
    }

    open() {
      const address = new URL("live", location.href);
      address.protocol = address.protocol.replace("http", "ws");
      address.hash = "";
      address.search = `?run=${this.run}`;
      const socket = this.socket = new WebSocket(address);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => socket.send(JSON.stringify({ token: this.token }));
      socket.onmessage = (message) => this.hear(message.data);
      socket.onclose = () => { if (this.socket === socket) this.lose(); };
    }

    close() {
      const socket = this.socket;
      this.socket = null;
      if (socket) socket.close();
    }

    hear(data) {
      if (typeof data !== "string") return this.on.frame(coopsim.decode(data));
      const news = JSON.parse(data);
      if (news.what === "reply") return this.settle(news);
      if (news.what === "hello") {
        if (news.error) this.token = ""; // an old link: whoever has it may watch still
        else {
          this.attempts = 0;
          this.watch({});
        }
      }
      this.on[news.what](news);
    }

    lose() {
      for (const { reject } of this.waiting.values()) reject(new Error("the connection to the page's server broke"));
      this.waiting.clear();
      this.on.lost();
      const wait = TRY_AGAIN[Math.min(this.attempts++, TRY_AGAIN.length - 1)];
      setTimeout(() => { if (this.socket) this.open(); }, 1000 * wait);
    }

    settle({ id, values, error, cure }) {
      const asked = this.waiting.get(id);
      if (!asked) return;
      this.waiting.delete(id);
      clearTimeout(asked.timer);
      if (error === undefined) asked.resolve(values);
      else asked.reject(new Error(cure ? `${error}. ${cure}` : error));
    }

    /** Send a request; the promise has its values, or the error that the run gave. */
    ask(request) {
      if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("not connected"));
      const id = ++this.number;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => { this.waiting.delete(id); reject(new Error("no reply came in time")); }, PATIENCE);
        this.waiting.set(id, { resolve, reject, timer });
        this.socket.send(JSON.stringify({ id, ...request }));
      });
    }

    call(target, command, ...values) { return this.ask({ do: "call", target, command, values }); }
    describe(target) { return this.ask({ do: "explain", target }); }
    set(target, name, value) { return this.ask({ do: "set", target, name, value }); }
    modules(robot) { return this.ask({ do: "modules", robot }); }
    mesh(hash) {
      return fetch(`mesh/${encodeURIComponent(hash)}?run=${this.run}`)
        .then((answer) => answer.ok ? answer.arrayBuffer() : Promise.reject(new Error("no mesh")))
        .then((buffer) => new Float32Array(buffer));
    }

    /** Return the address of a pattern that bodies are covered with. */
    picture(name) { return `pattern/${name}`; }
    image(target) { return this.ask({ do: "image", target }); }

    /** Say what frames are to hold: rays, and the readings of robots. */
    watch(changes) {
      Object.assign(this.wanted, changes);
      return this.ask({ do: "watch", ...this.wanted }).catch(() => {}); // said again with the next hello
    }
  }

  Object.assign(coopsim, { Source: LiveSource });
})();
