"""Modules that are set, read and pinged in the lane answer as if they had not been, byte for byte. C-13, C-21."""

import struct
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_lane_rig import LaneRig, framed
from server_lane_talk import (
    BEGIN,
    BOTH,
    CLAIMS,
    ONE,
    OTHER,
    PING,
    SET_VELOCITY,
    STATE,
    STATISTICS,
    STOP,
    Exchange,
    Talk,
    check_same,
    check_taken,
    comes_true,
    drive,
    reading,
    say,
    together,
)
from server_steps import CLAIM, RELEASE

from coopsim.message import decode

pytestmark = pytest.mark.usefixtures("lane_library")
INF = struct.pack(">d", float("inf"))
PINGS = [say(client, Exchange(target, PING)) for client in "ab" for target in ("/robot1/motors", "/sim/clock")]
LOOKS = [say("a", reading("robot1")), say("b", reading("robot2")), say("b", Exchange("/robot1/motors", STATE))]
DRIVES = [say("a", drive("robot1")), say("b", drive("robot2"))]
ROUND = [*LOOKS, together(drive("robot1"), reading("robot1")), together(drive("robot1"))]
NAIVE = [*CLAIMS, *[*PINGS, *LOOKS, *DRIVES] * 3, *ROUND * 2]
"""After it all of these are known."""

single = st.builds(
    lambda client, exchange, cut: say(client, exchange, cut=cut),
    st.sampled_from("ab"),
    st.builds(
        Exchange,
        st.sampled_from(
            ["/robot1/motors", "/robot2/motors", "/robot1/sonars", "/robot2/sonars", "/robot1", "/robot7/x"]
        ),
        st.sampled_from([SET_VELOCITY, SET_VELOCITY, STOP, STATE, STATISTICS]),
        st.sampled_from([(), (0.5, 0.25), (0.5, 0.25), (0.5,), (1.0, 2.0, 3.0)]),
        st.booleans(),
        st.sampled_from([None, None, None, 1, 0, 2]),
    ),
    st.sampled_from([0, 0, 1, 3, 20, 60]),
)
several = st.builds(  # a refusal among them would say a tick that depends on who is faster
    lambda client, whats, cut: say(client, *[what(f"robot{1 + (client == 'b')}") for what in whats], cut=cut),
    st.sampled_from("ab"),
    st.lists(st.sampled_from([drive, reading]), min_size=1, max_size=3),
    st.sampled_from([0, 0, 1, 20, 60, 90]),
)
other_exchanges = st.one_of(
    st.sampled_from([*PINGS, ONE, OTHER, *DRIVES, *LOOKS]),
    st.tuples(
        st.sampled_from([CLAIM, RELEASE, "statistics", "advance"]),  # edits are answered when the source comes to them
        st.sampled_from("ab"),
        st.sampled_from([("robot1",), BOTH]),
    ),
)


@pytest.mark.parametrize(
    "then",
    [
        [say("a", drive("robot1", ahead=0))],  # late
        [say("a", drive("robot1", ahead=2))],  # too early
        [say("a", drive("robot1", ahead=1)), *DRIVES[1:], *ROUND],
        [say("a", reading("robot1", ahead=5)), *ROUND],  # a stamp of what reads means nothing
        [say("a", drive("robot2"))],  # another one's
        [say("a", drive("robot1")), say("a", drive("robot1", 1.0, 0.0)), DRIVES[1], *ROUND],  # the newest one counts
        [DRIVES[0], LOOKS[0], *DRIVES[1:], *ROUND],  # held until the tick
        [DRIVES[0], LOOKS[0], say("a", Exchange("/sim/clock", PING)), DRIVES[1], *ROUND],
        [say("a", drive("robot1"), reading("robot1")), *DRIVES[1:], *ROUND],
        [DRIVES[1], say("a", drive("robot1"), reading("robot1"), drive("robot1")), *DRIVES, *ROUND],
        [DRIVES[1], say("a", *[drive("robot1")] * 3), *DRIVES, *ROUND],
        [together(drive("robot1"), reading("robot1"), drive("robot1", 1.0, 0.0)), *ROUND],
        [say("a", *[drive("robot1")] * 2), LOOKS[0], *DRIVES[1:], *ROUND],
        [say("b", *[reading("robot2")] * 9), *ROUND],
        [ONE, *DRIVES[1:], LOOKS[0], *DRIVES[1:], ONE, *ROUND],  # one steps, the other one sets
        [say("a", drive("robot1"), reading("robot1")), OTHER, *ROUND],
        *[[say("a", drive("robot1", raw=raw)), *DRIVES] for raw in (b"\x92\x01\x02", b"\x92\xcd\x10\x00\xf1", b"\x90")],
        *[
            [say("a", drive("robot1", raw=raw)), *DRIVES]
            for raw in (b"\x92\xcb" + INF + b"\x01", b"\x92\xc0\x01", b"\x92\1\2\3")
        ],
        [say("a", drive("robot1", raw=b"\x92\xca\x3f\x00\x00\x00\xd0\xff")), *DRIVES],
        [say("a", drive("robot1", is_binary=True)), *[say("b", drive("robot2", is_binary=True)), *DRIVES] * 3],
        [(RELEASE, "a", ("robot1",)), (CLAIM, "b", ("robot1",)), *DRIVES, *ROUND],
        [(RELEASE, "a", ("robot1",)), *PINGS, *ROUND],
        [DRIVES[0], ("insert", "b", BOTH), *ROUND * 3],
        [DRIVES[0], ("pause", "b", BOTH), *PINGS, *LOOKS, DRIVES[1], ("go on", "b", BOTH), *ROUND],
        [DRIVES[0], *[("advance", "a", BOTH)] * 40, LOOKS[0], *ROUND, *ROUND],
        [say("a", Exchange("/robot1/motors", STATISTICS)), say("b", Exchange("/robot2/sonars", STATISTICS))],
        [*[say("a", Exchange("/robot1/motors", PING, (1.0,)))] * 3, *PINGS],
        [say("a", Exchange("/sim/clock", PING, is_binary=True))] * 4,
        [say("a", Exchange("/robot1/target", number)) for number in (10, 11)] * 4,
        [say("a", Exchange("/sim/names", PING))] * 4,
        *[[say("b", drive("robot2"), cut=cut), *DRIVES, *ROUND] for cut in (1, 2, 4, 7, 25, 50)],
        *[[say("a", reading("robot1"), drive("robot1"), cut=cut), *DRIVES, *ROUND] for cut in (1, 2, 11, 40, 60, 90)],
    ],
)
def test_what_differs_is_answered_as_ever(rig: Callable, then: list[tuple[Any, ...]]) -> None:
    check_taken(rig, NAIVE, ROUND, then)


