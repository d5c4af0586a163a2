"""Wind at robots: a mean that takes them along, gusts of one field, and a mean by message."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.space.devices.wind import MODES, wave_sum, waves
from coopsim.features.space.wind_interface import WIND
from coopsim.interfaces import command_numbers
from coopsim.robots import check, load
from coopsim.simulation import Simulation

SET, RESTORE = command_numbers(WIND).set_mean, command_numbers(WIND).restore
ROBOT = """[ROBOT]
summary  a board in the wind
[BODY]
type     box
size     0.4 0.4 0.1
mass     1
wheels   no
[DEVICE_1]
type     wind
name     wind
paces    no
{}"""
SCENE = """[ROBOT_1]
type     board
name     a
position 0 0 50
[ROBOT_2]
type     board
name     b
position 0.5 0 50
[ROBOT_3]
type     board
name     far
position 0 90 50
[SIMULATION]
engine   {}
step     0.02
"""


def simulation(folder: Path, settings: str, engine: str = "flight") -> Simulation:
    (folder / "board.robot").write_text(ROBOT.format(settings))
    (folder / "run.scenario").write_text(SCENE.format(engine))
    return Simulation(load(folder / "run.scenario"))


def speed(sim: Simulation, robot: str = "a") -> np.ndarray:
    return sim.engine.twists[list(sim.engine.names).index(robot), :3].copy()


@pytest.mark.parametrize("engine", ["flight", "mujoco"])
def test_a_steady_wind_takes_a_body_along_as_the_closed_form_says(tmp_path: Path, engine: str) -> None:
    sim = simulation(tmp_path, "x 6\ny -3\ndrag 0.5", engine)
    for _ in range(50):
        sim.tick()
    share = 1.0 - math.exp(-0.5)
    assert speed(sim)[:2] == pytest.approx([6.0 * share, -3.0 * share], rel=1e-9)
    # it falls with the drag of the same air
    assert speed(sim)[2] == pytest.approx(-9.81 / 0.5 * share, rel=1e-9)
    assert sim.reading("a", "wind") == pytest.approx([6.0, -3.0, 0.0])


def test_a_message_changes_the_mean_and_another_one_restores_it(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "x 6")
    sim.command("a", "wind", SET, (0.0, 2.0, 0.0))
    sim.tick()
    assert sim.reading("a", "wind") == pytest.approx([0.0, 2.0, 0.0])
    assert sim.reading("b", "wind") == pytest.approx([6.0, 0.0, 0.0])
    sim.command("a", "wind", SET, (math.nan, 2.0, 0.0))
    sim.tick()
    assert sim.reading("a", "wind") == pytest.approx([0.0, 2.0, 0.0])
    sim.command("a", "wind", RESTORE, ())
    sim.tick()
    assert sim.reading("a", "wind") == pytest.approx([6.0, 0.0, 0.0])


def test_a_mean_that_grows_with_height_is_the_one_given_at_its_height(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "x 6\nshear 0.5\nheight 12.5")
    sim.tick()
    assert sim.reading("a", "wind")[0] == pytest.approx(12.0, rel=1e-3)  # sqrt(50 / 12.5) times as strong


def test_robots_near_each_other_feel_one_gust_and_those_far_away_another(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "x 5\ngust 2\ngust_vertical 1\nlength 40\nlength_vertical 10")
    winds = []
    for _ in range(100):
        sim.tick()
        winds.append([sim.reading(name, "wind").copy() for name in ("a", "b", "far")])
    near, far = (np.abs(np.array(winds)[:, 0] - np.array(winds)[:, k]).mean() for k in (1, 2))
    assert 0.0 < near < 0.5 * far
    assert np.array(winds)[:, 0].std(axis=0).min() > 0.05


def test_a_run_in_gusts_is_the_same_again_and_another_field_is_another_run(tmp_path: Path) -> None:
    ends = []
    for field in (1, 1, 2):
        sim = simulation(tmp_path, f"preset moderate\nfield {field}")
        for _ in range(20):
            sim.tick()
        ends.append(speed(sim).tolist())
    assert ends[0] == ends[1] != ends[2]


def test_waves_carry_one_energy_and_lie_as_the_spectra_of_dryden_say() -> None:
    table = waves(7)
    shares = (np.arange(MODES) + 0.5) / MODES
    assert 2.0 / math.pi * np.arctan(table[0, :, 0]) == pytest.approx(shares)
    across = table[1, :, 0]
    assert (2.0 * np.arctan(across) - across / (1.0 + across**2)) / math.pi == pytest.approx(shares)
    apart = np.linspace(0.0, 1e5, 3001)
    values = np.array([wave_sum(table[0], x, 0.3, -0.2) for x in apart])
    assert values.var() == pytest.approx(1.0, abs=0.05)


def test_a_preset_is_known_and_a_wrong_one_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    simulation(tmp_path, "preset severe")
    assert all(problem.is_warning for problem in check(tmp_path / "run.scenario"))
    (tmp_path / "board.robot").write_text(ROBOT.format("preset hurricane"))
    (problem,) = check(tmp_path / "board.robot")
    assert problem.span.line == 12
    assert "severe" in problem.text
