"""Rows of `coopsim bench learning`: batches of worlds beside what learners use elsewhere."""

import json
import sys

import click
import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.features.learning.batch import LearningBatch
from coopsim.testkit.own_bench import learning as bench_learning
from coopsim.testkit.own_bench.learning import learning
from coopsim.testkit.own_bench.measuring.many_worlds import FREE as TURNING
from coopsim.testkit.own_bench.measuring.many_worlds import PRESSING, ROBOTS, Driving

COSTS = {"rate": 2e6, "crowd": 4e6, "seldom": 3e6, "pressing": 1e6, "step": 2e-6, "reset": 9e-5}
FREE = {"64 1": 6e5, "64 10": 2e5, "8192 1": 6e5, "8192 10": 2e5}
RATES = {
    f"{case} {name}": part * rate for case, rate in FREE.items() for name, part in (("free", 1), ("pressing", 0.5))
}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {
        "ours": COSTS,
        "two_cores": {"ratio": 1.7},
        "memory": {"kilobytes": 18.0, "pressing": 20.5},
        "learners": RATES,
    }
    monkeypatch.setattr(bench_learning, "_measured", costs.__getitem__)


@pytest.mark.usefixtures("measured")
def test_rows_are_bound_by_peers_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import json; print(json.dumps({'64': 1e5, '8192': 3e5, '1': 5e3}))"
    monkeypatch.setattr(bench_learning, "_VMAS", program)
    monkeypatch.setattr(bench_learning, "_MPE", program)
    done = CliRunner().invoke(learning, ["--json"], standalone_mode=False)
    rows = {row["case"]: row for row in json.loads(done.stdout)["results"]}
    assert rows["256 worlds of 4, beside one of 1000"]["ratio"] == 0.5
    assert rows["VMAS, 64 worlds, 1 ticks an action"]["ratio"] == 6.0
    assert rows["VMAS, 8192 worlds, 10 ticks an action"]["ratio"] == 0.67
    assert rows["PettingZoo-MPE, 64 worlds"]["ratio"] == 120.0
    # what presses against walls is shown beside what meets nobody, without a bound
    pressing = rows["VMAS, 64 worlds, 1 ticks an action, pressing"]
    assert (pressing["ratio"], pressing.get("bound")) == (3.0, None)
    assert rows["256 worlds of 4, pressing against walls"]["value"] == 1.0
    # asked are 0.9, 50 us, 20 kB, 15, 6 and 1 times
    assert [case for case, row in rows.items() if not row.get("ok", True)] == [
        "256 worlds of 4, beside one of 1000",
        "reset of 1 world in 256",
        "memory of a world, pressing",
        "VMAS, 64 worlds, 1 ticks an action",
        "VMAS, 8192 worlds, 1 ticks an action",
        "VMAS, 8192 worlds, 10 ticks an action",
    ]


@pytest.mark.usefixtures("measured")
def test_a_peer_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_VMAS", "_MPE"):
        monkeypatch.setattr(bench_learning, name, "import nobody_has_this")
    done = CliRunner().invoke(learning, ["--peers", sys.executable, "--json"], standalone_mode=False)
    rows = json.loads(done.stdout)["results"]
    assert [row["raw"] for row in rows if "VMAS" in row["case"]] == ["not installed"] * 8


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("python", "says"), [("/no/python", "cannot be run"), (sys.executable, "the peer failed")])
def test_a_peer_that_fails_is_an_error_with_its_words(python: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_learning, "_VMAS", "raise ValueError('no rays')")
    with pytest.raises(click.ClickException, match=says):
        CliRunner().invoke(learning, ["--peers", python], standalone_mode=False, catch_exceptions=False)


def test_the_task_that_is_measured_drives_and_gives_rewards() -> None:
    batch = LearningBatch(Driving(2), 2)
    for _ in range(5):
        step = batch.step([[(1.0, 0.5)] * ROBOTS] * 2)
    assert step.observations.shape == (2, ROBOTS, 13)
    assert abs(step.rewards).max() > 0.0
    assert (batch.worlds.ticks == 10).all()
    batch.close()


def test_robots_that_are_measured_free_stay_where_they_are_and_others_press() -> None:
    ways, touches = [], []
    for action in (TURNING, PRESSING):
        batch = LearningBatch(Driving(10), 2)
        begun = batch.worlds.poses.copy()
        for _ in range(60):
            batch.step(np.tile(action, (2, ROBOTS, 1)))
        driven = batch.worlds.poses
        ways.append(float(np.abs(driven[:, :, :2] - begun[:, :, :2]).max()))
        touches.append(float(batch.worlds.readings("sonars").min()))
        batch.close()
    assert ways[0] < 0.12 < ways[1]
    assert touches[0] > 0.01 > touches[1]
