"""Goals of a scene while it runs: open, reached, missed, and begun anew where time does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coopsim.inprocess import DirectSource
from coopsim.launch.goal_watch import GoalWatch
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state import Record
from coopsim.state.edits import Insert

SET_VELOCITY = 10
SCENE = """
[ROBOT_1]
type single
name robot1
position 0 0 0

[GOAL_1]
name there
reach 1 0 0.3
within 30

[GOAL_2]
name far
reach 90 0 0.3

[GOAL_3]
name outside
avoid area 0.2 -1 0.6 1

[GOAL_4]
name way
score path_length below 12
"""


class WatchedRun:
    """A run in this process whose records a watch reads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.watch = GoalWatch(load(file))
        self.begin()

    def begin(self) -> None:
        """Let time begin anew."""
        self._simulation, self._commanded = Simulation(load(self._file)), Simulation(load(self._file))
        self._source = DirectSource(self._simulation, published=self._add)

    def _add(self, record: Record) -> None:
        self.watch.add(self._simulation.layout, record)

    def drive(self, seconds: float, speed: float) -> None:
        """Drive the robot on."""
        self._commanded.command("robot1", "motors", SET_VELOCITY, (speed, 0.0))
        for _ in range(round(100 * seconds)):
            with self._source.writing() as (_, rows):
                np.copyto(rows, self._commanded.commands)
            self._source.grant_tick()
            self._source.work()

    def insert(self, text: str) -> None:
        """Put something in: its records have another layout."""
        for simulation in (self._simulation, self._commanded):
            apply(simulation, Insert(text))

    def standing(self, *, is_over: bool = False) -> dict[str, dict[str, Any]]:
        return {goal["name"]: goal for goal in self.watch.standing(is_over=is_over)}


@pytest.fixture
def run(tmp_path: Path) -> WatchedRun:
    file = tmp_path / "goals.scenario"
    file.write_text(SCENE, encoding="utf-8")
    return WatchedRun(file)


def test_a_goal_that_is_not_reached_is_open_until_the_run_is_over(run: WatchedRun) -> None:
    run.drive(0.5, 0.0)
    standing = run.standing()
    assert list(standing) == ["there", "far", "outside", "way"]
    assert (standing["there"]["met"], standing["there"]["text"]) == (None, "there: to be reached")
    over = run.standing(is_over=True)
    assert (over["there"]["met"], over["far"]["met"]) == (False, False)
    assert "to be reached" not in over["far"]["text"]


def test_what_is_reached_stays_so_with_its_time(run: WatchedRun) -> None:
    run.drive(4.0, 0.5)
    reached = run.standing()["there"]
    assert reached["met"] is True
    assert 1.0 < reached["at"] < 3.0
    assert not reached["text"].startswith("goal ")
    run.drive(2.0, -0.5)
    assert run.standing()["there"] == reached
    assert run.standing()["far"]["met"] is None


def test_what_is_to_be_avoided_counts_as_met_until_it_happens(run: WatchedRun) -> None:
    run.drive(0.2, 0.0)
    assert run.standing()["outside"]["met"] is True
    run.drive(2.0, 0.5)
    assert run.standing()["outside"]["met"] is False


def test_scores_are_open_while_the_run_goes_on_and_after(run: WatchedRun) -> None:
    run.drive(1.0, 0.5)
    for is_over in (False, True):
        score = run.standing(is_over=is_over)["way"]
        assert (score["met"], score["at"]) == (None, None)
        assert score["text"] == "way: path_length is measured when the run is judged"


def test_where_time_begins_anew_goals_do_so_too(run: WatchedRun) -> None:
    run.drive(4.0, 0.5)
    assert run.standing()["there"]["met"] is True
    run.begin()
    run.drive(0.3, 0.0)
    standing = run.standing()
    assert (standing["there"]["met"], standing["outside"]["met"]) == (None, True)


def test_asking_in_between_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "goals.scenario"
    file.write_text(SCENE, encoding="utf-8")
    often, once = WatchedRun(file), WatchedRun(file)
    for _ in range(40):
        often.drive(0.1, 0.5)
        often.standing()
    once.drive(4.0, 0.5)
    assert often.standing() == once.standing()
    assert not once.watch.is_over


def test_a_run_without_records_has_all_goals_open(run: WatchedRun) -> None:
    assert {goal["met"] for goal in run.standing().values()} <= {None, True, False}
    assert run.standing()["there"]["met"] is None


def test_what_is_put_in_while_the_run_goes_on_changes_no_goal(tmp_path: Path) -> None:
    file = tmp_path / "goals.scenario"
    file.write_text(SCENE, encoding="utf-8")
    plain, changed = WatchedRun(file), WatchedRun(file)
    plain.drive(4.0, 0.5)
    changed.drive(1.0, 0.5)
    changed.insert("[OBJECT_1]\ntype box\nname first\nsize 0.2 0.2 0.2\nposition 0 4 0\nmass 1\n")
    changed.drive(1.0, 0.5)
    changed.insert("[OBJECT_1]\ntype box\nname second\nsize 0.2 0.2 0.2\nposition 0 -4 0\nmass 1\n")
    changed.drive(2.0, 0.5)
    assert changed.standing() == plain.standing()
