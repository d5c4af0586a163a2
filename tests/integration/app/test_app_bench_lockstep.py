"""The benchmark of lockstep works, in small: what it measures, and what it says when a client of it dies."""

import os
import signal
from collections.abc import Iterator

import pytest

from coopsim.bench.lockstep import BATCHED, NAIVE, PLAIN, RunSize, Yardstick, measured
from coopsim.bench.measuring.workers import WAYS, WorkerPool
from coopsim.errors import NoReply
from coopsim.testing import Run, children

pytestmark = pytest.mark.integration
SMALL = RunSize("bench", 3, 2, WAYS, 0.55, 0.1)


@pytest.fixture
def crew() -> Iterator[WorkerPool]:
    with (
        Run(SMALL.scenario, "--no-controllers") as run,
        WorkerPool((run.endpoint, run.plain), SMALL.shares, 400, 40) as made,
    ):
        yield made


def test_every_way_is_compared_with_bare_messages_of_the_same_run() -> None:
    *rows, client, host, physics = measured(SMALL, steps=100, rounds=1)
    assert [row["bound"] for row in rows] == [0.55, 1.2, 0.35]
    assert all(row["value"] > row["tick_us"] > 0.0 for row in rows)
    assert all(row["raw"] > row["tick_us"] for row in rows)
    # over plain TCP the yardstick is our own path over ZeroMQ
    assert rows[1]["raw"] == rows[0]["value"]
    for row, who in ((client, "a client"), (host, "the host"), (physics, "physics")):
        assert row["case"] == f"3 robots in 2 processes: processor time of {who} in a step"
        assert row["value"] > 0.0


def test_robots_are_taken_and_given_back_in_turn_by_every_way(crew: WorkerPool) -> None:
    for way in (NAIVE, BATCHED, PLAIN, NAIVE):
        assert crew.drive(way, 5) > 0.0
    assert crew.raw(5) > 0.0


def test_a_client_that_dies_is_told_from_one_that_works(crew: WorkerPool) -> None:
    victims = [pid for pid in children(os.getpid()) if _is_client(pid)]
    os.kill(victims[0], signal.SIGKILL)
    with pytest.raises(NoReply, match="ended with code -9"):
        crew.drive(BATCHED, 5)


def test_messages_are_as_long_as_those_of_a_step() -> None:
    yardstick = Yardstick(SMALL)
    # 8 bytes for each of v, w, and of the readings of a bench robot
    assert yardstick.command > 16
    assert yardstick.readings > 8 * 11
    assert yardstick.tick() > 0.0


def _is_client(pid: int) -> bool:
    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
        return "spawn_main" in file.read()
