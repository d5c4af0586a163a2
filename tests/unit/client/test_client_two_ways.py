"""Requests that are made again and again, in Python and in C: both read the same."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import numpy as np
import pytest
from client_aio import using
from client_fakes import FakeServer, serving, serving_plainly

from coopsim.client import aio, connect
from coopsim.client import connection as connections
from coopsim.errors import BadArgument, NoReply
from coopsim.message import Message, decode, encode

pytestmark = pytest.mark.usefixtures("each_way")

Change = Callable[[bytes], bytes]
UNUSUAL: dict[str, Change] = {
    "as ever": lambda raw: raw,
    "a tenth field": lambda raw: msgpack.packb([*msgpack.unpackb(raw), "later"]),
    "numbers one by one": lambda raw: encode(replace(decode(raw), binary=False)),
    "one more param": lambda raw: encode(replace(decode(raw), params=(*decode(raw).params, "more"))),
    "a long id": lambda raw: raw.replace(bytes((0x99, 1, raw[2])), bytes((0x99, 1, 0xCF, *bytes(7), raw[2])), 1),
    "a text": lambda raw: encode(replace(decode(raw), text="done")),
}


def in_turn(server: FakeServer, target: str) -> None:
    """Let each reply to a step, or of a module, look like another of the unusual ones; each twice."""
    changes = [change for change in UNUSUAL.values() for _ in range(2)]

    def manners(request: Message, reply: bytes) -> list[bytes]:
        return [changes.pop(0)(reply)] if request.target == target and request.command >= 10 and changes else [reply]

    server.manners = manners


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Targets of the replies that were decoded as a whole."""
    targets: list[str] = []

    def watched(raw: bytes) -> Message:
        message = decode(raw)
        targets.append(message.target)
        return message

    monkeypatch.setattr(connections, "decode", watched)
    return targets


@pytest.mark.parametrize("serve", [serving, serving_plainly])
def test_steps_are_answered_whatever_their_replies_look_like(
    server: FakeServer, serve: Any, decoded: list[str], each_way: list[int]
) -> None:
    with serve(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.stepper(["robot1"]) as stepper:
        in_turn(server, "/sim/step")
        for step in range(2 * len(UNUSUAL)):
            readings = stepper.step([(0.1 * step, 0.0)])
            assert readings.tick == server.tick == step + 1
            assert np.array_equal(readings.flat, server.row("robot1"))
            assert readings.motors.v[0] == 0.1 * step
        before = len(decoded)
        assert all(stepper.step().tick == server.tick for _ in range(5))
        assert len(decoded) - before == (1 if each_way else 5)


def test_a_step_that_is_answered_as_ever_makes_no_message_in_c(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, each_way: list[int]
) -> None:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.stepper(["robot1"]) as stepper:
        server.tick = 126
        stepper.step()
        read: list[bytes] = []
        read_really = connections.BaseConnection._read

        def watched(self: connections.BaseConnection, raw: bytes) -> Message | None:
            read.append(raw)
            return read_really(self, raw)

        monkeypatch.setattr(connections.BaseConnection, "_read", watched)
        assert [stepper.step().tick for _ in range(3)] == [128, 129, 130]
        assert len(read) == (0 if each_way else 3)


def test_a_step_that_is_answered_too_late_is_passed_over(server: FakeServer) -> None:
    late: list[bytes] = []

    def slowly(request: Message, reply: bytes) -> list[bytes]:
        if request.target != "/sim/step" or request.command < 10:
            return [reply]
        late.append(reply)
        return [] if len(late) == 1 else late

    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.stepper(["robot1"]) as stepper:
        for _ in range(2):
            stepper.step()
        server.manners = slowly
        with pytest.raises(NoReply, match=r"no reply from /sim/step at tcp://\S+ within 0\.05 s"):
            stepper.step(timeout=0.05)
        assert stepper.stamp == 0
        assert stepper.step().tick == server.tick


def test_asyncio_reads_steps_so_too() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot2", "robot1"]) as stepper:
            in_turn(server, "/sim/step")
            for step in range(2 * len(UNUSUAL)):
                readings = await stepper.step([(0.1 * step, 0.0), (0.2, 0.0)])
                assert np.array_equal(readings["robot1"].table, server.row("robot1"))
                assert readings["robot2"].motors.v == 0.1 * step

    using(server, use)


def test_modules_are_read_whatever_their_replies_look_like(
    server: FakeServer, decoded: list[str], each_way: list[int]
) -> None:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        motors, sonars = sim.robot("robot1").motors, sim.robot("robot1").sonars
        for target, ask in (("/robot1/sonars", sonars.ranges), ("/robot1/motors", motors.state)):
            ask()
            in_turn(server, target)
            for _ in UNUSUAL:
                server.tick += 1
                reading = ask()
                assert reading.tick == server.tick
            decoded.clear()
            server.tick += 300
            server.manners = lambda request, reply: [reply]
            ask()
            assert ask().tick == server.tick
            assert decoded.count(target) <= 1 if each_way else decoded.count(target) == 2
        assert sonars.ranges().ranges.tolist() == server.row("robot1")[4:15].tolist()
        motors.set_velocity(0.25, 0.5)
        assert motors.state().v == 0.25


def test_many_requests_at_once_get_their_own_replies() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        modules = [sim.robot(robot).sonars for robot in server.robots]
        for _ in range(3):
            replies = await asyncio.gather(*(module.ranges() for module in modules for _ in range(5)))
            assert [reply.ranges[0] for reply in replies] == [
                server.row(robot)[4] for robot in server.robots for _ in "12345"
            ]

    using(server, use)


def test_readings_that_are_not_finite_are_refused_as_ever(server: FakeServer) -> None:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.stepper(["robot1"]) as stepper:
        stepper.step()
        stepper.step()

        def spoilt(_request: Message, reply: bytes) -> list[bytes]:
            return [reply.replace(server.row("robot1")[5].tobytes(), np.float64(np.nan).tobytes())]

        server.manners = spoilt
        with pytest.raises(BadArgument, match="numbers must be finite"):
            stepper.step()
        server.manners = lambda request, reply: [reply]
        assert stepper.step().tick == server.tick
