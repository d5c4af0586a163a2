"""Calls of commands that take numbers alone, in C: without a message in between, and with the same outcome."""

import shutil
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from client_fakes import FakeServer, serving
from client_ways import go
from test_client_two_ways import UNUSUAL

from coopsim.client import Client, connect
from coopsim.client.connection import Connection
from coopsim.client.module_description import BoundCommand
from coopsim.client.reading import field_slices, unpack
from coopsim.errors import BadArgument, MalformedMessage, NoReply
from coopsim.interfaces import Field
from coopsim.message import Message, decode, encode

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler: apt-get install gcc libc6-dev")


@pytest.fixture
def long_calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Go the way through C; gives the commands for which a message was made nevertheless."""
    names: list[str] = []
    ask = BoundCommand.ask
    go("compiled", monkeypatch)

    def counted(self: BoundCommand, *about: Any) -> Any:
        names.append(self.command.name)
        return ask(self, *about)

    monkeypatch.setattr(BoundCommand, "ask", counted)
    yield names
    names.clear()


def warmed(sim: Client, long_calls: list[str]) -> Any:
    """Return a robot whose modules have answered everything that these tests ask."""
    robot = sim.robot("robot1")
    for _ in range(3):
        robot.motors.set_velocity(0.1, 0.2)
        robot.motors.state()
        robot.sonars.ranges()
        robot.odometry.pose()
    long_calls.clear()
    return robot


def test_what_was_answered_before_is_asked_without_a_message(
    sim: Client, server: FakeServer, long_calls: list[str]
) -> None:
    robot = warmed(sim, long_calls)
    server.tick = 300
    assert robot.motors.set_velocity(0.25, np.float64(-1.0)) is None
    assert robot.motors.set_velocity(1, 0, tick=301) is None
    state, ranges = robot.motors.state(), robot.sonars.ranges()
    assert long_calls == []
    assert [list(request.data) for request in server.requests[-4:-2]] == [[0.25, -1.0], [1.0, 0.0]]
    assert server.requests[-3].tick == 301
    assert (state.v, state.tick, type(state.v), type(state)._fields) == (1.0, 300, float, ("v", "w", "left", "right"))
    assert (ranges.tick, ranges.ranges.tolist()) == (300, server.row("robot1")[4:15].tolist())
    assert not ranges.ranges.flags.writeable


@pytest.mark.parametrize(
    "ask",
    [
        lambda motors: motors.set_velocity(0.5),
        lambda motors: motors.set_velocity(np.float32(0.5), 0.25),
        lambda motors: motors.stop(),
    ],
)
def test_other_calls_take_the_way_of_all(
    sim: Client, server: FakeServer, long_calls: list[str], ask: Callable[[Any], object]
) -> None:
    robot = warmed(sim, long_calls)
    ask(robot.motors)
    assert len(long_calls) == 1
    assert list(server.requests[-1].data) in ([0.5, 0.0], [0.5, 0.25], [])


@pytest.mark.parametrize(
    "ask",
    [
        lambda motors: motors.set_velocity(0.5, w=0.25),
        lambda motors: motors.set_velocity(w=0.25, v=0.5),
        lambda motors: motors.set_velocity(0.5, 0.25, timeout=3.0),
    ],
)
def test_names_and_a_time_limit_need_no_message_either(
    sim: Client, server: FakeServer, long_calls: list[str], ask: Callable[[Any], object]
) -> None:
    robot = warmed(sim, long_calls)
    ask(robot.motors)
    assert long_calls == []
    assert list(server.requests[-1].data) == [0.5, 0.25]


def test_a_reply_with_params_is_read_whole(sim: Client, server: FakeServer, long_calls: list[str]) -> None:
    motors = warmed(sim, long_calls).motors
    first = motors.ping()
    long_calls.clear()
    server.tick += 1
    again = motors.ping()
    assert long_calls == []
    assert (type(again), again.kind, again.tick) == (type(first), first.kind, server.tick)


@pytest.mark.parametrize(
    "ask",
    [
        lambda motors: motors.set_velocity(0.5, 0.25, w=0.25),
        lambda motors: motors.set_velocity(0.5, v=0.25),
        lambda motors: motors.set_velocity(0.5, speed=0.25),
    ],
)
def test_wrong_names_are_refused_as_ever(sim: Client, long_calls: list[str], ask: Callable[[Any], object]) -> None:
    robot = warmed(sim, long_calls)
    with pytest.raises(BadArgument):
        ask(robot.motors)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, True, "1", None, 10**400, -(10**400), np.ones(2)])
def test_what_is_no_number_is_refused_as_ever(
    sim: Client, server: FakeServer, long_calls: list[str], wrong: object
) -> None:
    robot = warmed(sim, long_calls)
    before = len(server.requests)
    with pytest.raises(BadArgument):
        robot.motors.set_velocity(wrong, 0.0)
    assert len(server.requests) == before
    robot.motors.set_velocity(0.5, 0.5)
    assert list(server.requests[-1].data) == [0.5, 0.5]


@pytest.mark.parametrize("name", UNUSUAL)
def test_a_reply_that_looks_otherwise_is_read_by_the_way_of_all(
    sim: Client, server: FakeServer, long_calls: list[str], name: str
) -> None:
    robot = warmed(sim, long_calls)
    server.manners = lambda request, reply: [UNUSUAL[name](reply)] if request.command > 1 else [reply]
    before = len(server.requests)
    for _ in range(3):  # the third time it looks like the last one
        if name == "one more param":
            with pytest.raises(MalformedMessage, match="1 params and 11 data"):
                robot.sonars.ranges()
            continue
        ranges = robot.sonars.ranges().ranges
        assert ranges.tolist() == server.row("robot1")[4:15].tolist()
        assert ranges.flags.writeable == (name == "numbers one by one")
    asked = [request for request in server.requests[before:] if request.command > 1]
    assert len(asked) == 3, "what was sent is not sent again"
    server.manners = lambda request, reply: [reply]
    for _ in range(3):
        assert robot.sonars.ranges().ranges.tolist() == server.row("robot1")[4:15].tolist()


def test_more_values_than_described_are_malformed_however_often_they_come(
    sim: Client, server: FakeServer, long_calls: list[str]
) -> None:
    def longer(request: Message, reply: bytes) -> list[bytes]:
        if request.command < 10:
            return [reply]
        return [encode(decode(reply).__class__(request.target, 12, data=(1.0, 2.0, 3.0, 4.0, 5.0), id=request.id))]

    robot = warmed(sim, long_calls)
    server.manners = longer
    for _ in range(4):
        with pytest.raises(MalformedMessage, match="not as described"):
            robot.motors.state()


def test_no_reply_takes_no_longer_than_it_may(server: FakeServer, long_calls: list[str]) -> None:
    waits: list[float] = []
    receive = Connection.receive

    def watched(self: Connection, number: int, timeout: float) -> Message | None:
        waits.append(timeout)
        return receive(self, number, timeout)

    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, pytest.MonkeyPatch.context() as patch:
        robot = warmed(sim, long_calls)
        server.silent.add("/robot1/sonars")
        sim._pool.timeout = 0.4
        patch.setattr(Connection, "receive", watched)
        with pytest.raises(NoReply, match=r"no reply from /robot1/sonars at tcp://\S+ within 0\.4 s"):
            robot.sonars.ranges()
        assert waits[0] < 0.2, "the exchange has waited already"
        server.silent.clear()
        sim._pool.timeout = 5.0
        assert robot.sonars.ranges().ranges.size == 11


def test_nobody_else_hears_what_was_sent(sim: Client, server: FakeServer, long_calls: list[str]) -> None:
    """Between the exchange and the way of all the lock is held: another thread would pass over the reply."""
    robot, taken = warmed(sim, long_calls), []
    pool = sim._pool
    ask = pool.ask

    def serve_calls() -> None:
        taken.append(pool.lock.acquire(blocking=False))
        if taken[-1]:
            pool.lock.release()

    def watched(request: Any) -> Message:
        thread = threading.Thread(target=serve_calls)
        thread.start()
        thread.join()
        return ask(request)

    pool.ask = watched
    server.manners = lambda request, reply: [UNUSUAL["a text"](reply)]
    robot.sonars.ranges()
    assert taken == [False]


def test_a_server_that_was_started_anew_gets_the_call(long_calls: list[str]) -> None:
    first, second = FakeServer(), FakeServer()
    with serving(first) as endpoint:
        sim = connect(endpoint, timeout=5.0)
        robot = warmed(sim, long_calls)
    with sim, serving(second, endpoint):
        robot.motors.set_velocity(0.5, 0.25)
        assert second.commands == {"robot1": [0.5, 0.25]}
        numbers = [request.id for request in second.requests]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


FIELDS = {
    "single": (Field("x", "m"), Field("y", "m")),
    "a run": (Field("x", "m"), Field("slots", "1", count=2)),
    "any number": (Field("many", "1", count=0), Field("y", "m")),
    "nothing": (),
}


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("count", range(5))
def test_places_are_where_unpack_finds_the_values(kind: str, count: int) -> None:
    fields, data = FIELDS[kind], np.arange(float(count))
    slices = field_slices(fields, count)
    if slices is None:
        with pytest.raises(MalformedMessage):
            unpack(fields, Message("/x", data=data, binary=True))
        return
    values = unpack(fields, Message("/x", data=data, binary=True))
    assert [np.atleast_1d(value).tolist() for value in values] == [data[where].tolist() for where in slices]


@pytest.mark.parametrize("tick", [-1, 1 << 64, 1 << 63, 2.0, True])
def test_a_stamp_that_is_none_takes_the_way_of_all(sim: Client, long_calls: list[str], tick: Any) -> None:
    robot, asked = warmed(sim, long_calls), []
    sim._pool.ask = lambda ask: asked.append(ask.message.tick) or ask.message
    robot.motors.set_velocity(0.5, 0.5, tick=tick)
    assert (asked, long_calls) == ([tick], ["set_velocity"])
