"""The frame of every control law's process."""

import math
from functools import partial

import pytest

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws.process import drive
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


@pytest.mark.parametrize(("rate", "ticks"), [(math.inf, 1), (20.0, 5), (30.0, 3), (1e4, 1)])
def test_a_law_decides_as_often_as_it_says_but_never_twice_in_a_tick(rate: float, ticks: int) -> None:
    seen: list[int] = []

    def begin(_sim: Client, stepper: Stepper) -> Law:
        def decide(readings: Readings) -> list[tuple[float, float]] | None:
            seen.append(readings.tick)
            return None if len(seen) == 4 else [(0.2, 0.0)] * len(stepper.robots)

        return decide

    server = LocalServer(Simulation(load("formation")))
    assert server.run(partial(drive, "test", ["robot1"], None, begin, rate)) == [0]
    assert seen == [0, ticks, 2 * ticks, 3 * ticks]


@pytest.mark.parametrize("late", [0, 2])
def test_a_law_begins_anew_where_a_robot_is_removed_before_its_name_is_told_to_another_one(
    monkeypatch: pytest.MonkeyPatch, late: int
) -> None:
    teams: list[tuple[str, ...]] = []
    answers, now = iter([("robot1", "robot2", "robot3")] * late), Client.robots
    monkeypatch.setattr(Client, "robots", lambda sim: next(answers, None) or now(sim))

    def begin(sim: Client, stepper: Stepper) -> Law:
        teams.append(stepper.robots)
        if len(teams) == 1:
            sim.world.remove("robot3")
        sim.module("/robot1/target").parameters["robots"] = " ".join(stepper.robots[1:])
        return lambda readings: None if readings.tick > 2 else [(0.2, 0.0)] * len(stepper.robots)

    server = LocalServer(Simulation(load("formation")))
    assert server.run(partial(drive, "test", ["robot1", "robot2", "robot3"], None, begin)) == [0]
    assert teams == [("robot1", "robot2", "robot3"), ("robot1", "robot2")]


def test_a_wrong_name_is_told_where_every_robot_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    def begin(sim: Client, stepper: Stepper) -> Law:
        sim.module("/robot1/target").parameters["robots"] = "robot9"
        return lambda _: None

    server = LocalServer(Simulation(load("formation")))
    assert server.run(partial(drive, "test", ["robot1", "robot2"], None, begin)) == [1]
    assert "there is no robot9" in capsys.readouterr().err


def test_a_package_that_is_not_installed_is_named_with_what_installs_it(capsys: pytest.CaptureFixture[str]) -> None:
    def begin(_sim: Client, _stepper: Stepper) -> Law:
        raise ModuleNotFoundError("No module named 'potentials'", name="potentials.solver")

    server = LocalServer(Simulation(load("formation")))
    assert server.run(partial(drive, "test", ["robot1"], None, begin)) == [1]
    text = capsys.readouterr().err
    assert "test: this needs the Python package potentials: " in text
    assert text.endswith("-m pip install potentials\n")


def test_a_missing_module_of_coopsim_is_a_mistake_of_its_own() -> None:
    def begin(_sim: Client, _stepper: Stepper) -> Law:
        raise ModuleNotFoundError("No module named 'coopsim.nothing'", name="coopsim.nothing")

    with pytest.raises(ModuleNotFoundError):
        LocalServer(Simulation(load("formation"))).run(partial(drive, "test", ["robot1"], None, begin))
