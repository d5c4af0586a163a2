"""Commands in lockstep that go out with the step: what the reply brings, and what of it is published."""

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bridged import Bridge, GatewayProcess

from coopsim.client import State, aio, connect
from coopsim.errors import BadArgument, CoopsimError, MalformedMessage
from coopsim.features.gateways.georeference import ORIGIN_OF_MAPS
from coopsim.features.gateways.robots import RobotTopics, topics_of
from coopsim.features.gateways.stepping import LockstepDriver, SteppedState
from coopsim.testkit import Run

PAIR = "[SIMULATION]\nstep 0.01\n" + "".join(
    f"[ROBOT_{number}]\ntype single\nname robot{number}\nposition {number} 0 0\n" for number in (1, 2)
)
LOCKSTEP = ("--no-controllers", "--mode", "lockstep", "--wait-for", "robot1", "--wait-for", "robot2")
LIMIT = 20.0
TICKS = 25
FORWARD = "/robot1/cmd_vel"


@pytest.fixture(scope="module")
def live() -> Iterator[Run]:
    """Return a run in lockstep whose two robots nobody has commanded yet."""
    with Run(PAIR, *LOCKSTEP) as run:
        yield run


class Driven:
    """A client of a run in lockstep, with a driver, and what it passed on."""

    def __init__(self, sim: aio.Client, states: Any) -> None:
        self.sim, self._states = sim, states
        self.came: asyncio.Queue[tuple[str, SteppedState]] = asyncio.Queue()
        self.refusals: asyncio.Queue[CoopsimError] = asyncio.Queue()
        self.driver = LockstepDriver(lambda robot, stepped: self.came.put_nowait((robot, stepped)))

    async def learn(self) -> State:
        """Return the newest state, whose robots the driver knows from now on."""
        state = await self.next_state()
        self.topics: RobotTopics = await topics_of(self.sim, state, (), ORIGIN_OF_MAPS, is_plain=False)
        self.driver.learn(state.layout, 0.01)
        return state

    async def next_state(self) -> State:
        """Return the next state of the stream."""
        state: State = await asyncio.wait_for(self._states.latest(), LIMIT)
        self.driver.note_state(state.tick)
        return state

    def can_step(self, topic: str, v: float = 0.1) -> bool:
        """Return whether a velocity may go out with a step."""
        return self.driver.can_step(self.topics.taken[topic], "set_velocity", [v, 0.0], self.topics.modules)

    def begin(self, topic: str, state: State, v: float = 0.1) -> None:
        """Step a robot by a velocity."""
        taken, refused = self.topics.taken[topic], self.refusals.put_nowait
        self.driver.begin(self.sim, taken, "set_velocity", [v, 0.0], state, refused)

    async def step_both(self, state: State) -> dict[str, SteppedState]:
        """Return what came of a step of both robots."""
        for robot in ("robot1", "robot2"):
            self.begin(f"/{robot}/cmd_vel", state)
        return dict([await asyncio.wait_for(self.came.get(), LIMIT) for _ in "12"])

    async def step_both_plainly(self, state: State) -> State:
        """Return the next state, after commands for robots of an older layout."""
        for robot in ("robot1", "robot2"):
            self.begin(f"/{robot}/cmd_vel", state)
        while (newer := await self.next_state()).tick <= state.tick:
            pass
        return newer


async def drive(endpoint: str, work: Any) -> None:
    """Have work done by a driver of a run."""
    async with aio.connect(endpoint) as sim, sim.stream(conflate=False, timeout=LIMIT) as states:
        driven = Driven(sim, states)
        await sim.module("/sim/step").call("claim", ["robot1", "robot2"])
        try:
            await work(driven)
        finally:
            driven.driver.close()
            await sim.module("/sim/step").call("release")


