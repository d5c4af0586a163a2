"""Ticks of worlds with joints on pymunk as one compiled call: the same bits as the tick in Python."""

import math
from pathlib import Path

import numpy as np
import pytest
from compiled_pairs import Both

from coopsim.robots import load
from coopsim.simulation.edits import apply
from coopsim.state.edits import Insert, Join, Part, Remove, SetParameter, SetStep, Update

TEAM = "[WORLD]\nfile empty\n[ROBOT_1]\ntype team2\nname team1\n[ROBOT_2]\ntype transport\nname alone\nposition 3 0 0\n"
POST = """\
[OBJECT_1]
name post
type box
size 0.1 0.1 0.1
position 0 0 0
[OBJECT_2]
name arm
type box
size 1 0.1 0.1
position 0.5 0 0
mass 2
friction 0
[OBJECT_3]
name box
type box
size 0.1 0.1 0.1
position 1 0 0
mass 1
friction 0
[JOINT_1]
name turn
type hinge
bodies post arm
[JOINT_2]
name way
type slide
bodies arm box
axis 1 0 0
anchor 1 0 0
"""
ROBOTS = "alone", "team1/helper", "team1/leader"


def pair(folder: Path, text: str, **settings: float) -> Both:
    (folder / "a.scenario").write_text(text)
    return Both(load(folder / "a.scenario"), **settings)


def drive(both: Both, *speeds: float) -> None:
    for robot, speed in zip(ROBOTS, speeds, strict=True):
        both.do(lambda each, robot=robot, speed=speed: each.command(robot, "motors", 10, (speed, 0.1)))  # type: ignore[misc]


@pytest.mark.parametrize("step", [0.01, 0.03])
def test_a_bar_that_two_robots_carry_has_the_bits_of_one_in_python(tmp_path: Path, step: float) -> None:
    both = pair(tmp_path, TEAM, step=step)
    drive(both, 0.4, -0.3, 0.3)
    both.tick(300)
    angle, *_, pushed, loaded = both.compiled.reading("team1/leader", "support")
    assert (abs(angle) > 1e-3, abs(pushed) > 1e-3, loaded) == (True, True, 1.0)
    assert not both.compiled.reading("alone", "support").any()


def test_noise_edits_and_loads_that_come_and_go_count(tmp_path: Path) -> None:
    both = pair(tmp_path, TEAM, seed=3)
    drive(both, 0.3, 0.3, 0.2)
    both.tick(20)
    for edit in (
        SetParameter("team1/leader", "support", "noise_force", 2.0),
        SetParameter("team1/helper", "support", "noise_angle", 0.02),
        Update("team1/leader", "position 0.1 1.1 0\norientation 0 0 -60"),
        Part("team1/helper/support"),
        Join("again", "support", "team1/helper", "team1/bar", "anchor 0 0 0.34\ntravel 0.05"),
        SetStep(0.02),
        Remove("team1/bar"),
    ):
        both.do(lambda each, edit=edit: apply(each, edit))  # type: ignore[misc]
        drive(both, 0.3, 0.3, 0.2)
        both.tick(15)
    assert not both.compiled.engine.joints


def test_efforts_turn_hinges_and_push_slides_and_a_wild_one_is_told(tmp_path: Path) -> None:
    both = pair(tmp_path, "[WORLD]\nfile empty\n")
    both.do(lambda each: apply(each, Insert(POST)))
    both.tick(3)
    for k in range(100):
        both.do(lambda each, k=k: each.engine.joint_effort.__setitem__(slice(None), (3.0, math.sin(k))))  # type: ignore[misc]
        both.tick(1)
    assert both.compiled.engine.joint_position[0] > 0.5
    both.do(lambda each: each.engine.joint_effort.__setitem__(1, np.nan))
    both.tick(2)
    (stumble,) = both.compiled.failures.stumbles
    assert stumble.text.startswith("the effort of joint 'way' is not a finite number")
    assert [side.failures.stumbles for side in both.each] == [[stumble], [stumble]]
