// The page: brings source, scene, time and people together, and draws.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const LAYERS = ["labels", "trails", "rays", "contacts", "sightings", "grid", "targets"];
  const NOTICE = 6000; // ms
  const RING = 0.25, RINGS = 41, TALL = 3; // m: places are looked for 10 m around; lamps that begin higher leave the floor free
  const MOST_WATCHED = 8; // robots whose readings frames hold

  class App {
    constructor(isByProcessor) {
      this.words = linkWords();
      this.role = "watch";
      this.selected = null;
      this.history = new coopsim.History();
      this.view = new coopsim.SceneView($("view"), isByProcessor);
      this.cameras = new coopsim.Cameras($("view"));
      this.layers = new coopsim.Layers(this.view, $("labels"));
      this.time = new coopsim.TimeControl(this);
      this.list = new coopsim.EntityList(this);
      this.messages = new coopsim.Messages(this);
      this.inspector = new coopsim.Inspector(this);
      this.plots = new coopsim.Plots(this);
      this.driving = new coopsim.Driving(this);
      this.editing = new coopsim.Editing(this);
      this.managers = new coopsim.Managers(this);
      this.match = new coopsim.Match(this);
      this.runEnd = new coopsim.RunEnd(this);
      this.scenes = new coopsim.SceneMenu(this);
      this.drawn = 0;
      this.listen();
      this.connect(Number(this.words.run) || 0);
      requestAnimationFrame(() => this.draw());
    }

    connect(run) {
      if (this.source) this.source.close();
      this.forget();
      this.source = new coopsim.Source(this.words.token, run, {
        hello: (news) => this.greet(news),
        run: (news) => this.hearRun(news),
        scene: (news) => this.build(news),
        clock: (news) => this.time.hear(news),
        standing: (news) => this.runEnd.hear(news),
        fields: (news) => this.hearFields(news.fields),
        lobby: (news) => this.match.hearLobby(news.text),
        film: (history) => this.show(history),
        event: (news) => this.hearEvent(news),
        frame: (frame) => this.take(frame),
        lost: () => { $("dot").dataset.state = "lost"; this.notice("The page's server is gone; the page goes on when it is back.", true); },
      });
    }

    forget() {
      this.history.clear();
      this.time.forgetMarks();
      this.runNumber = null;
      this.isBuilt = false;
    }

    greet({ role, error, runs }) {
      if (error) return this.notice(error, true);
      this.role = role;
      $("role").textContent = role;
      $("role").hidden = false;
      $("console").hidden = role === "watch";
      $("runs").hidden = (runs || []).length < 2;
      $("runs").replaceChildren(...(runs || []).map((run, k) => new Option(`${run.name} ${run.scenario || ""}`, k, false, k === this.source.run)));
      $("notice").hidden = true;
      this.time.enable();
      this.editing.enable();
      this.match.enable();
      this.runEnd.enable();
      this.scenes.enable();
    }

    /** Hear what the numbers in the frames that come are. */
    hearFields(fields) {
      this.fields = coopsim.placedFields(fields);
      this.inspector.tellFields(this.fields);
    }

    /** Say whose readings frames are to hold. */
    watch() {
      const entity = this.view.byName.get(this.selected), own = entity && entity.kind === "robot" ? [this.selected] : [];
      const robots = [...new Set([...own, ...this.plots.robots])].slice(0, MOST_WATCHED);
      if (robots.join() !== this.source.wanted.robots.join()) this.source.watch({ robots });
    }

    /** Show a film: all its frames are here. */
    show(history) {
      this.isFilm = true;
      this.history = history;
      this.time.past = history.begin;
      this.build(this.source.factsOf(history.frames[0]));
      this.time.enable();
      if (this.source.data.note) this.notice(this.source.data.note);
    }

    hearEvent({ topic, text, time = this.now ? this.now.time : null }) {
      const subject = topic.replace(/^\/log\//, ""), isGame = topic.startsWith("/game/");
      const line = isGame ? this.match.hear(topic, text) : subject ? `${subject}: ${text}` : text;
      if (line === null) return;
      this.messages.note(line, false, time);
      if (time !== null) this.time.mark(time, line);
    }

    hearRun(facts) {
      const isAnother = this.runNumber !== null && facts.state === "live" && facts.run !== this.runNumber;
      if (isAnother) {
        this.forget();
        this.editing.forget();
        this.time.goLive();
        this.notice("Another run has begun here.");
      }
      if (!isAnother && this.facts && facts.state === "live" && facts.scenario !== this.facts.scenario) this.turnTo(facts);
      if (facts.state === "live") {
        this.runNumber = facts.run;
        this.isReplay = facts.replay;
        this.editing.enable();
        this.match.build(facts.game);
        this.editing.offer(facts.offered);
      }
      this.facts = facts;
      this.runEnd.enable();
      this.scenes.enable();
      $("dot").dataset.state = facts.state;
      const name = (facts.scenario || "coopsim").split("/").pop().replace(/\.(scenario|world)$/, "");
      $("title").textContent = name;
      $("title").title = facts.caption || "";
      if (facts.state === "film") {
        $("about").textContent = facts.caption;
        $("about").hidden = false;
      }
      document.title = `${name} – coopsim`;
      if (facts.state === "waiting") this.notice("Waiting for a simulation.", true);
      if (facts.state === "ended") this.notice(`${facts.reason || "The run has ended."} Its past can be scrubbed.`, true);
    }

    /** Turn to another scene that somebody loaded into this run. */
    turnTo({ scenario }) {
      this.beginAnew();
      this.select(null);
      this.cameras.frame(this.view.box);
      this.notice(`open: ${scenario}`);
    }

    /** Begin anew with a scene that was loaded or put back: what was done to the one before cannot be undone in it. */
    beginAnew() {
      this.editing.forget();
      this.time.forgetMarks();
      this.time.goLive();
      if (this.facts) this.match.build(this.facts.game);
    }

    build(facts) {
      this.view.build(facts, this.source);
      this.layers.build(facts);
      this.list.build(facts);
      this.generation = facts.generation;
      if (!this.isBuilt) this.begin();
      const wanted = this.wantsSelected; // until something else is selected: a scene without it may come before those that have it
      if (wanted && this.view.byName.has(wanted)) this.select(wanted);
      else if (this.selected && !this.view.byName.has(this.selected)) this.select(null);
      this.wantsSelected = wanted;
    }

    /** Take the view of the link, or one of all that there is. */
    begin() {
      this.isBuilt = true;
      this.cameras.frame(this.view.box);
      const { view, camera, t, speed, play } = this.words, follow = this.words.follow || this.words.robot;
      if (view) this.setView(view);
      if (camera) this.cameras.words = camera;
      if (follow) this.wantsSelected = follow;
      if (this.isFilm) this.time.begin(Number(t), Number(speed), play === "1");
      else if (t !== undefined && Number.isFinite(Number(t))) this.wantedTime = Number(t);
      this.words = { ...this.words, view: null, camera: null, follow: null, t: undefined };
    }

    take(frame) {
      if (frame.generation !== this.generation) return; // its scene comes first
      frame.arrived = performance.now();
      frame.fields = this.fields && this.fields.size === frame.readings.length ? this.fields : null;
      this.history.add(frame);
      if (this.wantedTime !== undefined && (this.time.isReplay || frame.time >= this.wantedTime) && this.time.clock) {
        this.time.scrub(this.wantedTime);
        this.wantedTime = undefined;
      }
    }

    draw() {
      requestAnimationFrame(() => this.draw());
      const aspect = this.view.resize(), { history } = this;
      const time = this.time.shown(history);
      const now = this.isBuilt ? history.at(time) : null;
      if (now && this.isFilm && now.frame.generation !== this.generation) this.build(this.source.factsOf(now.frame));
      const entity = this.view.byName.get(this.selected);
      const pose = now && entity ? this.view.pose(entity, now.poses) : null;
      const camera = this.cameras.move(aspect, pose);
      if (now) {
        this.now = { time, tick: now.frame.tick };
        this.latest = now.poses;
        this.view.move(now.poses);
        this.view.shine(now.frame.ranges);
        this.layers.move(now.frame, now.poses, history, time);
        this.layers.label(now.poses, camera, this.selected);
        this.time.show(time, history);
        if (pose) this.inspector.move(now.frame, pose);
        this.plots.move(time, now.frame);
      }
      this.view.draw(camera);
      this.drawn += 1;
    }

    select(name) {
      this.wantsSelected = null;
      if (name === this.selected) return;
      this.selected = name;
      this.driving.offer(null);
      this.list.show();
      this.editing.enable();
      if (name && !isNarrow()) $("inspector").classList.remove("closed");
      this.inspector.show(name ? this.view.byName.get(name) : null);
      this.match.enable();
    }

    selectWhenThere(name) {
      if (this.view.byName.has(name)) this.select(name);
      this.wantsSelected = name;
    }

    setView(view) {
      this.cameras.use(view);
      $("camera").value = this.cameras.view;
      if (this.cameras.view === "first" && !this.selected) this.notice("Select a robot, whose view it is.");
    }

    setLayer(name, isOn) {
      this.layers.shown[name] = isOn;
      if (this.layers.isSensing !== this.source.wanted.rays) this.source.watch({ rays: this.layers.isSensing });
      if (name === "targets") this.view.hide("target", !isOn);
    }

    notice(text, stays = false) {
      $("notice").textContent = text;
      $("notice").hidden = false;
      clearTimeout(this.noticeTimer);
      if (!stays) this.noticeTimer = setTimeout(() => { $("notice").hidden = true; }, NOTICE);
    }

    /** Return what a promise gives; where it fails, say why and return undefined. */
    async try(promise) {
      try {
        return await promise;
      } catch (problem) {
        this.notice(problem.message);
        return undefined;
      }
    }

    call(target, command, ...values) { return this.try(this.source.call(target, command, ...values)); }

    /** Return a place near x, y where nothing stands. */
    /** Return the nearest place to a point with so much room around it [m]; walls are boxes, not the circles around them. */
    freePlace(x, y, room) {
      const taken = this.view.entities.filter(({ kind }) => kind !== "floor" && kind !== "area").map((entity) => {
        const isDrawn = this.latest && 7 * entity.row + 7 <= this.latest.length; // not yet, where it has just come
        const pose = [...this.view.pose(entity, isDrawn ? this.latest : null)], turn = coopsim.headingOf(pose);
        return { pose, cos: Math.cos(turn), sin: Math.sin(turn), length: entity.size[0] / 2, width: entity.size[1] / 2 };
      }).filter(({ pose }) => pose[2] < TALL);
      const gap = ({ pose, cos, sin, length, width }, u, v) => {
        const dx = u - pose[0], dy = v - pose[1];
        return Math.hypot(Math.max(0, Math.abs(cos * dx + sin * dy) - length), Math.max(0, Math.abs(cos * dy - sin * dx) - width));
      };
      for (let ring = 0; ring < RINGS; ring++) {
        for (let k = 0; k < Math.max(1, 6 * ring); k++) {
          const angle = k / Math.max(1, 6 * ring) * 2 * Math.PI, u = x + RING * ring * Math.cos(angle), v = y + RING * ring * Math.sin(angle);
          if (taken.every((body) => gap(body, u, v) > room)) return [Number(u.toFixed(2)), Number(v.toFixed(2))];
        }
      }
      return [x, y];
    }

    /** Wait until the scene has something that was inserted; a page that looks at the past goes on after a while. */
    async arrival(name) {
      for (let k = 0; k < 30 && !this.view.byName.has(name); k++) await new Promise((resolve) => setTimeout(resolve, 100));
    }

    copyLink() {
      const words = new URLSearchParams({ t: this.now ? this.now.time.toFixed(2) : "0", view: this.cameras.view, camera: this.cameras.words });
      if (this.selected) words.set("follow", this.selected);
      const address = `${location.href.split("#")[0]}#${words}`; // without the token: who gets it may watch
      if (navigator.clipboard) navigator.clipboard.writeText(address).then(() => this.notice("The link is in the clipboard."), () => this.notice(address, true));
      else this.notice(address, true);
      return address;
    }

    listen() {
      $("camera").onchange = () => this.setView($("camera").value);
      $("runs").onchange = () => this.connect(Number($("runs").value));
      $("copy").onclick = () => this.copyLink();
      for (const layer of LAYERS) $(`layer-${layer}`).onchange = (event) => this.setLayer(layer, event.target.checked);
      $("show-list").onclick = () => this.toggle("list");
      $("show-inspector").onclick = () => this.toggle("inspector");
      const bar = $("scrub");
      bar.onpointerdown = () => { this.time.isHeld = true; };
      addEventListener("pointerup", () => { this.time.isHeld = false; });
      this.listenToPointer();
      addEventListener("keydown", (event) => this.key(event));
      addEventListener("hashchange", () => location.reload()); // another link was followed
      if (isNarrow()) for (const id of ["list", "inspector"]) $(id).classList.add("closed");
    }

    toggle(id) {
      const isOpen = !$(id).classList.toggle("closed");
      if (isOpen && isNarrow()) $(id === "list" ? "inspector" : "list").classList.add("closed"); // there is room for one
    }

    /** A click selects; a drag of what is selected moves it along the floor, for who may edit. */
    listenToPointer() {
      const canvas = $("view");
      let down = null;
      canvas.addEventListener("pointerdown", (event) => {
        const { entity } = this.view.pick(event.clientX, event.clientY, this.cameras.camera);
        const grips = this.role === "edit" && !this.isReplay && entity && entity.name === this.selected && event.button === 0 && this.time.past === null;
        down = { x: event.clientX, y: event.clientY, entity, grips, from: grips ? [...this.view.pose(entity, this.latest)] : null };
        this.cameras.controls.enabled = !grips;
        if (grips) canvas.setPointerCapture(event.pointerId); // the hand may pass over panels
      }, true);
      canvas.addEventListener("pointerup", (event) => {
        if (!down) return;
        const isDrag = Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5, { entity, grips, from } = down;
        down = null;
        this.cameras.use(this.cameras.view);
        const { floor } = this.view.pick(event.clientX, event.clientY, this.cameras.camera);
        if (!isDrag) return this.match.tap(entity, floor) || this.select(entity ? entity.name : null);
        if (grips && floor) this.editing.move(entity, from, floor);
      });
    }

    key(event) {
      if (document.querySelector("dialog[open]")) return;
      if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && event.target.type !== "range") return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, isControl = event.ctrlKey || event.metaKey;
      const actions = isControl ? { z: () => this.editing.undo(), y: () => this.editing.redo() } : {
        ...(this.isFilm ? { ArrowLeft: () => this.time.step(-1), ArrowRight: () => this.time.step(1) } : {}),
        " ": () => this.time.toggle(), ".": () => this.time.step(1), ",": () => this.time.step(-1), l: () => this.time.goLive(),
        e: () => this.toggle("list"), i: () => this.toggle("inspector"), d: () => this.driving.switch(!this.driving.isOn),
        c: () => this.setView(next(["orbit", "top", "follow", "first"], this.cameras.view)), Escape: () => this.select(null),
        o: () => this.scenes.ask(), r: () => this.runEnd.press(),
        Delete: () => { if (this.role === "edit" && !this.isReplay) this.editing.remove(this.selected); },
      };
      if (!(key in actions)) return;
      event.preventDefault();
      actions[key]();
    }
  }

  const isNarrow = () => matchMedia("(max-width: 800px)").matches;
  const next = (words, word) => words[(words.indexOf(word) + 1) % words.length];

  /** Return the words behind `#`: a token, or `t=12.4&view=top`, or both with `&` between them. */
  function linkWords() {
    const [first, ...others] = location.hash.slice(1).split("&");
    const isToken = first && !first.includes("=");
    const words = Object.fromEntries(new URLSearchParams((isToken ? others : [first, ...others]).join("&")));
    return { ...words, token: isToken ? first : "" };
  }

  /** Begin, or say why nothing can be drawn. */
  function begin() {
    const drawnBy = coopsim.drawnBy();
    if (drawnBy) coopsim.app = new App(drawnBy === "processor");
    else {
      const cure = $("film") ? " `coopsim export --flat` makes one that needs none." : "";
      $("notice").textContent = `This page draws with WebGL 2, which this browser lacks, or has switched off.${cure}`;
      $("notice").hidden = false;
    }
  }

  addEventListener("DOMContentLoaded", begin);
})();