def test_reply_brings_what_the_stream_says_later(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        for _ in range(3):
            stepped = await driven.step_both(state)
            state = await driven.next_state()
            for robot in ("robot1", "robot2"):
                own = stepped[robot]
                assert (own.tick, own.time, own.readings.robots) == (state.tick, state.time, (robot,))
                np.testing.assert_array_equal(own.readings[robot].table, state.readings[robot].table)
            wanted = ["/robot2/odom", "/robot2/scan"]
            assert set(wanted) < set(driven.topics.of_modules("robot2"))
            assert list(driven.topics.messages(stepped["robot2"], wanted)) == list(
                driven.topics.messages(state, wanted)
            )
        assert driven.refusals.empty()

    asyncio.run(drive(live.endpoint, work))


def test_robot_waits_for_one_step_at_most(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        stepped = await driven.step_both(state)
        await driven.next_state()
        assert driven.can_step(FORWARD)
        driven.begin(FORWARD, state)
        await asyncio.sleep(0)
        assert not driven.can_step(FORWARD)
        assert driven.can_step("/robot2/cmd_vel")
        driven.begin("/robot2/cmd_vel", state)
        for _ in "12":
            robot, own = await asyncio.wait_for(driven.came.get(), LIMIT)
            assert own.tick == stepped[robot].tick + 1
        assert driven.can_step(FORWARD)

    asyncio.run(drive(live.endpoint, work))


def test_step_waits_for_the_stream_and_has_the_newest_command(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        await driven.step_both(state)
        driven.begin(FORWARD, state, 0.4)
        await asyncio.sleep(0)
        assert driven.can_step(FORWARD)
        driven.begin(FORWARD, state, -0.4)
        newer = await driven.next_state()
        driven.begin("/robot2/cmd_vel", newer)
        stepped = dict([await asyncio.wait_for(driven.came.get(), LIMIT) for _ in "12"])
        assert stepped["robot1"].readings["robot1"].motors.v < newer.readings["robot1"].motors.v
        assert {own.tick for own in stepped.values()} == {newer.tick + 1}

    asyncio.run(drive(live.endpoint, work))


def test_steps_do_not_wait_where_nothing_of_the_stream_is_read(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        driven.driver.must_follow = False
        ticks = [(await driven.step_both(state))["robot1"].tick for _ in range(5)]
        assert ticks == list(range(ticks[0], ticks[0] + 5))

    asyncio.run(drive(live.endpoint, work))


def test_step_that_is_forgotten_is_not_sent(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        await driven.step_both(state)
        driven.begin(FORWARD, state, 0.4)
        await asyncio.sleep(0)
        driven.driver.forget("robot1")
        newer = await driven.next_state()
        await driven.sim.module("/robot1/motors").call("stop")
        driven.begin("/robot2/cmd_vel", newer)
        robot, stepped = await asyncio.wait_for(driven.came.get(), LIMIT)
        assert (robot, stepped.tick) == ("robot2", newer.tick + 1)
        last = await driven.next_state()
        assert last.readings["robot1"].motors.v < newer.readings["robot1"].motors.v

    asyncio.run(drive(live.endpoint, work))


def test_refusal_comes_by_its_own_way(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        driven.begin(FORWARD, state, math.inf)
        assert isinstance(await asyncio.wait_for(driven.refusals.get(), LIMIT), BadArgument)
        assert driven.can_step(FORWARD)
        assert driven.came.empty()

    asyncio.run(drive(live.endpoint, work))


def test_what_a_step_does_not_take_whole_is_commanded_plainly(live: Run) -> None:
    async def work(driven: Driven) -> None:
        await driven.learn()
        taken, modules = driven.topics.taken[FORWARD], driven.topics.modules
        assert driven.driver.can_step(taken, "set_velocity", [0.1, 0.0], modules)
        assert not driven.driver.can_step(taken, "stop", [], modules)
        assert not driven.driver.can_step(taken, "stop", [0.1, 0.0], modules)
        assert not driven.driver.can_step(taken, "set_velocity", [0.1], modules)
        sonars = taken._replace(target="/robot1/sonars")
        assert not driven.driver.can_step(sonars, "set_velocity", [0.1, 0.0], modules)
        driven.driver.learn(None, 0.01)
        assert not driven.driver.can_step(taken, "set_velocity", [0.1, 0.0], modules)

    asyncio.run(drive(live.endpoint, work))


def test_command_of_an_older_layout_goes_out_all_the_same(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        await driven.sim.world.call("insert", "[ROBOT_3]\ntype single\nname robot3\nposition 5 5 0\n")
        before = (await driven.step_both_plainly(state)).tick
        assert driven.came.empty()
        assert driven.refusals.empty()
        await driven.sim.world.call("remove", "robot3")
        assert before >= state.tick + 1

    asyncio.run(drive(live.endpoint, work))


def test_readings_of_another_size_are_said(live: Run) -> None:
    async def work(driven: Driven) -> None:
        state = await driven.learn()
        assert state.layout is not None
        with pytest.raises(MalformedMessage, match="readings of robot1, got 3"):
            driven.driver._stepped("robot1", state.layout, np.zeros(3), 1, state)

    asyncio.run(drive(live.endpoint, work))


def test_program_hears_each_tick_of_two_robots_once() -> None:
    topics = ("/robot1/odom", "/robot2/odom", "/robot1/pose")
    with (
        Run(PAIR, *LOCKSTEP) as fresh,
        GatewayProcess("--endpoint", fresh.endpoint, "--rate", "0") as gateway,
    ):
        gateway.wait_for("serving")
        with Bridge(gateway.url) as program:
            for topic in topics:
                program.send(op="subscribe", topic=topic)
            program.call("/rosapi/topics")
            stamps: dict[str, list[int]] = {topic: [] for topic in topics}
            for tick in range(TICKS):
                program.drive("robot1", 0.1, 0.0)
                program.drive("robot2", 0.2, 0.0)
                while min(len(stamps[topic]) for topic in topics[:2]) <= tick:
                    hear(program, stamps)
            while len(stamps["/robot1/pose"]) < TICKS:
                hear(program, stamps)
    ticks = [10_000_000 * (count + 1) for count in range(TICKS)]
    assert stamps == dict.fromkeys(topics, ticks)


def hear(program: Bridge, stamps: dict[str, list[int]]) -> str:
    """Note when the next message was measured; return its topic."""
    message = program.receive("publish")
    stamp = message["msg"]["header"]["stamp"]
    stamps[message["topic"]].append(1_000_000_000 * stamp["secs"] + stamp["nsecs"])
    return str(message["topic"])


def test_program_that_waits_for_nothing_gets_its_refusal_by_its_id(live: Run) -> None:
    with (
        connect(live.endpoint) as sim,
        sim.stepper(["robot1", "robot2"]),
        GatewayProcess("--endpoint", live.endpoint) as gateway,
    ):
        gateway.wait_for("serving")
        with Bridge(gateway.url) as program:
            program.send(op="publish", id="fast", topic=FORWARD, msg={"linear": {"x": 0.1}})
            assert "robot1" in program.receive("status", id="fast", level="error")["msg"]
