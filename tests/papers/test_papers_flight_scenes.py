"""Scenes of SwarmSimX: a sphere of quadrotors, grasping together, virtual obstacles for a real robot."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from coopsim.features.laws import grasp, shadow, sphere
from coopsim.features.laws.shadow import NamedRobot, StandIn
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation


def positions_of(simulation: Simulation, names: Sequence[str]) -> Floats:
    simulation.engine.fill()
    rows = [list(simulation.engine.names).index(name) for name in names]
    positions: Floats = simulation.engine.poses[rows, :3].copy()
    return positions


def test_s_48_seventy_quadrotors_in_formation_on_a_spherical_surface() -> None:
    simulation = Simulation(load("sphere"))
    names = [f"q{k + 1}" for k in range(70)]
    nearest = np.inf

    def note_gaps(_: object) -> None:
        nonlocal nearest
        seen = [simulation.reading(name, "neighbours")[3] for name in names]
        nearest = min(nearest, *(gap for gap in seen if gap > 0.0))

    server = LocalServer(simulation, wait_for=names, duration=14.0, published=note_gaps)
    assert server.run(partial(sphere.main, ["--robots", *names, "--turn", "0.1"])) == [0]
    positions = positions_of(simulation, names)
    gaps = np.linalg.norm(positions[:, None] - positions[None], axis=2) + 10.0 * np.eye(70)
    np.testing.assert_allclose(np.linalg.norm(positions - (0.0, 0.0, 5.0), axis=1), 3.5, atol=0.15)
    assert gaps.min() > 1.1
    assert nearest > 0.4  # nor did any two touch on the way
    assert not list(simulation.failures)


def test_s_48_a_quadrotor_and_a_robot_on_the_ground_grasp_a_bar_together(capsys: pytest.CaptureFixture[str]) -> None:
    """Both are in one world; friction of their fingers holds the bar."""
    simulation = Simulation(load("aerial_grasp"))
    bar, air = positions_of(simulation, ["bar", "air"])
    server = LocalServer(simulation, wait_for=("ground", "air"), duration=40.0)
    assert server.run(partial(grasp.main, ["--robots", "air", "ground", "--distance", "1"])) == [0]
    assert "grasp: bar brought over 1 m" in capsys.readouterr().out
    after, above = positions_of(simulation, ["bar", "air"])
    assert after[0] - bar[0] == pytest.approx(-1.0, abs=0.1)
    assert abs(after[1]) < 0.05
    assert 0.37 < after[2] < 0.45  # one end is as high as before, the other one is lifted by 0.25 m
    assert above[2] > air[2] + 0.4
    assert [simulation.reading(name, "gripper")[2] for name in ("ground", "air")] == [1.0, 1.0]


@pytest.mark.parametrize(("robots", "words"), [(["air"], "name two robots"), (["ground"], "name two robots")])
def test_grasping_needs_one_robot_that_drives_and_one_that_flies(
    robots: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = LocalServer(Simulation(load("aerial_grasp")), wait_for=robots, duration=1.0)
    assert server.run(partial(grasp.main, ["--robots", *robots])) == [1]
    assert words in capsys.readouterr().err


def test_s_49_simulated_sensors_feed_the_controller_of_a_robot_that_is_not_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[tuple[float, float]] = []
    drive = StandIn.drive

    def noted(self: StandIn, v: float, w: float, dt: float) -> None:
        drive(self, v, w, dt)
        ways.append(self.pose()[:2])

    monkeypatch.setattr(StandIn, "drive", noted)
    simulation = Simulation(load("virtual_obstacles"))
    server = LocalServer(simulation, wait_for=("shadow",), duration=40.0)
    assert server.run(partial(shadow.main, ["--robots", "shadow", "--goals", "3.5 0"])) == [0]
    assert "the stand-in is there" in capsys.readouterr().out
    way = np.array(ways)
    for place, radius in (((-1.5, 0.15), 0.3), ((1.9, 0.4), 0.2)):  # it knows of them by the shadow's sonars alone
        assert np.linalg.norm(way - place, axis=1).min() > radius + 0.25
    assert np.linalg.norm(way[-1] - (3.5, 0.0)) < 0.3
    assert np.linalg.norm(positions_of(simulation, ["shadow"])[0, :2] - way[-1]) < 0.1


def test_s_49_a_named_robot_is_asked_by_its_modules_where_it_is_and_driven_by_them() -> None:
    """Here it stands in another simulation, which has no obstacles and another step."""
    simulation = Simulation(load("single"))
    sim = LocalServer(simulation).connect()
    robot = NamedRobot(sim.robot("robot1"))
    begin = robot.pose()
    sim.clock.pause()
    robot.drive(0.2, 0.0, 0.02)
    sim.clock.step(100)
    assert np.hypot(*np.subtract(robot.pose()[:2], begin[:2])) == pytest.approx(0.2, abs=0.05)
