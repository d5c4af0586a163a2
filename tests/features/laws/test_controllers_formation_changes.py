"""Formations whose robots come and go, and whose leader changes, while they march."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coopsim.client import Client, Stepper, connect
from coopsim.errors import SimulationEnded
from coopsim.features.laws.formation import current_formation, main, order_of_march, places
from coopsim.features.laws.formation_law import FormationParameters
from coopsim.features.laws.formation_shapes import CUSTOM, remaining, shape
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

TEAM = ("a", "b", "c", "d")


def test_those_that_are_left_close_up_or_keep_the_gap() -> None:
    left = ["a", "b", "d"]
    assert current_formation(FormationParameters(shape="column", spacing=1.0), TEAM, left).shape.places[
        :, 0
    ].tolist() == [0, -1, -2]
    kept = current_formation(FormationParameters(shape="column", spacing=1.0, gaps="keep"), TEAM, left)
    assert kept.shape.places[:, 0].tolist() == [0, -1, -3]
    own = current_formation(FormationParameters(shape=CUSTOM, spacing=1.0, offsets="-1 0 -2 0 -5 1"), TEAM, left)
    assert own.shape.places.tolist() == [[0, 0], [-1, 0], [-5, 1]]


def test_when_the_first_leaves_the_next_one_leads_and_everybody_keeps_its_place() -> None:
    everybody = shape("vee", 12, 1.0)
    for leaving in (0, 2):
        left = [robot for robot in range(12) if robot != leaving]
        kept = remaining(everybody, left)
        assert kept.parents[0] == 0
        assert (kept.parents[1:] < np.arange(1, 11)).all()
        assert kept.places == pytest.approx(everybody.places[left] - everybody.places[left[0]])
        assert kept.offsets == pytest.approx(kept.places - kept.places[kept.parents])


def test_the_robot_that_leads_goes_first_and_the_others_in_their_order() -> None:
    assert [order_of_march(4, leader) for leader in (1, 3, 5)] == [[0, 1, 2, 3], [2, 0, 1, 3], [0, 1, 2, 3]]
    law = FormationParameters(shape="column", spacing=1.0, leader=3)
    assert current_formation(law, TEAM, TEAM).robots == ("c", "a", "b", "d")
    assert current_formation(law, TEAM, ("b", "d")).robots == ("b", "d")
    settings = {"shape": "column", "spacing": "1", "leader": "3"}
    assert places(4, settings)[:, 0].tolist() == [-1, -2, 0, -3]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--gaps", "kep"], "argument --gaps: 'kep' is none of close, keep; did you mean 'keep'?"),
        (["--shape", "custom", "--newcomers", "x*"], "argument --newcomers: the shape custom has places for --robots"),
        (["--leader", "0"], "leader must lie within 1 and 10000"),
    ],
)
def test_a_wrong_wish_is_refused(words: Sequence[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--robots", "robot1", *words])
    assert problem in capsys.readouterr().err


def robot(name: str, x: float, y: float = 0.0) -> str:
    return f"[ROBOT_1]\ntype single\nname {name}\nposition {x} {y} 0\n"


@pytest.fixture
def column(tmp_path: Path) -> Simulation:
    """A simulation of three robots in a column and a fourth aside, whose program lets time go on."""
    text = "[TARGET]\nred 9 0 0\n"
    for number, line in enumerate([*(robot(f"robot{n}", 0.8 - 0.8 * n) for n in (1, 2, 3)), robot("aside", 0, 5)], 1):
        text += line.replace("ROBOT_1", f"ROBOT_{number}")
    (tmp_path / "column.scenario").write_text(text)
    return Simulation(load(tmp_path / "column.scenario"))


Program = Callable[[Client, Stepper], None]


def march(simulation: Simulation, program: Program, *words: str) -> None:
    """Let the three march while a program does what it does; its steps take a second, and the run ends with it."""
    over: list[bool] = []

    def beside() -> None:
        with connect() as sim, sim.stepper(["aside"], every=100) as stepper:
            program(sim, stepper)
            over.append(True)
            with pytest.raises(SimulationEnded):
                stepper.step([(0.0, 0.0)])

    team = ["--robots", "robot1", "robot2", "robot3", "--shape", "column", "--newcomers", "late*", *words]
    server = LocalServer(simulation, wait_for=("robot1", "aside"), is_over=lambda: bool(over))
    server.run(partial(main, team), beside)


def steps(stepper: Stepper, seconds: int) -> None:
    for _ in range(seconds):
        stepper.step([(0.0, 0.0)])


def behind(sim: Client, *robots: str) -> Floats:
    """Return how far robots are behind the first of them [m]."""
    where = np.array([sim.world.get(robot).pose[:2] for robot in robots])
    away: Floats = np.hypot(*(where[1:] - where[0]).T)
    return away


def test_a_place_that_becomes_free_is_kept_and_taken_again(column: Simulation) -> None:
    def program(sim: Client, stepper: Stepper) -> None:
        steps(stepper, 1)
        sim.world.remove("robot2")
        steps(stepper, 5)
        assert behind(sim, "robot1", "robot3") == pytest.approx([1.6], abs=0.1)
        sim.world.insert(robot("robot2", 0.0, 1.0))
        steps(stepper, 8)
        assert behind(sim, "robot1", "robot2", "robot3") == pytest.approx([0.8, 1.6], abs=0.1)

    march(column, program, "--gaps", "keep")


def test_a_formation_closes_up_takes_in_who_comes_and_is_led_by_another(column: Simulation) -> None:
    def program(sim: Client, stepper: Stepper) -> None:
        steps(stepper, 1)
        sim.world.remove("robot1")
        sim.world.insert(robot("late1", -1.6))
        steps(stepper, 5)
        assert behind(sim, "robot2", "robot3", "late1") == pytest.approx([0.8, 1.6], abs=0.1)
        # robot2 is the second of those there ever were
        sim.module("/robot1/formation").parameters["leader"] = 3
        steps(stepper, 15)
        assert behind(sim, "robot3", "robot2", "late1") == pytest.approx([0.8, 1.6], abs=0.1)

    march(column, program)
