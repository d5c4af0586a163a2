"""Robots on wheels in space: how they stand, rest, wake and push."""

from dataclasses import replace

import numpy as np
import pytest
from spatial_standins import DT, G, engine_of, launch, lean, pose, robot, row, run, thing

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.features.space.kernels import NEVER, QUIET


def resting(engine, name):
    return bool(engine._state.rest[row(engine, name)] == QUIET)


def test_a_robot_stands_where_it_was_put_and_rolls_freely():
    engine = engine_of(robot("robot", 1.0, 2.0, yaw=0.5))
    launch(engine, "robot", vx=0.4, vy=0.2, w=0.1)

    run(engine, 5.0)

    assert engine.planar[0].tolist() == pytest.approx([3.0, 3.0, 1.0, 0.4, 0.2, 0.1])
    assert engine.height[0] == 0.0
    assert engine.poses[0, 4:6].tolist() == pytest.approx([0.0, 0.0], abs=1e-15)


def test_a_resting_robot_has_no_contacts_to_be_worked_out():
    engine = engine_of(robot("robot"))

    run(engine, 0.1)

    assert engine._model.data.ncon == 0
    assert resting(engine, "robot")


def test_a_robot_that_falls_on_its_feet_comes_to_rest():
    engine = engine_of(robot("robot", z=0.1))
    run(engine, 0.05)
    assert not resting(engine, "robot")

    run(engine, 2.0)

    assert resting(engine, "robot")
    assert engine.height[0] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("size", [(0.5, 0.5, 0.3), (0.2, 0.2, 0.5), (1.0, 1.0, 0.15)])
def test_feet_hold_a_robot_where_a_resting_one_is_held(size):
    """Waking must not make a robot hop."""
    engine = engine_of(robot("robot", size=size))
    engine._state.rest[:] = NEVER

    run(engine, 2.0)

    assert engine.height[0] == pytest.approx(0.0, abs=1e-6)


def test_a_touch_wakes_a_robot():
    engine = engine_of(robot("robot"), thing("ball", z=0.6, kind="sphere", size=(0.1, 0.1, 0.1)))
    run(engine, 0.1)
    assert resting(engine, "robot")

    for _ in range(40):
        engine.step(DT)
        if not resting(engine, "robot"):
            break

    assert engine.height[1] < 0.31
    assert not resting(engine, "robot")


@pytest.mark.parametrize("column", [2, 3, 4])
def test_a_force_upwards_or_a_torque_that_tilts_wakes_a_robot(column):
    engine = engine_of(robot("robot"))
    engine.wrench[0, column] = 1.0

    engine.step(DT)

    assert not resting(engine, "robot")


def test_a_robot_is_lifted_by_more_than_its_weight():
    engine = engine_of(robot("robot"))

    run(engine, 1.0, ("robot", 0.0, 0.0, 20.0 * (G + 1.0), 0.0, 0.0, 0.0))

    assert engine.height[0] == pytest.approx(0.5, abs=0.02)


def test_who_touches_a_wall_is_no_slower_to_leave_it():
    engine = engine_of(robot("robot", 0.69), thing("wall", 1.0, mass=0.0, size=(0.1, 4.0, 0.5)))
    run(engine, 0.5, ("robot", 30.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    run(engine, 1.0, ("robot", -20.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    assert engine.planar[0, 0] == pytest.approx(0.2, abs=0.03)


def test_robots_never_rest_on_a_slope_but_slide_down_it():
    engine = engine_of(
        BodySpec("robot", pose_on_slope(0.1), 20.0, (ShapeSpec("cylinder", (0.5, 0.5, 0.3)),), wheeled=True), tilt=0.1
    )

    run(engine, 1.0)

    assert engine.twists[0, 0] == pytest.approx(G * np.sin(0.1) * np.cos(0.1), rel=0.02)
    assert not resting(engine, "robot")


def pose_on_slope(angle):
    return (0.0, 0.0, 0.0, float(np.cos(angle / 2)), 0.0, float(np.sin(angle / 2)), 0.0)


def test_a_robot_pushes_a_tall_box_over_above_its_middle_and_shifts_it_below():
    """Below the middle a box that begins to fall is pushed at its lower edge, which sets it upright again."""
    tower = thing("tower", mass=2.0, size=(0.2, 0.6, 1.0), friction=1.0)
    low = robot("robot", -1.0)
    high = replace(low, shapes=(*low.shapes, ShapeSpec("box", (0.6, 0.2, 0.1), position=(0.4, 0.0, 0.8))))
    for pusher, is_over in ((low, False), (high, True)):
        engine = engine_of(pusher, tower)
        for _ in range(400):
            engine.wrench[row(engine, "robot"), 0] = 2000.0 * (0.3 - engine.planar[row(engine, "robot"), 3])
            engine.step(DT)

        assert (lean(engine, "tower") > 1.0) is is_over
        assert engine.planar[row(engine, "tower"), 0] > 0.3
        assert lean(engine, "robot") < 0.2


def test_a_robot_that_is_overturned_lies_on_its_side():
    engine = engine_of(robot("robot"))
    run(engine, 0.35, ("robot", 0.0, 0.0, 0.0, 60.0, 0.0, 0.0))

    run(engine, 3.0)

    assert lean(engine, "robot") > 1.0
    assert engine.poses[0, 2] > -0.01


def test_a_robot_drives_up_a_ramp_and_over_its_top():
    ramp = thing("ramp", 2.0, z=-0.05, turn=(0.0, -0.15, 0.0), mass=0.0, size=(3.0, 2.0, 0.05))
    engine = engine_of(robot("robot"), ramp)

    highest = 0.0
    for _ in range(900):
        engine.wrench[0, 0] = np.clip(2000.0 * (0.5 - engine.planar[0, 3]), -80.0, 80.0)
        engine.wrench[0, 1] = np.clip(-2000.0 * engine.planar[0, 4], -80.0, 80.0)
        engine.step(DT)
        highest = max(highest, engine.height[0])

    assert highest > 0.2
    assert engine.planar[0, 0] > 3.5


def test_a_box_on_wheels_stands_on_three_feet():
    body = BodySpec(
        "cart", (0.0, 0.0, 0.02, 1.0, 0.0, 0.0, 0.0), 10.0, (ShapeSpec("box", (0.8, 0.4, 0.3)),), wheeled=True
    )
    engine = engine_of(body)

    run(engine, 2.0)

    assert pose(engine, "cart").tolist() == pytest.approx([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], abs=1e-4)