def test_who_commanded_and_has_no_robot_any_more_is_answered_as_ever(rig: Callable) -> None:
    check_same(rig, [*CLAIMS, *DRIVES * 3, (RELEASE, "a", ("robot1",)), *DRIVES, (CLAIM, "a", ("robot1",)), *DRIVES])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    begin=st.sampled_from([NAIVE, [*BEGIN, *NAIVE[len(CLAIMS) :]]]),
    actions=st.lists(st.one_of(single, several, several, other_exchanges), max_size=8),
    policy=st.sampled_from(["stop", "evict"]),
)
def test_the_lane_answers_and_writes_what_the_general_way_does(
    rig: Callable, begin: list[tuple[Any, ...]], actions: list[tuple[Any, ...]], policy: str
) -> None:
    check_same(rig, begin + actions, policy)


def test_all_of_the_naive_way_takes_the_lane(rig: Callable) -> None:
    host = prepared(rig)
    assert comes_true(host, [*PINGS, *ROUND], steps=2, messages=len(PINGS + LOOKS) + 6)


def test_pings_and_readings_take_the_lane_where_nobody_drives(rig: Callable) -> None:
    host = rig()
    for action in [*PINGS, *LOOKS] * 3:
        Talk(host).do(action)
    assert comes_true(host, [*PINGS, *LOOKS], steps=0, messages=len(PINGS + LOOKS))


def test_where_nobody_comes_the_lane_is_closed_for_ever_longer_times(rig: Callable) -> None:
    host = rig()
    for action in [*PINGS[:2], *PINGS[:2], *PINGS[:2]]:
        Talk(host).do(action)
    turns = []
    for number in range(40):
        host.end("b").sendall(framed("b", Exchange("/sim/info", STATISTICS).packed(number, 0)))
        turns.append(host.lane.run(time.monotonic() + 0.05, ()) is not None)
        host.settle_without_lane()
    assert turns[:3] == [True, False, True]
    assert sum(turns) <= 6


def test_a_reading_that_no_message_should_carry_is_answered_by_python(rig: Callable, monkeypatch: Any) -> None:
    said = []
    for has_lane in (True, False):
        host = prepared(rig, has_lane=has_lane)
        readings = host.bench.source._readings
        monkeypatch.setattr(host.bench.source, "_readings", lambda _read=readings: _read() * np.nan)
        talk = Talk(host)
        for action in [*DRIVES, *LOOKS, DRIVES[0], LOOKS[0], DRIVES[1], *LOOKS]:
            talk.do(action)
        said.append(talk.heard)
    assert said[0] == said[1]


def test_a_tick_that_does_not_come_is_left_to_python(rig: Callable) -> None:
    host = prepared(rig)
    host.bench.source.stop()
    for name, robot in zip("ab", BOTH, strict=True):
        host.end(name).sendall(framed(name, drive(robot).packed(7, 0)))
        host.turn()
    coordinator = host.bench.coordinator
    assert coordinator.is_running
    host.end("a").sendall(framed("a", reading("robot1").packed(8, 0)))
    host.turn()
    assert coordinator.pending.has_held
    host.heard("a")
    tick = host.bench.source.header.tick
    host.bench.source.serve()
    host._serve_ready()
    answer = decode(host.heard("a")[2:])
    assert (answer.id, answer.tick, answer.data) == (8, tick + 1, [tick + 1.0] * 3)
    assert not coordinator.is_running


def prepared(rig: Callable, **options: Any) -> LaneRig:
    """Return a rig whose clients have set, read and pinged before."""
    host = rig(**options)
    for action in NAIVE:
        Talk(host).do(action)
    return host
