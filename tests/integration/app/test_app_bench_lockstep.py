"""The benchmark of lockstep works, in small: what it measures, and what it says when a client of it dies."""

import os
import signal
from collections.abc import Iterator

import pytest

from coopsim.errors import NoReply
from coopsim.testkit import Run, children
from coopsim.testkit.bench.lockstep import BATCHED, NAIVE, PLAIN, STRANGER, RunSize, Yardstick, measured
from coopsim.testkit.bench.measuring.workers import WAYS, WorkerPool
from coopsim.testkit.own_bench.step import StepShares, path_rows, work_rows

pytestmark = pytest.mark.integration
SMALL = RunSize("bench", 3, 2, WAYS, 0.55, 0.1, is_disturbed=True)


@pytest.fixture
def crew() -> Iterator[WorkerPool]:
    with (
        Run(SMALL.scenario, "--no-controllers") as run,
        WorkerPool((run.endpoint, run.plain), SMALL.shares, 400, 40) as pool,
    ):
        yield pool


def test_every_way_is_compared_with_bare_messages_of_the_same_run() -> None:
    *rows, disturbed, client, host, physics, memory = measured(SMALL, steps=100, rounds=1)
    assert [row["bound"] for row in rows] == [0.55, 0.95, 0.35, 0.4]
    assert all(row["value"] > row["tick_us"] > 0.0 for row in rows)
    assert all(row["raw"] > row["tick_us"] for row in rows)
    # over plain TCP the yardstick is our own path over ZeroMQ
    assert rows[1]["raw"] == rows[0]["value"]
    for row, who in ((client, "a client"), (host, "the host"), (physics, "physics")):
        assert row["case"] == f"3 robots in 2 processes: processor time of {who} in a step"
        assert row["value"] > 0.0
    assert (disturbed["raw"], disturbed["bound"]) == (rows[0]["value"], 3.0)
    assert disturbed["value"] > 0.0
    assert (memory["case"], memory["unit"]) == ("3 robots in 2 processes: memory of the host", "MB")
    assert memory["ok"] is True, "it loads no compiler"


def test_a_step_is_followed_through_all_processes() -> None:
    alone, two = RunSize("bench", 1, 1, WAYS, 0.8, 1.0), RunSize("bench", 2, 2, WAYS, 0.8, 1.0)
    *parts, whole, rest, echo, ping = path_rows(StepShares(alone, 150))
    assert [row["case"].partition(": ")[2] for row in parts] == [
        "client: until it sends",
        "sockets, host: until the tick is permitted",
        "physics: until its kernels begin",
        "physics: kernels of the tick",
        "physics: readings shown",
        "host, sockets: until the answer is there",
        "client: reads the answer",
    ]
    assert all(row["value"] > 0.0 for row in (*parts, whole, rest, echo, ping))
    *parts, whole = work_rows(StepShares(two, 150))
    assert sum(row["ratio"] for row in parts) == pytest.approx(1.0, abs=0.01)
    assert all(row["value"] > 0.0 for row in parts[:6])
    assert whole["ratio"] == 1.0


def test_robots_are_taken_and_given_back_in_turn_by_every_way(crew: WorkerPool) -> None:
    for way in (NAIVE, BATCHED, STRANGER, PLAIN, STRANGER, NAIVE):
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
