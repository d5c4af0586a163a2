"""Steps that take the lane are answered as if they had not, byte for byte. C-13, C-72."""

import os
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_lane_rig import LaneRig, framed
from server_lane_talk import BEGIN, BOTH, ONE, OTHER, SET_PERIOD, TOGETHER, Talk, check_same, check_taken
from server_steps import CLAIM, RELEASE, SKIP, step

from coopsim.message import decode, encode
from coopsim.server.lane import tables as lane_tables
from coopsim.server.lane.lock import CallingLock

pytestmark = pytest.mark.usefixtures("lane_library")
SIZE = 386
"""Bytes of an answer by plain TCP, with an id below 128."""
clients = st.sampled_from("ab")
steps = st.tuples(
    st.sampled_from(["step", "step", "both", "both", "cut", "twice", "mutant"]),
    clients,
    st.sampled_from([(), ("robot1",), ("robot2",), BOTH]),
    st.sampled_from([None, None, 1, 0, 2]),
    st.sampled_from([0.5, 0.25, None]),
    st.integers(0, 200),
)
other_actions = st.tuples(
    st.sampled_from([CLAIM, RELEASE, SKIP, SET_PERIOD, "ping", "statistics", "advance", "insert", "pause", "go on"]),
    clients,
    st.sampled_from([("robot1",), BOTH]),
)


@pytest.mark.parametrize(
    "then",
    [
        [("step", "a", ("robot1",), 0, 0.5)],  # late
        [("step", "a", ("robot1",), 2, 0.5)],  # too early
        [("step", "a", ("robot1",), 1, 0.5), OTHER],
        [("step", "a", ("robot1",), None, None), ONE],  # no number
        [("step", "a", (), None, 0.25), OTHER],
        [("step", "b", BOTH, None, 0.5)],
        [("twice", "a", ("robot1",), None, 0.5), OTHER, OTHER, ONE],
        [(RELEASE, "a", ("robot1",)), (CLAIM, "b", ("robot1",)), ONE, OTHER],
        [(SET_PERIOD, "a", ("robot1",)), ONE, OTHER, OTHER, OTHER],
        [ONE, ("ping", "a", BOTH), ("ping", "b", BOTH), OTHER],
        [ONE, ("insert", "b", BOTH), OTHER, ONE, OTHER],
        [("insert", "b", BOTH), ONE, OTHER],
        [ONE, ("pause", "b", BOTH), OTHER, ("go on", "b", BOTH), ONE, OTHER],
        [ONE, *[("advance", "a", BOTH)] * 40, ONE, OTHER, OTHER, ONE, OTHER],
        [("statistics", "a", BOTH)],
        *[
            [("cut", client, (robot,), None, 0.5, at), OTHER, ONE]
            for client, robot in zip("ab", BOTH, strict=True)
            for at in (1, 2, 4, 9, 40)
        ],
        *[[("mutant", "a", ("robot1",), None, 0.5, at), ONE, OTHER, ONE, OTHER] for at in range(1, 80, 6)],
    ],
)
def test_what_differs_is_answered_as_ever(rig: Callable, then: list[tuple[Any, ...]]) -> None:
    check_taken(rig, BEGIN, [TOGETHER], then)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(st.one_of(steps, other_actions), max_size=8), policy=st.sampled_from(["stop", "evict"]))
def test_the_lane_answers_and_writes_what_the_general_way_does(
    rig: Callable, actions: list[tuple[Any, ...]], policy: str
) -> None:
    check_same(rig, BEGIN + actions, policy)


def test_steps_of_all_connections_take_the_lane(rig: Callable) -> None:
    host = prepared(rig)
    for _ in range(200):  # a tick that takes longer than a few milliseconds is Python's
        before, tick = host.lane.steps, host.bench.coordinator.barrier.next
        for _ in range(5):
            Talk(host).do(TOGETHER)
        assert host.bench.coordinator.barrier.next == tick + 5
        if host.lane.steps == before + 5:
            break
    else:
        pytest.fail("no five steps in a row take the lane")


def test_who_hears_each_record_gets_one_step_at_a_time(rig: Callable) -> None:
    host = prepared(rig)
    host.listeners = (Hears(),)
    for _ in range(3):
        send_both(host, 2)
        before = host.lane.steps
        while host.lane.steps == before:
            run_lane(host)
        assert host.lane.steps == before + 1
        host.settle()


def run_lane(host: LaneRig) -> None:
    """Let the lane run once: without a step it ends for what came from elsewhere alone, or rests after that."""
    before = host.lane.steps
    events = host.lane.run(time.monotonic() + 5.0, host.listeners)
    assert host.lane.steps > before or events != []
    for descriptor, kinds in events or ():  # as a wake-up that came late
        host.poller.handlers.get(descriptor, lambda *_: None)(descriptor, kinds)


