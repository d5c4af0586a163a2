"""Swarm gaming (Hristoskova et al. 2012), section 5: what the bench measures, against stop watches of the tests' own.

G-85 to G-93.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import connect
from coopsim.testkit import Run
from coopsim.testkit.own_bench.measuring.overloaded import OverloadedRobot
from coopsim.testkit.own_bench.measuring.squad_orders import SquadDesk, column

WAIT = 0.3
LOOK = 100.0
"""Between looks of the logic [ms]."""


@pytest.fixture(scope="module")
def desk() -> Iterator[SquadDesk]:
    with SquadDesk(WAIT) as desk:
        yield desk


def test_the_stages_of_an_order_are_the_whole_time_until_its_robots_begin_g85_g86_g87(desk: SquadDesk) -> None:
    with connect(desk.run.endpoint) as sim, sim.listen("/game/orders/*", "/game/log", "/swarm/times") as heard:
        (times,) = desk.orders(1, 0.0)
        said = {}
        while "/swarm/times" not in said:
            event = heard.hear(10.0)
            assert event is not None
            said[event.topic] = event
        heard_at, decided_at, sent_at, obeyed_at = said["/swarm/times"].data
        beeps = [sim.module(f"/a{n}/beeper").state().count for n in (1, 2, 3)]
    assert said["/game/orders/one"].text == said["/swarm/times"].text
    assert times.heard > 0.0
    assert times.decided > 1e3 * WAIT - LOOK  # the wait is part of it
    assert times.sent > 0.0
    assert times.decided == pytest.approx(1e3 * (decided_at - heard_at))
    assert times.sent == pytest.approx(1e3 * (sent_at - decided_at))
    assert times.obeyed == pytest.approx(1e3 * (obeyed_at - sent_at))
    assert times.whole == times.heard + times.decided + times.sent
    assert min(beeps) >= 2.0  # the robots have begun with this order and the one before


def test_the_stages_together_are_what_a_clock_on_the_wall_says_g85_g86_g87_g91(desk: SquadDesk) -> None:
    begun = time.perf_counter()
    (times,) = desk.orders(1, 0.0)
    passed = 1e3 * (time.perf_counter() - begun)
    assert 0.5 * passed < times.whole + times.obeyed < passed


def test_orders_at_short_intervals_overlap_and_the_last_one_is_carried_out_g89_g90_g91_g92(
    desk: SquadDesk,
) -> None:
    count = 10
    short = desk.orders(count, 0.1)
    assert 2 <= len(short) < count  # the wait takes several together, and starves none
    long = desk.orders(2, 1.0)
    assert len(long) == 2
    assert column(short, "obeyed").max() < 2000.0
    assert np.all(column([*short, *long], "obeyed") > 0.0)


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_round_trips_pass_a_process_beside_others_that_are_busy_g93() -> None:
    with Run("[SIMULATION]\nmode real-time\n", "--no-controllers") as run, connect(run.endpoint) as sim:
        robot = OverloadedRobot(sim, 3)
        with robot as round_trip:
            busy = _children(robot._process.pid)
            assert len(busy) == 3
            before = [_processor_time(pid) for pid in busy]
            begun = time.perf_counter()
            measured = sum(round_trip(size) for size in (140, 300) for _ in range(5))
            passed = 1e3 * (time.perf_counter() - begun)
            while any(_processor_time(pid) == was for pid, was in zip(busy, before, strict=True)):
                assert time.perf_counter() - begun < 20.0  # each of them works
        assert 0.8 * passed < measured <= passed
    for pid in busy:
        _wait_until_gone(pid)


def _processor_time(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def _wait_until_gone(pid: int) -> None:
    deadline = time.perf_counter() + 20.0
    while os.path.exists(f"/proc/{pid}"):
        assert time.perf_counter() < deadline
