"""How bodies move in the pymunk engine."""

import math

import numpy as np
import pytest
from engine_standins import DT, body, engine_of, launch, steps, wall, where

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot


def test_rows_are_the_moving_bodies_in_order_of_their_names():
    engine = engine_of(body("b", 2.0), wall("a_wall", 5.0, 0.0, 0.1, 4.0), body("c", 3.0), body("a", 1.0))

    assert list(engine.names) == ["a", "b", "c"]
    assert engine.planar[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert engine.planar.flags.c_contiguous
    assert engine.planar.dtype == np.float64


def test_a_body_that_nothing_touches_keeps_its_velocity():
    engine = engine_of(body("ball", 0.0, 0.0, 0.5))
    launch(engine, "ball", vx=0.3, vy=-0.2, w=0.7)

    steps(engine, 100)

    assert where(engine, "ball") == pytest.approx([0.3, -0.2, 0.5 + 0.7, 0.3, -0.2, 0.7], abs=1e-12)


def test_a_force_accelerates_by_mass_and_a_torque_by_the_moment_of_inertia():
    """C-34: mass and mass distribution."""
    engine = engine_of(body("disc", mass=4.0))
    engine.wrench[0] = [2.0, -1.0, 0.0, 0.0, 0.0, 0.5]

    engine.step(DT)

    inertia = 4.0 * 0.25**2 / 2.0
    assert engine.inertia[0] == pytest.approx(inertia)
    assert where(engine, "disc")[3:] == pytest.approx([0.5 * DT, -0.25 * DT, 0.5 / inertia * DT])
    assert not engine.wrench.any()


def test_positions_are_integrated_before_velocities_as_the_lag_says():
    engine = engine_of(body("disc"))
    engine.wrench[0, 0] = 1.0

    engine.step(DT)

    assert engine.position_lag == 1
    assert where(engine, "disc")[0] == 0.0
    assert where(engine, "disc")[3] > 0.0


def test_a_wrench_lasts_for_all_substeps_and_no_longer():
    engine, fine = engine_of(body("disc")), engine_of(body("disc"))
    engine.wrench[0, 0] = fine.wrench[0, 0] = 3.0

    engine.step(DT)
    fine.step(DT, substeps=4)

    assert where(fine, "disc")[3] == pytest.approx(where(engine, "disc")[3])
    fine.step(DT)
    assert where(fine, "disc")[3] == pytest.approx(3.0 * DT)


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        ("box", (0.6, 0.2, 0.3), (0.36 + 0.04) / 12.0),
        ("cylinder", (0.4, 0.4, 0.9), 0.02),
        ("sphere", (0.4, 0.4, 0.4), 0.016),
    ],
)
def test_the_moment_of_inertia_follows_from_the_shape(kind, size, expected):
    """C-34: mass distribution."""
    engine = engine_of(body("thing", mass=3.0, kind=kind, size=size))

    assert engine.inertia[0] == pytest.approx(3.0 * expected)
    assert engine.mass[0] == 3.0


def test_a_composed_body_turns_about_its_centre_of_mass():
    """C-34: shapes can be composed."""
    shapes = (ShapeSpec("box", (0.2, 0.2, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(1.0, 0.0, 0.0)))
    spec = BodySpec("dumbbell", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 2.0, shapes)
    engine = PymunkEngine(WorldSpec((spec,)))
    launch(engine, "dumbbell", w=math.pi)

    steps(engine, 100)

    # half a turn about (0.5, 0) puts the origin of the body on the other side
    assert where(engine, "dumbbell")[:3] == pytest.approx([1.0, 0.0, math.pi], abs=1e-9)
    assert engine.inertia[0] == pytest.approx(2.0 * (0.08 / 12.0 + 0.25))


def test_fill_lifts_the_plane_into_space():
    engine = engine_of(body("disc", 1.0, 2.0, math.pi / 2, z=0.4))
    launch(engine, "disc", vx=0.1, vy=0.2, w=0.3)

    engine.fill()

    half = math.sqrt(0.5)
    assert engine.poses[0] == pytest.approx([1.0, 2.0, 0.4, half, 0.0, 0.0, half])
    assert engine.twists[0].tolist() == [0.1, 0.2, 0.0, 0.0, 0.0, 0.3]
    assert engine.height[0] == 0.4


def test_the_floor_brakes_by_friction_and_never_turns_motion_round():
    """C-34: friction coefficients."""
    engine = engine_of(body("block", kind="box", rolling=0.3))
    launch(engine, "block", vx=1.0, w=2.0)
    speeds, turns = [], []
    for _ in range(100):
        engine.step(DT)
        speeds.append(where(engine, "block")[3])
        turns.append(where(engine, "block")[5])

    assert speeds[9] == pytest.approx(1.0 - 0.3 * 9.81 * 0.1, abs=1e-6)
    assert min(speeds) >= -1e-12
    assert min(turns) >= -1e-12
    assert max(abs(where(engine, "block")[3:])) < 1e-9


def test_what_is_pushed_less_than_the_floor_holds_stands_still():
    engine = engine_of(body("block", mass=10.0, kind="box", rolling=0.5))
    limit = 0.5 * 10.0 * 9.81

    for _ in range(200):
        engine.wrench[0, 0] = 0.9 * limit
        engine.step(DT)
    assert abs(where(engine, "block")[0]) < 1e-9

    for _ in range(100):
        engine.wrench[0, 0] = 1.1 * limit
        engine.step(DT)
    assert where(engine, "block")[3] == pytest.approx(0.1 * limit / 10.0, rel=1e-3)


def test_a_robot_that_pushes_too_softly_does_not_move_a_heavy_block():
    engine = engine_of(body("robot", -0.5, mass=20.0), body("block", mass=40.0, kind="box", rolling=0.5))

    for _ in range(300):
        engine.wrench[list(engine.names).index("robot"), 0] = 80.0
        engine.step(DT)

    assert abs(where(engine, "block")[0]) < 1e-3
    assert abs(where(engine, "robot")[3]) < 1e-3


def test_set_state_puts_bodies_where_they_are_wanted():
    engine = engine_of(*(body(f"b{k}", float(k)) for k in range(4)))

    engine.set_state(np.array([2, 0]), np.array([[5.0, 6.0, 0.1, 1.0, 2.0, 3.0], [7.0, 8.0, 0.2, 0.0, 0.0, 0.0]]))

    assert engine.planar[2].tolist() == [5.0, 6.0, 0.1, 1.0, 2.0, 3.0]
    assert engine.planar[0].tolist() == [7.0, 8.0, 0.2, 0.0, 0.0, 0.0]
    assert engine.planar[1, 0] == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e30])
def test_a_device_that_writes_an_impossible_force_is_named_by_its_robot(value):
    engine = engine_of(body("first"), body("second", 3.0))
    engine.wrench[1, 1] = value

    with pytest.raises(EngineCannot, match="'second'"):
        engine.step(DT)

    # the world goes on unharmed
    steps(engine, 2)
    assert np.isfinite(engine.planar).all()


def test_an_empty_world_steps():
    engine = engine_of()

    steps(engine, 3)

    assert engine.planar.shape == (0, 6)
    assert len(engine.contacts().pairs) == 0
    assert list(engine_of(wall("only", 0.0, 0.0, 1.0, 1.0)).names) == []