def wait_for(holds: Callable[[], bool], seconds: float = 50.0) -> bool:
    """Look again and again: who serves in C, and who waits for a lock, tells nobody how far it is."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.001)
    return holds()


def test_another_thread_gets_the_lock_while_the_lane_waits(rig: Callable) -> None:
    host = prepared(rig)
    got: list[float] = []

    def ask_from_elsewhere() -> None:
        wait_for(lambda: host.bench.modules.lock.is_kept)
        with host.bench.modules.lock:
            got.append(time.monotonic())

    thread = threading.Thread(target=ask_from_elsewhere)
    thread.start()
    host.lane.run(time.monotonic() + 100.0, ())
    thread.join(50.0)
    assert got
    host.settle()
    talk_on(host)


@pytest.mark.parametrize("cores", [1, 2])
def test_physics_hears_in_the_lane_whether_more_clients_drive_than_there_are_cores(
    rig: Callable, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(lane_tables, "usable_cores", lambda: cores)
    host, seen = prepared(rig), []
    ring, lock = host.bench.source.ring, host.bench.modules.lock

    def use_lock() -> None:
        wait_for(lambda: lock.is_kept)
        seen.append(wait_for(lambda: ring.is_crowded, 50.0 if cores == 1 else 0.05))
        with lock:
            pass

    thread = threading.Thread(target=use_lock)
    thread.start()
    host.lane.run(time.monotonic() + 100.0, ())
    thread.join(60.0)
    assert seen == [cores == 1]
    assert not ring.is_crowded
    assert len(host.lane._tables.clients) == 2


def test_what_is_told_once_is_told_to_python_though_the_lane_heard_it(rig: Callable) -> None:
    host, heard = prepared(rig), []
    reader, writer = os.pipe()
    host.poller.register(reader, select.EPOLLIN | select.EPOLLET, lambda *event: heard.append(event))
    os.write(writer, b"!")
    assert host.lane.run(time.monotonic() + 50.0, ()) == [(reader, select.EPOLLIN)]
    assert host.poller.poll(0.0) == []
    os.write(writer, b"!")
    host.settle()
    assert heard == [(reader, select.EPOLLIN)]
    host.poller.unregister(reader)
    for end in (reader, writer):
        os.close(end)


def test_a_client_that_ends_is_noticed_in_the_lane(rig: Callable) -> None:
    host = prepared(rig)
    Talk(host).do(ONE)
    assert host.heard("a") == b""
    host.ends.pop("b").close()
    host.settle()
    assert host.heard("a") != b""  # nobody else is awaited now
    assert host.bench.coordinator.barrier.awaited_robots == {"robot1"}


def test_a_tick_that_does_not_come_is_left_to_python(rig: Callable) -> None:
    host = prepared(rig)
    host.bench.source.stop()
    send_both(host, 7)
    host.lane.run(time.monotonic() + 50.0, ())
    coordinator = host.bench.coordinator
    assert coordinator.is_running
    assert [step.request.id for step in coordinator.pending.steps] == [7, 7]
    host.bench.source.serve()
    host._serve_ready()
    assert [len(host.heard(name)) > 0 for name in "ab"] == [True, True]
    assert not coordinator.is_running


def test_readings_that_no_message_can_carry_are_answered_by_python(rig: Callable, monkeypatch: Any) -> None:
    said = []
    for has_lane in (True, False):
        host = prepared(rig, has_lane=has_lane)
        with monkeypatch.context() as patch:
            readings = host.bench.source._readings
            patch.setattr(host.bench.source, "_readings", lambda _read=readings: _read() * np.nan)
            send_both(host, 7)
            host.settle()
        said.append([host.heard(name) for name in "ab"])
    assert said[0] == said[1]
    assert all(said[0])


def test_what_a_client_does_not_take_at_once_waits_for_it_in_order(rig: Callable) -> None:
    host = prepared(rig, narrow="b")
    (connection,) = host.gateways[1]._connections.values()
    connection.end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    count = 0
    while not connection.outbox:
        count += 1
        assert count < 100
        send_both(host, count)
        while not host.heard("a"):
            host.turn()
    answers, deadline = b"", time.monotonic() + 20.0
    while len(answers) < count * SIZE and time.monotonic() < deadline:
        answers += host.heard("b")
        host.turn()
    assert not connection.outbox
    ids = [decode(answers[at + 4 : at + SIZE]).id for at in range(0, len(answers), SIZE)]
    assert ids == list(range(1, count + 1))


def test_the_lock_can_be_taken_again_and_counts_who_waits() -> None:
    called: list[int] = []
    lock = CallingLock(lambda: called.append(1))
    with lock, lock:
        lock.is_kept = True
        thread = threading.Thread(target=lambda: lock.__enter__() and lock.__exit__(None, None, None))
        thread.start()
        assert wait_for(lambda: bool(called))
        assert lock.is_wanted()
    thread.join(10.0)
    assert not lock.is_wanted()


class Hears:
    """What has to do something after each tick."""

    needs_each_record = True


def prepared(rig: Callable, **options: Any) -> LaneRig:
    """Return a rig whose clients have stepped before."""
    host = rig(**options)
    for action in BEGIN:
        Talk(host).do(action)
    return host


def send_both(it: LaneRig, number: int) -> None:
    """Send the command of each client for the next step."""
    for name, robot in zip("ab", BOTH, strict=True):
        raw = encode(replace(step(robot, data=(0.5, 0.5), number=number), binary=True))
        it.end(name).sendall(framed(name, raw))


def talk_on(it: LaneRig) -> None:
    """Make sure that a step is answered."""
    send_both(it, 9)
    it.settle()
    assert all(it.heard(name) for name in "ab")
