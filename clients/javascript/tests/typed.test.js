// Tests that need no simulation: a server that this file plays answers. `npm test`.
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { Decoder, encode } from "@msgpack/msgpack";
import { Clock, connect, DifferentialDrive, ErrorCode, eventsOf, Joints, Malformed, Refused, Sonars, stateOf, Stepper } from "../coopsim.js";

/** Return the bytes of a reply behind their length. */
function reply(request, params = [], data = [], error = 0) {
  const raw = encode([1, request[1], request[2], 5, error, error ? "no" : "", request[6], params, data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(raw.length);
  return Buffer.concat([length, raw]);
}

/** Let `use` have a client of a server that answers as `answer` says; return the requests after the first. */
async function served(answer, use) {
  const requests = [];
  const server = net.createServer((socket) => {
    let inbox = Buffer.alloc(0);
    socket.on("data", (part) => {
      inbox = Buffer.concat([inbox, part]);
      while (inbox.length >= 4 && inbox.length >= 4 + inbox.readUInt32BE(0)) {
        const end = 4 + inbox.readUInt32BE(0);
        const request = new Decoder().decode(inbox.subarray(4, end));
        inbox = inbox.subarray(end);
        requests.push(request);
        socket.write(request[6] === 0 ? reply(request, ["clock", 77], [1, 0]) : answer(request));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sim = await connect(`127.0.0.1:${server.address().port}`, 30);
  try {
    await use(sim);
  } finally {
    sim.close();
    server.close();
  }
  return requests.slice(1);
}

test("a command sends its number, and what is left out as its default", async () => {
  const requests = await served(reply, (sim) => new DifferentialDrive(sim, "/robot1/motors").setVelocity({ w: 0.25 }));
  assert.deepEqual([requests[0][2], requests[0][6], requests[0][9]], ["/robot1/motors", 10, 77]);
  const data = Buffer.from(requests[0][8]);
  assert.deepEqual([data.readDoubleLE(0), data.readDoubleLE(8)], [0, 0.25]);
});

test("readings have names, and runs of one length share what came", async () => {
  await served(
    (request) => reply(request, [], [1, 2, 3, 4, 5, 6]),
    async (sim) => {
      assert.deepEqual((await new Sonars(sim, "/robot1/sonars").ranges()).ranges, [1, 2, 3, 4, 5, 6]);
      const { positions, efforts } = await new Joints(sim, "/arm/arm").state();
      assert.deepEqual([positions, efforts], [[1, 2], [5, 6]]);
    },
  );
});

test("too few values and wrong types are no readings", async () => {
  await served(
    (request) => reply(request, ["lockstep"]),
    async (sim) => {
      await assert.rejects(new Clock(sim).status(), Malformed);
      await assert.rejects(new Sonars(sim, "/robot1/sonars").getReach(), Malformed);
    },
  );
});

test("a refusal has a number with a name", async () => {
  await served(
    (request) => reply(request, [], [], 201),
    async (sim) => {
      const refused = (problem) => problem instanceof Refused && problem.number === ErrorCode.NO_SUCH_NAME;
      await assert.rejects(new Sonars(sim, "/robotX/sonars").ranges(), refused);
    },
  );
});

test("a stale layout is asked for again", async () => {
  let generation = 0;
  const types = {
    t: {
      takes: [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
      takes_length: 2,
      gives: [["sonars", "ranges", "m", 0, 2]],
      gives_length: 2,
    },
  };
  const answer = (request) => {
    if (request[6] === 10) {
      generation += 1;
      return reply(request, [JSON.stringify({ generation, types, robots: [["robot1", "t"]] })]);
    }
    if (request[6] !== 11) return reply(request);
    return request[7][0] === 1 ? reply(request, [2], [], ErrorCode.STALE_LAYOUT) : reply(request, [2], [1, 2]);
  };
  await served(answer, async (sim) => {
    const stepper = await Stepper.of(sim);
    assert.throws(() => stepper.put("robot1", "motors", "v", 1, 2), RangeError);
    stepper.setDifferentialDrive("robot1", { v: 0.3 });
    const seen = await stepper.step();
    assert.deepEqual([seen.sonars("robot1").ranges, seen.tick], [[1, 2], 5]);
    assert.throws(() => seen.gps("robot1"), Malformed);
    await stepper.close();
  });
});

test("a signal ends a request, and no other", async () => {
  const cancel = new AbortController();
  const answer = (request) => {
    if (request[6] === 10) return reply(request, [], [1, 2]);
    cancel.abort(new Error("enough"));
    return Buffer.alloc(0); // no reply
  };
  await served(answer, async (sim) => {
    const patient = sim.within({ signal: cancel.signal });
    await assert.rejects(patient.ask("/robot1/sonars", 11), { message: "enough" });
    await assert.rejects(patient.ask("/robot1/sonars", 10), { message: "enough" });
    assert.deepEqual((await new Sonars(sim, "/robot1/sonars").ranges()).ranges, [1, 2]);
  });
});

test("events and states have names", () => {
  const [first, second] = eventsOf({ params: [4, "/a", "x", "hi", 8, 2, "/b", "y", "", 9, 0], data: [1, 2] });
  assert.deepEqual(first, { number: 4, topic: "/a", source: "x", text: "hi", tick: 8, data: [1, 2] });
  assert.deepEqual([second.number, second.topic, second.data], [5, "/b", []]);
  const params = [7, 1, 2, "free", 0, 1, 1, 1, "box", "robot1", 2];
  const state = stateOf({ target: "/sim/state", tick: 9, params, data: [0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4] });
  assert.deepEqual([state.time, state.isPaused, state.hasEnded, state.mode], [0.5, false, true, "free"]);
  assert.deepEqual([state.poses.get("box")?.[6], state.readings.get("robot1")], [6, [3, 4]]);
});

test("messages that tell no events and no state are malformed", () => {
  for (const count of [-1, 3, 2n ** 62n, 0.5, "two"]) {
    assert.throws(() => eventsOf({ params: [4, "/a", "x", "hi", 8, count], data: [1, 2] }), Malformed);
    assert.throws(() => stateOf({ params: [7, 1, 2, "free", 0, 1, count, 0, "box"], data: [0.5] }), Malformed);
  }
  assert.throws(() => stateOf({ params: [], data: [] }), Malformed);
});
