"""Supports: what they read of a load, how teams stand, and joints that come and go by message."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument, BadFile, NoSuchName
from coopsim.robots import check, load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import Insert, Join, Part, Remove, SetParameter, Update

ENGINES = ("pymunk", "mujoco")
TEAM = "[ROBOT_1]\ntype team2\nname team1\n"
ANGLE, X, Y, FORCE_X, FORCE_Y, LOADED = range(6)
_SET_VELOCITY = 10


def team(folder: Path, keys: str = "", engine: str = "pymunk") -> Simulation:
    """Return a simulation of a team alone."""
    (folder / "team.scenario").write_text(f"[WORLD]\nfile empty\n{TEAM}{keys}")
    return Simulation(load(folder / "team.scenario"), engine=engine)


def ticks(simulation: Simulation, count: int, leader: float = 0.0, helper: float = 0.0) -> None:
    """Drive leader and helper at these speeds [m/s]."""
    for _ in range(count):
        simulation.command("team1/leader", "motors", _SET_VELOCITY, (leader, 0.0))
        simulation.command("team1/helper", "motors", _SET_VELOCITY, (helper, 0.0))
        simulation.tick()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("heading", [0, 35, -130])
def test_a_team_stands_calmly_with_its_bar_at_any_pose_and_heading(tmp_path: Path, engine: str, heading: int) -> None:
    simulation = team(tmp_path, f"position 3 -2 0\norientation 0 0 {heading}\nlength 2.5\nmass 5\n", engine)
    before = simulation.engine.planar.copy()
    ticks(simulation, 200)
    assert simulation.engine.planar == pytest.approx(before, abs=2e-3)
    for robot, side in (("team1/leader", -1.0), ("team1/helper", 1.0)):
        seen = simulation.reading(robot, "support")
        assert seen[ANGLE] == pytest.approx(side * math.pi / 2, abs=0.01)
        assert np.hypot(seen[X], seen[Y]) < 1e-3
        assert np.hypot(seen[FORCE_X], seen[FORCE_Y]) < 1.0
        assert seen[LOADED] == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_the_spring_pushes_as_hard_as_it_is_pressed_and_both_ends_agree(tmp_path: Path, engine: str) -> None:
    simulation = team(tmp_path, "length 2.5\nmass 5\n", engine)
    turned = np.array([[0.0, 1.1, -math.pi / 2, 0.0, 0.0, 0.0], [0.0, -1.1, -math.pi / 2, 0.0, 0.0, 0.0]])
    for name in ("leader", "helper"):
        apply(simulation, Update(f"team1/{name}", "orientation 0 0 -90"))
    rows = [simulation.layout.robot[f"team1/{name}"].body for name in ("leader", "helper")]
    assert simulation.engine.planar[rows] == pytest.approx(turned, abs=1e-9)
    # the leader drives ahead of the helper, who brakes: both motors are at their limits
    ticks(simulation, 500, helper=-0.3, leader=0.3)
    leader, helper = (simulation.reading(f"team1/{name}", "support") for name in ("leader", "helper"))
    for seen in (leader, helper):
        assert seen[FORCE_X] == pytest.approx(4000.0 * seen[X], abs=8.0)
        assert abs(seen[FORCE_X]) == pytest.approx(80.0, abs=8.0)
    assert leader[FORCE_X] == pytest.approx(-helper[FORCE_X], abs=2.0)
    assert (leader[ANGLE], abs(helper[ANGLE])) == pytest.approx((0.0, math.pi), abs=0.05)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_that_pull_against_each_other_for_minutes_stay_together(tmp_path: Path, engine: str) -> None:
    simulation = team(tmp_path, "length 2.5\nmass 5\n", engine)
    for name in ("leader", "helper"):
        apply(simulation, Update(f"team1/{name}", "orientation 0 0 -90"))
    for part in range(6):
        ticks(simulation, 1000, leader=-0.4 if part % 2 else 0.4, helper=0.4 if part % 2 else -0.4)
        bar = simulation.engine.planar[list(simulation.engine.names).index("team1/bar")]
        ends = simulation.engine.planar[
            [simulation.layout.robot[f"team1/{role}"].body for role in ("leader", "helper")]
        ]
        assert np.isfinite(simulation.engine.planar).all()
        assert math.dist(ends[0, :2], ends[1, :2]) == pytest.approx(2.2, abs=0.13)
        assert math.dist(ends[:, :2].mean(axis=0), bar[:2]) < 0.07
        for name in ("leader", "helper"):
            seen = simulation.reading(f"team1/{name}", "support")
            assert np.abs(seen[X : Y + 1]).max() <= 0.061
            assert np.hypot(seen[FORCE_X], seen[FORCE_Y]) < 130.0


def test_a_robot_of_type_transport_alone_feels_nothing_until_a_load_is_put_on_it(tmp_path: Path) -> None:
    (tmp_path / "a.scenario").write_text("[WORLD]\nfile empty\n[ROBOT_1]\ntype transport\nname robot1\n")
    simulation = Simulation(load(tmp_path / "a.scenario"))
    simulation.tick()
    assert not simulation.reading("robot1", "support").any()
    apply(simulation, Insert("[OBJECT_1]\ntype box\nname plank\nsize 2 0.1 0.1\nposition 0.8 0 0.34\nmass 1\n"))
    apply(simulation, Join("on_top", "support", "robot1", "plank", "anchor 0 0 0.34\ntravel 0.05"))
    simulation.tick()
    seen = simulation.reading("robot1", "support")
    assert (seen[LOADED], seen[ANGLE]) == (1.0, pytest.approx(0.0, abs=1e-6))
    apply(simulation, Part("on_top"))
    simulation.tick()
    assert not simulation.reading("robot1", "support").any()
    assert "plank" in simulation.scene


def test_noise_of_a_support_is_what_its_parameters_say(tmp_path: Path) -> None:
    simulation = team(tmp_path)
    apply(simulation, SetParameter("team1/leader", "support", "noise_angle", 0.1))
    apply(simulation, SetParameter("team1/leader", "support", "noise_force", 3.0))
    seen = []
    for _ in range(400):
        simulation.tick()
        seen.append(simulation.reading("team1/leader", "support").copy())
    deviations = np.std(seen, axis=0)
    assert deviations[[ANGLE, FORCE_X, FORCE_Y]] == pytest.approx([0.1, 3.0, 3.0], rel=0.15)
    assert deviations[[X, Y, LOADED]] == pytest.approx(0.0, abs=1e-9)


def test_a_load_that_leaves_is_felt_no_longer_and_a_changed_one_stays(tmp_path: Path) -> None:
    simulation = team(tmp_path)
    apply(simulation, Update("team1/bar", "mass 4"))
    simulation.tick()
    assert simulation.reading("team1/helper", "support")[LOADED] == 1.0
    apply(simulation, Remove("team1/bar"))
    simulation.tick()
    assert not simulation.reading("team1/helper", "support").any()
    assert not simulation.layout.joints


def test_join_and_part_name_what_cannot_be(tmp_path: Path) -> None:
    simulation = team(tmp_path)
    with pytest.raises(NoSuchName, match="no body 'nobody'"):
        apply(simulation, Join("j", "pivot", "team1/leader", "nobody"))
    with pytest.raises(BadFile, match="a pivot has no travel"):
        apply(simulation, Join("j", "pivot", "team1/leader", "team1/helper", "travel 1"))
    with pytest.raises(BadArgument, match="join makes one joint"):
        apply(simulation, Join("j", "pivot", "team1/leader", "team1/helper", "[TARGET]\nred 1 1 0"))
    with pytest.raises(NoSuchName, match="no joint named 'j'"):
        apply(simulation, Part("j"))


def test_only_a_team_has_a_bar(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    path.write_text("[WORLD]\nfile empty\n[ROBOT_1]\ntype single\nname robot1\nlength 2\n")
    (problem,) = check(path)
    assert "only robots of type team2 carry one" in str(problem)
    path.write_text(f"[WORLD]\nfile empty\n{TEAM}length 0.5\n")
    assert len(check(path)) == 1
