// Match: a seat, orders to squads by taps in the scene, what is left of them, and chat; people play from phones.
"use strict";

(() => {
  const HERE_EVERY = 2000; // ms; a seat whose holder is silent for longer may be taken by somebody else
  const TO_POINT = new Set(["gather", "go_to"]), ALONE = new Set(["stop", "split"]);
  const BEGINS = "the match begins"; // said last of a lobby
  const $ = (id) => document.getElementById(id);
  const options = (names) => names.map((name) => new Option(name, name));

  class Match {
    constructor(app) {
      this.app = app;
      this.left = new Map(); // health and power by robot
      this.seen = {}; // enemies that each player sees, in fog
      this.secret = []; // lines of the log that this player alone has read so far
      this.holders = {}; // who holds the seat of each player, as the logic tells
      $("ready").onclick = () => this.sayReady();
      $("seat").onclick = () => this.sit(!this.isSeated);
      $("player").onchange = () => this.sit(false);
      $("order").onchange = () => this.offerGoals();
      $("squad").onchange = () => this.offerGoals();
      $("send-order").onclick = () => this.order($("goal").value);
      $("chat").onsubmit = (event) => {
        event.preventDefault();
        this.publish("chat", $("chat-words").value.trim());
        $("chat-words").value = "";
      };
      setInterval(() => { if (this.isSeated) this.publish("seats", "here"); }, HERE_EVERY);
      addEventListener("pagehide", () => this.sit(false)); // loaded again it is somebody else, who would wait for its own seat
    }

    get player() { return $("player").value; }
    get mayPlay() { return Boolean(this.game) && !this.isOver && this.app.role !== "watch" && !this.app.isReplay; }

    /** Take over the facts of a match, none = there is none. */
    build(game) {
      this.game = game || null;
      this.isSeated = this.isReady = this.isOver = false;
      this.seen = {};
      this.secret = [];
      this.isOpen = Boolean(game && game.lobby);
      this.holders = {};
      this.left.clear();
      $("lobby-news").textContent = this.isOpen ? "Nobody moves before those who play are ready." : "";
      if (game) {
        $("player").replaceChildren(...options(game.players.map(({ name }) => name)));
        $("shape").replaceChildren(new Option("as usual", ""), ...options(game.formations || []));
      }
      this.enable();
      this.learn(this.app.runEnd.standing.result);
    }

    /** Take in the result of a match that was over before this page was opened. */
    learn(result) { if (this.game && result && !this.isOver) this.finish(result); }

    enable() {
      $("match").hidden = !this.game;
      $("match-tools").hidden = $("chat").hidden = !this.mayPlay;
      $("lobby").hidden = !this.isOpen && !this.isOver;
      $("ready").hidden = !this.isSeated || !this.isOpen;
      $("ready").setAttribute("aria-pressed", String(Boolean(this.isReady)));
      $("ordering").hidden = !this.isSeated || this.isOpen;
      this.offerByHand();
      this.hideUnseen();
      $("seat").setAttribute("aria-pressed", String(Boolean(this.isSeated)));
      if (this.isSeated) {
        const chosen = $("squad").value, names = this.squadsOf(this.player).map(({ name }) => name);
        $("squad").replaceChildren(...options(names));
        if (names.includes(chosen)) $("squad").value = chosen;
        this.offerGoals();
      }
      this.showStanding();
    }

    squadsOf(player) { return this.game.squads.filter((squad) => squad.player === player); }

    /** Claim the seat of a player, or give it back. */
    async sit(isSeated) {
      const wanted = isSeated && this.mayPlay;
      if (wanted === Boolean(this.isSeated)) return;
      if (await this.publish("seats", wanted ? "claim" : "release", this.seat) === undefined) return;
      this.isSeated = wanted;
      this.isReady = false;
      this.seat = wanted ? this.player : null;
      this.enable();
    }

    /** Say that the match may begin. */
    async sayReady() {
      if (!this.isSeated || await this.publish("seats", "ready") === undefined) return;
      this.isReady = true;
      this.enable();
    }

    /** Hear what the lobby waits for; it closes when the match begins. */
    hearLobby(text) {
      $("lobby-news").textContent = text;
      this.isOpen = Boolean(this.game && this.game.lobby) && text !== BEGINS;
      this.enable();
    }

    /** Whether a robot is of one's own squads, so that it may be driven by hand. */
    owns(robot) { return this.isSeated && this.squadsOf(this.player).some(({ robots }) => robots.includes(robot)); }

    /** Offer the selected robot to be driven by hand: the logic has it, so its motors are not asked. */
    offerByHand() {
      const { driving, selected } = this.app;
      if (this.game && this.mayPlay) driving.offer(selected && this.owns(selected) && !this.isOpen ? new coopsim.ByHand(this, selected) : null);
    }

    /** Have a robot, drive it, or give it back: `take`, `drive 0.3 0.1`, `give`. */
    async hand(robot, words) {
      if (await this.publish("orders", `${robot} ${words}`, this.seat) === undefined) throw new Error(`nobody heard that ${robot} is driven`);
    }

    offerGoals() {
      const order = $("order").value, others = this.game.players.filter(({ name }) => name !== this.player);
      const names = {
        attack: this.game.squads.filter(({ player }) => player !== this.player).map(({ name }) => name),
        defend: this.squadsOf(this.player).map(({ name }) => name).filter((name) => name !== $("squad").value),
        capture: others.map(({ flag }) => flag).filter(Boolean),
        merge: this.squadsOf(this.player).map(({ name }) => name).filter((name) => name !== $("squad").value),
        help: this.squadsOf(this.player).flatMap(({ robots }) => robots).filter((robot) => this.isAlive(robot)),
        bring: this.game.players.filter(({ name }) => name === this.player).map(({ base }) => base).filter(Boolean),
      }[order] || [];
      $("goal").replaceChildren(...options(names));
      $("goal").hidden = !names.length;
      $("shape").hidden = !TO_POINT.has(order);
      $("send-order").hidden = !names.length && !ALONE.has(order);
      $("aim").textContent = TO_POINT.has(order) ? "Tap the floor where the squad is to go." : ALONE.has(order) ? ""
        : "Tap what it is about, or choose it.";
    }

    /** Give an order by a tap on an entity, or on the floor; return whether it was one. */
    tap(entity, floor) {
      if (!this.isSeated) return false;
      const order = $("order").value, own = entity && this.squadsOf(this.player).find(({ robots }) => robots.includes(entity.name));
      if (own && order !== "defend") {
        $("squad").value = own.name;
        this.offerGoals();
      } else if (TO_POINT.has(order) && floor) this.order(`${floor.x.toFixed(2)} ${floor.y.toFixed(2)} ${$("shape").value}`);
      else if (entity && !TO_POINT.has(order) && !ALONE.has(order)) this.order(entity.name);
      else return false;
      return true;
    }

    order(goal) {
      const line = this.lineOf($("squad").value, $("order").value, goal);
      if (!line) return this.app.notice("One robot is no squad that can be split.");
      this.app.messages.note(`> ${line}`);
      return this.publish("orders", line);
    }

    /** Return an order as the logic reads it, "" where a squad is too small to be split. */
    lineOf(name, order, goal) {
      if (order === "help") return `${goal} help`; // it is about a robot
      if (order !== "split") return `${name} ${order} ${ALONE.has(order) ? "" : goal}`.trim();
      const names = new Set(this.game.squads.map((squad) => squad.name));
      const alive = this.squadsOf(this.player).find((squad) => squad.name === name).robots.filter((robot) => this.isAlive(robot));
      let number = 2;
      while (names.has(`${name}_${number}`)) number++;
      const half = alive.slice(Math.ceil(alive.length / 2));
      return half.length ? `${name} split ${name}_${number} ${half.join(" ")}` : "";
    }

    isAlive(robot) { return !this.left.has(robot) || this.left.get(robot).health > 0; }

    /** Take in who is in a squad now; one without robots is no more. */
    regroup(squads) {
      for (const [name, [player, robots]] of Object.entries(squads)) {
        this.game.squads = this.game.squads.filter((squad) => squad.name !== name);
        if (robots.length) this.game.squads.push({ name, player, robots });
      }
      const names = this.squadsOf(this.player).map(({ name }) => name).join();
      if (this.isSeated && names !== [...$("squad").options].map(({ value }) => value).join()) this.enable();
    }

    /** In fog let enemies vanish that the robots of who plays here do not see, as long as the match goes on. */
    hideUnseen() {
      const isFog = Boolean(this.game && this.game.fog) && this.isSeated && !this.isOver, seen = new Set(this.seen[this.player] || []);
      const theirs = isFog ? this.game.squads.filter(({ player }) => player !== this.player).flatMap(({ robots }) => robots) : [];
      this.app.view.hideNames(new Set(theirs.filter((robot) => this.isAlive(robot) && !seen.has(robot))));
    }

    async publish(topic, words, player = this.player) {
      if (!words) return undefined;
      const answer = await this.app.call("/sim/events", "publish", `/game/${topic}/${player || this.player}`, words, []);
      return answer === undefined ? undefined : true;
    }

    /** Hear an event of a match; return the line that people read, null = none. */
    hear(topic, text) {
      if (!this.game) return `${topic}: ${text}`;
      const [, , kind, player] = topic.split("/");
      if (kind === "chat") return `${player} says: ${text}`;
      if (kind === "end") return this.resultOf(text);
      if (kind === "log" && player) this.secret.push(text);
      if (kind === "log" && !player && this.secret.includes(text)) { // all hear at the end what one has read before
        this.secret.splice(this.secret.indexOf(text), 1);
        return null;
      }
      if (kind === "seats" && !player) this.hearSeats(text);
      if (kind === "status") this.hearStatus(text);
      return kind === "status" || kind === "seats" || kind === "orders" ? null : text;
    }

    hearStatus(text) {
      try {
        const { robots, squads, seen } = JSON.parse(text);
        for (const [name, health, power] of robots) this.left.set(name, { health, power });
        Object.assign(this.seen, seen);
        if (squads) this.regroup(squads);
      } catch {
        return; // anybody may publish here
      }
      this.hideUnseen();
      this.showStanding();
    }

    hearSeats(text) {
      Object.assign(this.holders, JSON.parse(text)); // what is no such table does not come here
      this.showStanding();
    }

    resultOf(text) {
      try {
        const { winner, reason, time } = JSON.parse(text);
        const result = `${winner || "nobody"} wins after ${time} s: ${reason}`;
        this.finish(result);
        return result;
      } catch {
        return text;
      }
    }

    /** Say what came of the match; nobody plays any more, and what runs may have ended with it. */
    finish(result) {
      this.isOver = true;
      this.isSeated = this.isReady = this.isOpen = false;
      this.seat = null;
      $("lobby-news").textContent = result;
      this.enable();
    }

    showStanding() {
      if (!this.game) return;
      const lines = this.game.squads.map(({ name, player, robots }) => {
        const seen = robots.map((robot) => this.left.get(robot)).filter(Boolean), line = document.createElement("li");
        const health = seen.reduce((sum, robot) => sum + Math.max(0, robot.health), 0), left = robots.filter((robot) => this.isAlive(robot)).length;
        line.textContent = `${player} · ${name}: ${left} of ${robots.length} robots` + (seen.length ? `, health ${health.toFixed(0)}` : "");
        return line;
      });
      $("standing").replaceChildren(...lines);
      $("seats").replaceChildren(...this.game.players.map(({ name, bot }) => {
        const line = document.createElement("li"), holder = this.holders[name];
        line.textContent = `${name}: ${name === this.seat ? "you" : holder ? `held by ${holder}` : bot ? `computer, ${bot}` : "free"}`;
        return line;
      }));
    }
  }

  Object.assign(coopsim, { Match });
})();
