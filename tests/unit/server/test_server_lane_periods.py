"""Robots commanded every few ticks take the lane, and are answered as if they had not, byte for byte. C-13, C-72."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_lane_rig import LaneRig, framed
from server_lane_talk import (
    BEGIN,
    BOTH,
    ONE,
    OTHER,
    PING,
    SET_PERIOD,
    TOGETHER,
    Exchange,
    Talk,
    check_same,
    check_taken,
    drive,
    reading,
    say,
)
from server_steps import CLAIM, RELEASE, SKIP
from test_server_lane_exchanges import DRIVES, LOOKS, NAIVE, PINGS

pytestmark = pytest.mark.usefixtures("lane_library")


def every(one: int, other: int) -> list[tuple[Any, ...]]:
    """Return how the clients say that they command their robots every so many ticks."""
    return [(SET_PERIOD, "a", ("robot1",), one), (SET_PERIOD, "b", ("robot2",), other)]


SLOW = [ONE, OTHER, OTHER, OTHER]
"""A period of the first robot, where the other one is commanded in each tick."""
AGAIN = ("step", "a", ("robot1",), 1, 0.25)
talk = st.sampled_from(
    [
        *[ONE, OTHER, TOGETHER] * 3,
        *[*DRIVES, *LOOKS, *PINGS[:2]],
        *[
            ("step", client, (robot,), ahead, 0.25)
            for client, robot in zip("ab", BOTH, strict=True)
            for ahead in (0, 1)
        ],
        *[("twice", "a", ("robot1",), None, 0.5), ("cut", "b", ("robot2",), None, 0.5, 30)],
        *[(SET_PERIOD, "b", ("robot2",), ticks) for ticks in (1, 2, 4)],
        *[(SKIP, "a", ("robot1",)), (RELEASE, "b", ("robot2",)), (CLAIM, "b", ("robot2",)), ("advance", "a", BOTH)],
        *[("insert", "a", BOTH), ("pause", "b", BOTH), ("go on", "b", BOTH), ("statistics", "a", BOTH)],
    ]
)


@pytest.mark.parametrize(
    "then",
    [
        [OTHER, *[OTHER, OTHER, ONE, OTHER] * 3],
        [*every(3, 3), *[ONE, OTHER] * 3],
        [*every(2, 5), *[ONE, OTHER, ONE, ONE, OTHER] * 3],
        [ONE, AGAIN, OTHER, OTHER, OTHER],  # two STEPs wait
        [ONE, OTHER, AGAIN, OTHER, OTHER],
        [ONE, OTHER, ("step", "a", ("robot1",), 0, 0.25), OTHER, OTHER, OTHER],  # stamped for a tick of its time
        [ONE, OTHER, ("step", "a", ("robot1",), -2, 0.25), OTHER, OTHER, OTHER],  # and for one before it
        [ONE, ("advance", "b", BOTH), OTHER, ONE, OTHER, OTHER],
        [ONE, OTHER, ("advance", "b", BOTH), *[OTHER, ONE] * 3],
        [ONE, OTHER, (SET_PERIOD, "a", ("robot1",), 1), OTHER, OTHER, ONE, OTHER],
        [ONE, OTHER, (SET_PERIOD, "a", ("robot1",), 5), *[OTHER] * 3, ONE, *[OTHER] * 6],
        [ONE, OTHER, (RELEASE, "b", ("robot2",)), ONE, (CLAIM, "b", ("robot2",)), OTHER, ONE, OTHER],
        [ONE, OTHER, (RELEASE, "a", ("robot1",)), OTHER, OTHER],
        [ONE, OTHER, ("insert", "b", BOTH), *[OTHER] * 3, ONE, *[OTHER] * 3],
        [ONE, ("pause", "b", BOTH), OTHER, ("go on", "b", BOTH), OTHER, OTHER, OTHER],
        [ONE, OTHER, ("pause", "b", BOTH), ("go on", "b", BOTH), OTHER, OTHER, ONE, OTHER],
        [ONE, OTHER, PINGS[1], PINGS[3], OTHER, PINGS[0], OTHER],
    ],
)
def test_steps_of_several_ticks_are_answered_as_ever(rig: Callable, then: list[tuple[Any, ...]]) -> None:
    check_taken(rig, [*BEGIN, *every(3, 1), *SLOW], SLOW, then)


@pytest.mark.parametrize(
    "then",
    [
        [*DRIVES, *DRIVES[1:] * 3],
        [DRIVES[0], LOOKS[0], *DRIVES[1:] * 4],  # held until the last tick
        [*DRIVES, LOOKS[0], *DRIVES[1:] * 4],
        [*DRIVES, say("a", drive("robot1", 1.0, 0.0)), *DRIVES[1:] * 3, DRIVES[0], *DRIVES[1:]],  # within its time
        [*DRIVES, LOOKS[1], LOOKS[2], *DRIVES[1:]],
        [*DRIVES, say("a", drive("robot1"), reading("robot1")), *DRIVES[1:] * 3],
        [*DRIVES, say("a", Exchange("/sim/clock", PING)), *PINGS, *DRIVES[1:]],
        [ONE, DRIVES[1], say("a", reading("robot1")), *DRIVES[1:] * 4],
    ],
)
def test_single_commands_that_count_for_several_ticks_are_answered_as_ever(
    rig: Callable, then: list[tuple[Any, ...]]
) -> None:
    check_same(rig, [*BEGIN, *NAIVE, *every(3, 1), *then, *DRIVES * 3, *LOOKS])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    periods=st.sampled_from([(2, 1), (3, 1), (2, 2), (3, 2), (5, 5)]),
    actions=st.lists(talk, max_size=12),
    policy=st.sampled_from(["stop", "evict", "hold"]),
)
def test_the_lane_answers_and_writes_what_the_general_way_does(
    rig: Callable, periods: tuple[int, int], actions: list[tuple[Any, ...]], policy: str
) -> None:
    check_same(rig, [*BEGIN, *NAIVE, *every(*periods), ONE, OTHER, *actions], policy)


def test_ticks_without_commands_are_permitted_in_the_lane(rig: Callable) -> None:
    host = prepared(rig, every(5, 5))
    check_lane(host, [TOGETHER])


def test_a_command_within_the_time_of_another_one_does_not_lengthen_it_in_the_lane(rig: Callable) -> None:
    host = prepared(rig, every(3, 1))
    for action in NAIVE[2:]:
        Talk(host).do(action)
    while (awaited := host.bench.coordinator.barrier.awaited_robots) != set(BOTH):
        Talk(host).do(DRIVES[min(awaited) == BOTH[1]])
    check_lane(host, [*DRIVES, *DRIVES, DRIVES[1]])
    assert host.bench.coordinator.barrier.awaited_robots == set(BOTH)


def test_a_step_that_waits_does_not_keep_others_from_the_lane(rig: Callable) -> None:
    host = prepared(rig, every(4, 1))
    check_lane(host, [TOGETHER, *[OTHER] * 3])


def test_the_lane_awaits_a_tick_that_python_permitted_once(rig: Callable) -> None:
    host = prepared(rig, every(5, 5))
    host.bench.source.stop()
    coordinator, tick = host.bench.coordinator, host.bench.source.header.tick
    for name, robot in zip("ab", BOTH, strict=True):
        raw = Exchange("/sim/info", PING).packed(1, 0)  # what comes behind a STEP is Python's, and so is the STEP
        host.end(name).sendall(framed(name, Talk(host)._request((robot,), None, 0.5)) + framed(name, raw))
    while not coordinator.is_running:
        host.turn()
    assert host.lane.run(time.monotonic() + 50.0, ()) is not None
    assert host.lane.run(time.monotonic() + 50.0, ()) is None
    assert [step.tick for step in coordinator.pending.steps] == [tick + 4, tick + 4]
    host.bench.source.start()
    host.settle()
    assert coordinator.barrier.next == tick + 6


def test_others_are_served_between_ticks_that_need_no_command(rig: Callable) -> None:
    host = prepared(rig, every(1000, 1000))
    for client in "ab":
        for _ in range(3):
            Talk(host).do(say(client, Exchange("/sim/clock", PING)))
    tick = host.bench.coordinator.barrier.next
    for name, robot in zip("ab", BOTH, strict=True):
        host.end(name).sendall(framed(name, Talk(host)._request((robot,), None, 0.5)))
    while host.bench.coordinator.barrier.next == tick:
        host.turn()
    answered = []
    while host.bench.coordinator.barrier.next < tick + 900:
        host.end("b").sendall(framed("b", Exchange("/sim/info", PING).packed(1, 0)))
        host.turn()
        answered.append(host.heard("b"))
    assert any(answered)


def check_lane(it: LaneRig, actions: list[tuple[Any, ...]]) -> None:
    """Do these until two ticks of a turn are the lane's, as they are but on a busy machine."""
    for _ in range(200):
        before = it.lane.steps
        for action in actions:
            Talk(it).do(action)
        if it.lane.steps >= before + 2:
            return
    pytest.fail("no two ticks take the lane")


def prepared(rig: Callable, then: list[tuple[Any, ...]]) -> LaneRig:
    """Return a rig whose clients have stepped before."""
    host = rig()
    for action in [*BEGIN, *then, TOGETHER]:
        Talk(host).do(action)
    return host
