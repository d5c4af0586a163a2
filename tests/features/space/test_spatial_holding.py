"""Static friction of the MuJoCo engine: what has slid comes to rest below the limit of a push, and slides above it."""

import math

import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.features.space.engine import MujocoEngine
from coopsim.geometry import quaternion
from coopsim.robots import load
from coopsim.simulation import Simulation

GRAVITY = 9.81
CRATE, CUBE, SLAB = (0.5, 0.5, 0.4), (0.3, 0.3, 0.3), (0.8, 0.4, 0.3)


def crate(mass: float, size: tuple[float, float, float], friction: float, *more: BodySpec) -> MujocoEngine:
    body = BodySpec("crate", (0, 0, 0, 1, 0, 0, 0), mass, (ShapeSpec("box", size, friction),), friction)
    return MujocoEngine(WorldSpec((body, *more), (), floor_friction=1.0))


def pushed(engine: MujocoEngine, force: float, speed: float, step: float, time: float, spin: float = 0.0) -> np.ndarray:
    """Return the velocity of a crate that slides and is pushed for a while."""
    for _ in range(20):
        engine.step(step)
    engine.set_spatial_state(np.array([0]), engine.poses[:1].copy(), np.array([[speed, 0, 0, 0, 0, spin]]))
    for _ in range(round(time / step)):
        engine.wrench[0, 0] += force
        engine.step(step)
    return engine.twists[0].copy()


@pytest.mark.parametrize("step", [0.002, 0.01, 0.02])
@pytest.mark.parametrize(("mass", "size"), [(14, CRATE), (2, CUBE), (30, SLAB)])
@pytest.mark.parametrize("friction", [0.1, 0.36, 0.6])
def test_what_slides_comes_to_rest_under_a_push_below_the_limit(
    step: float, mass: float, size: tuple[float, float, float], friction: float
) -> None:
    for part in (0.29, 0.7, 0.9):
        speed = 0.3 * min(1.0, friction / 0.3 * (1.0 - part) * 4.0)
        engine = crate(mass, size, friction)
        time = speed / ((1.0 - part) * friction * GRAVITY) + 2.0
        twist = pushed(engine, part * friction * mass * GRAVITY, speed, step, time, spin=0.5)
        assert np.abs(twist).max() < 1e-3, part


@pytest.mark.parametrize("step", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("friction", [0.1, 0.36, 0.6])
def test_kinetic_friction_is_coulombs(step: float, friction: float) -> None:
    engine = crate(10.0, (0.5, 0.5, 0.2), friction)
    push = 1.2 * friction * 10.0 * GRAVITY
    gained = pushed(engine, push, 0.3, step, 2.0)[0] - 0.3
    assert (push - 10.0 * gained / 2.0) / (friction * 10.0 * GRAVITY) == pytest.approx(1.0, abs=2e-3)


def test_a_crate_that_has_slid_holds_beside_an_arm() -> None:
    # a world with a chain goes another way through the same friction
    base = BodySpec("foot", (5, 0, 0, 1, 0, 0, 0), 5.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), is_bolted=True)
    rod = BodySpec("rod", (5, 0, 0.1, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.4)),))
    hinge = JointSpec("swing", "hinge", "foot", "rod", (5, 0, 0.1), (0, 1, 0), is_chained=True)
    engine = crate(30.0, CRATE, 0.36, base, rod)
    engine.add_joint(hinge)
    assert np.abs(pushed(engine, 0.9 * 0.36 * 30.0 * GRAVITY, 0.3, 0.01, 2.0)).max() < 1e-3


@pytest.mark.parametrize(("degrees", "expected"), [(20.0, 0.0), (29.0, 0.0), (35.0, 0.804)])
def test_a_box_on_an_incline_holds_below_the_angle_of_its_friction(degrees: float, expected: float) -> None:
    angle = math.radians(degrees)
    turn = quaternion(0.0, angle, 0.0)
    body = BodySpec("crate", (0, 0, 0.01, *turn), 2.0, (ShapeSpec("box", CUBE, 0.6),), 0.6)
    engine = MujocoEngine(WorldSpec((body,), (), floor_friction=1.0, floor_orientation=(0.0, angle, 0.0)))
    for _ in range(200):
        engine.step(0.01)
    before = float(np.linalg.norm(engine.twists[0, :3]))
    for _ in range(100):
        engine.step(0.01)
    along = float(np.linalg.norm(engine.twists[0, :3]))
    assert along - before == pytest.approx(expected, abs=0.02)
    if not expected:
        assert along < 1e-3


def test_what_moves_on_joints_is_a_link_and_neither_what_it_holds_nor_what_it_stands_on_is() -> None:
    engine = Simulation(load("pick_and_place")).engine
    assert isinstance(engine, MujocoEngine)
    model = engine.solved()
    links = {name: model.surfaces[model.rows == row, 4].any() for row, name in enumerate(engine.names)}
    arm = {name: is_link for name, is_link in links.items() if name.partition(".")[0] == "abb"}
    assert {"abb.left", "abb.right", "abb.palm"} <= set(arm)
    assert [name for name, is_link in arm.items() if not is_link] == ["abb"]
    assert not any(is_link for name, is_link in links.items() if name.startswith("block"))
    assert not model.surfaces[model.rows < 0, 4].any()
