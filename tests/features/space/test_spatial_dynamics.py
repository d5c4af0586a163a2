"""Damping, friction and springs in joints of the MuJoCo engine against own integration, and joints that follow."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.features.space.engine import MujocoEngine
from coopsim.scene import JointDynamics

BASE = BodySpec("base", (0, 0, 2, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),), is_bolted=True)
ROD = BodySpec("rod", (0, 0, 1, 1, 0, 0, 0), 2.0, (ShapeSpec("box", (0.05, 0.05, 1.0)),))
SIDE = replace(ROD, name="side", pose=(0, 1, 1, 1, 0, 0, 0))
SWING = JointSpec("swing", "hinge", "base", "rod", (0, 0, 2), (0, 1, 0), is_chained=True)
BESIDE = replace(SWING, name="beside", b="side", anchor=(0.0, 1.0, 2.0))
INERTIA, GRAVITY = 2.0 * (1.0 + 0.0025) / 12.0 + 2.0 * 0.25, 9.81
RISEN, TORQUE = 50, 5.0


def swung(engine: MujocoEngine, steps: int = 300, name: str = "swing") -> np.ndarray:
    row, positions = list(engine.joints).index(name), []
    for step in range(steps):
        engine.joint_effort[row] = TORQUE if step < RISEN else 0.0
        engine.step(0.01)
        positions.append(float(engine.joint_position[row]))
    return np.array(positions)


def integrated(resist: Callable[[float, float], float], friction: float = 0.0, steps: int = 300) -> np.ndarray:
    """Return angles of a rod that is pushed for half a second, in parts of 20 us."""
    angle, speed, part, positions = 0.0, 0.0, 2e-5, []
    for step in range(steps):
        for _ in range(500):
            pushed = (TORQUE if step < RISEN else 0.0) - GRAVITY * math.sin(angle) - resist(angle, speed)
            freely = speed + part * pushed / INERTIA
            speed = math.copysign(max(0.0, abs(freely) - part * friction / INERTIA), freely)
            angle += part * speed
        positions.append(angle)
    return np.array(positions)


@pytest.mark.parametrize("is_chained", [True, False])
@pytest.mark.parametrize(
    ("dynamics", "resist"),
    [
        (JointDynamics(damping=0.8), lambda _, speed: 0.8 * speed),
        (JointDynamics(friction=1.0), lambda _a, _s: 0.0),
        (JointDynamics(1.0, 0.0, 30.0, 0.3), lambda angle, speed: speed + 30.0 * (angle - 0.3)),
    ],
)
def test_a_joint_resists_as_an_own_integration_says(
    dynamics: JointDynamics, resist: Callable[[float, float], float], *, is_chained: bool
) -> None:
    base = BASE if is_chained else replace(BASE, mass=0.0, is_bolted=False)
    engine = MujocoEngine(WorldSpec((base, ROD), (replace(SWING, is_chained=is_chained, dynamics=dynamics),)))
    assert np.abs(swung(engine) - integrated(resist, dynamics.friction)).max() < 0.012


def test_friction_of_a_joint_holds_what_is_below_it_and_lets_go_of_what_is_above() -> None:
    level = JointSpec("rail", "slide", "base", "rod", (0, 0, 2), (1, 0, 0), is_chained=True)
    for force, moves in ((9.8, False), (10.2, True)):
        engine = MujocoEngine(WorldSpec((BASE, ROD), (replace(level, dynamics=JointDynamics(friction=10.0)),)))
        for _ in range(200):
            engine.joint_effort[0] = force
            engine.step(0.01)
        expected = 0.5 * 0.2 / 2.0 * 2.0**2 if moves else 0.0
        assert engine.joint_position[0] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("stiffness", [2e3, 3e5])
def test_a_spring_that_a_step_is_too_long_for_comes_to_rest_where_it_should(stiffness: float) -> None:
    dynamics = JointDynamics(stiffness=stiffness, rest=0.2)
    engine = MujocoEngine(WorldSpec((BASE, ROD), (replace(SWING, dynamics=dynamics),)))
    positions = []
    for _ in range(200):
        engine.step(0.01)
        positions.append(float(engine.joint_position[0]))
    assert max(positions) < 0.42
    if stiffness > 1e4:  # stiffer than can be seen: it does not swing on
        assert positions[-1] == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("order", [(SWING, BESIDE), (BESIDE, SWING)])
def test_a_joint_follows_another_one(order: tuple[JointSpec, ...]) -> None:
    following = JointDynamics(follows="swing", ratio=-0.5, offset=0.1)
    joints = tuple(replace(joint, dynamics=following) if joint.name == "beside" else joint for joint in order)
    engine = MujocoEngine(WorldSpec((BASE, ROD, SIDE), joints))
    rows = [list(engine.joints).index(name) for name in ("swing", "beside")]
    for step in range(150):
        engine.joint_effort[rows[0]] = TORQUE if step < RISEN else 0.0
        engine.step(0.01)
        leader, follower = engine.joint_position[rows]
        if step > 20:  # it begins 0.1 rad off
            assert follower == pytest.approx(0.1 - 0.5 * leader, abs=5e-3)
    assert np.ptp([leader, 0.0]) > 0.02


def test_what_follows_moves_freely_once_its_leader_is_gone_and_may_follow_what_comes_later() -> None:
    following = replace(BESIDE, dynamics=JointDynamics(follows="swing"))
    engine = MujocoEngine(WorldSpec((BASE, ROD, SIDE), (SWING, following)))
    engine.remove_joint("swing")
    engine.step(0.01)
    assert np.isfinite(engine.poses).all()
    engine.remove_joint("beside")
    with pytest.raises(NoSuchName, match="follows 'swing', and there is no such joint"):
        engine.add_joint(following)


def test_snapshots_hold_what_resists_joints() -> None:
    joints = (
        replace(SWING, dynamics=JointDynamics(0.8, 0.1, 3.0, 0.2)),
        replace(BESIDE, dynamics=JointDynamics(follows="swing")),
    )
    engine = MujocoEngine(WorldSpec((BASE, ROD, SIDE), joints))
    swung(engine, 20)
    twin = MujocoEngine(WorldSpec(()))
    twin.restore(engine.snapshot())
    engine.restore(engine.snapshot())
    swung(engine, 60), swung(twin, 60)
    assert np.array_equal(engine.poses, twin.poses)
    assert np.array_equal(twin.joint_resistance[list(twin.joints).index("swing")], (0.8, 0.1, 3.0, 0.2))


@pytest.mark.parametrize(
    ("joint", "error", "words"),
    [
        (replace(SWING, dynamics=JointDynamics(damping=-1.0)), BadArgument, "damping -1.0; expected 0 or more"),
        (replace(SWING, dynamics=JointDynamics(rest=math.inf)), BadArgument, "rest inf; expected a finite number"),
        (replace(SWING, kind="weld", dynamics=JointDynamics(1.0)), BadArgument, "only hinges and slides"),
        (replace(SWING, dynamics=JointDynamics(follows="nobody")), NoSuchName, "there is no such joint"),
        (replace(SWING, dynamics=JointDynamics(follows="swing")), BadArgument, "follows itself"),
    ],
)
def test_what_cannot_be_is_refused(joint: JointSpec, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        MujocoEngine(WorldSpec((BASE, ROD), (joint,)))


def test_pymunk_refuses_joints_that_resist_and_names_the_engine_that_holds_them() -> None:
    boxes = tuple(
        BodySpec(name, (x, 0, 0, 1, 0, 0, 0), 1.0, (ShapeSpec("box", (0.1, 0.1, 0.1)),))
        for name, x in (("a", 0), ("b", 1))
    )
    joint = JointSpec("hinge", "hinge", "a", "b", dynamics=JointDynamics(damping=1.0))
    with pytest.raises(EngineCannot, match=r"has damping.*choose the engine mujoco"):
        PymunkEngine(WorldSpec(boxes, (joint,)))
