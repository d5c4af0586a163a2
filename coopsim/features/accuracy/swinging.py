"""Joints against an integrator of their own: damping, friction, springs, armature, and springs between bodies."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from coopsim.engines import JointSpec
from coopsim.features.accuracy.rows import CHOSEN, GRAVITY, Row, body, engine_of, late, row_of, run
from coopsim.scene import JointDynamics

_STEP = 0.01
_FINE = 2e-5  # s; of the integrator here
_MASS, _LENGTH, _SIDE = 2.0, 0.5, 0.1
_PUSH, _PUSHED = 3.0, 0.5  # N m, s
_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class _Swing:
    """A rod on a hinge.

    Attributes:
        case: Its name.
        dynamics: Resistance of the joint.
        armature: Of its motor [kg m2].
        is_chained: Whether it is a link of an arm.
    """

    case: str
    dynamics: JointDynamics
    is_chained: bool
    armature: float = 0.0


_SWINGS = tuple(
    _Swing(f"{case}{', link of an arm' if is_chained else ''}", dynamics, is_chained, armature)
    for is_chained in (True, False)
    for case, dynamics, armature in (
        ("no resistance", JointDynamics(), 0.0),
        ("damping 0.4", JointDynamics(damping=0.4), 0.0),
        ("friction 0.5", JointDynamics(friction=0.5), 0.0),
        ("spring 8, damping 0.1", JointDynamics(damping=0.1, stiffness=8.0, rest=0.2), 0.0),
        ("all of them, armature 0.1", JointDynamics(0.2, 0.2, 5.0, -0.1), 0.1),
    )
    if is_chained or not armature
)


def swinging() -> Iterator[Row]:
    """Yield rows of joints."""
    for swing in _SWINGS:
        yield pendulum(swing, "mujoco")
    for engine in CHOSEN:
        for swing in _SWINGS[:5]:
            yield pendulum(swing, engine)
    for engine in ("mujoco", "pymunk"):
        yield motor(engine)
        yield slide(engine)
        yield spring(engine)
        yield support(engine)


def pendulum(swing: _Swing, kind: str) -> Row:
    """Return by how far a rod that is pushed for half a second is off the integrator here, at most in 3 s."""

    def measure() -> float:
        foot = body("foot", (0.0, 0.0, 2.0), size=(_SIDE,) * 3, mass=float(swing.is_chained))
        foot = replace(foot, is_bolted=swing.is_chained)
        rod = body("rod", (0.0, 0.0, 2.0 - _LENGTH), mass=_MASS, size=(_SIDE, _SIDE, _LENGTH))
        joint = JointSpec(
            "swing",
            "hinge",
            "foot",
            "rod",
            (0.0, 0.0, 2.0),
            (0.0, 1.0, 0.0),
            is_chained=swing.is_chained,
            dynamics=swing.dynamics,
            armature=swing.armature,
        )
        engine = engine_of(kind, [foot, rod], [joint])
        angles: list[float] = []

        def act(engine: Any, at: float) -> None:
            angles.append(float(engine.joint_position[0]))
            engine.joint_effort[0] = _PUSH if at < _PUSHED - 1e-9 else 0.0

        run(engine, _SECONDS, _STEP, act)
        true = _integrated(swing)
        return max(abs(angle - true[k]) for k, angle in enumerate(angles))

    return Row(kind, f"rod on a hinge, 3 s: {swing.case}", "rad", measure, 0.05)


def _integrated(swing: _Swing) -> list[float]:
    """Return the angle at each step of the engine, by semi-implicit Euler at 20 us."""
    dynamics = swing.dynamics
    centre = 0.5 * _LENGTH
    inertia = _MASS * (_LENGTH**2 + _SIDE**2) / 12.0 + _MASS * centre**2 + swing.armature
    angle, rate, angles = 0.0, 0.0, []
    every = round(_STEP / _FINE)
    for k in range(round(_SECONDS / _FINE)):
        if k % every == 0:
            angles.append(angle)
        push = _PUSH if k * _FINE < _PUSHED - 1e-9 else 0.0
        torque = push - _MASS * GRAVITY * centre * math.sin(angle)
        torque -= dynamics.damping * rate + dynamics.stiffness * (angle - dynamics.rest)
        rate = _rubbed(rate + _FINE * torque / inertia, _FINE * dynamics.friction / inertia)
        angle += _FINE * rate
    return angles


def _rubbed(rate: float, most: float) -> float:
    """Return a rate less what dry friction takes of it in a step."""
    return math.copysign(max(0.0, abs(rate) - most), rate)


def motor(kind: str) -> Row:
    """Return by how much a motor in an upright hinge is off T t / I after 1 s."""

    def measure() -> float:
        foot = body("foot", mass=0.0, size=(0.2, 0.2, 0.2))
        bar = body("bar", (0.5, 0.0, 0.4), mass=2.0, size=(0.6, 0.1, 0.1), surface=(0.0, 0.0))
        hinge = JointSpec("turn", "hinge", "foot", "bar", (0.0, 0.0, 0.4), (0.0, 0.0, 1.0))
        rate = _moved(kind, foot, bar, hinge, 0.8)
        inertia = 2.0 / 12.0 * (0.36 + 0.01) + 2.0 * 0.25
        return 100.0 * (rate * inertia / 0.8 - 1.0)

    return Row(kind, "motor in an upright hinge, 1 s: rate", "%", measure, 0.5)


def slide(kind: str) -> Row:
    """Return by how much a motor in a level slide is off F t / m after 1 s."""

    def measure() -> float:
        foot = body("foot", mass=0.0, size=(0.2, 0.2, 0.2))
        block = body("block", (0.5, 0.0, 0.4), mass=2.0, size=(0.2, 0.2, 0.1), surface=(0.0, 0.0))
        joint = JointSpec("way", "slide", "foot", "block", (0.0, 0.0, 0.4), (1.0, 0.0, 0.0))
        speed = _moved(kind, foot, block, joint, 0.8)
        return 100.0 * (speed * 2.0 / 0.8 - 1.0)

    return Row(kind, "motor in a level slide, 1 s: speed", "%", measure, 0.5)


def _moved(kind: str, foot: Any, load: Any, joint: JointSpec, effort: float) -> float:
    """Return the velocity of a joint after an effort of a second."""
    engine = engine_of(kind, [foot, load], [joint], friction=0.0)

    def act(engine: Any, _at: float) -> None:
        engine.joint_effort[0] = effort

    run(engine, 1.0, _STEP, act)
    return float(engine.joint_velocity[0])


def spring(kind: str) -> Row:
    """Return by how far a block on a level spring is off A cos(omega t), at most in 2 s, in percent of A."""
    stiffness, stretched, mass = 50.0, 0.2, 2.0

    def measure() -> float:
        foot = body("foot", mass=0.0, size=(0.2, 0.2, 0.2))
        block = body("block", (1.0, 0.0, 0.0), mass=mass, size=(0.2, 0.2, 0.2), surface=(0.0, 0.0))
        joint = JointSpec(
            "s", "spring", "foot", "block", (0, 0, 0.1), far_anchor=(1.0, 0, 0.1), stiffness=stiffness, damping=0.0,
            length=1.0 - stretched,
        )  # fmt: skip
        engine = engine_of(kind, [foot, block], [joint], friction=0.0)
        errors: list[float] = []
        omega = math.sqrt(stiffness / mass)

        def see(engine: Any, at: float) -> None:
            row = row_of(engine, "block")
            way = float(engine.planar[row, 0]) + late(engine, float(engine.planar[row, 3]), _STEP)
            errors.append(abs(way - (1.0 - stretched + stretched * math.cos(omega * at))))

        run(engine, 2.0, _STEP, see)
        return 100.0 * max(errors) / stretched

    return Row(kind, "block on a spring, 2 s", "%", measure, 6.0)


def support(kind: str) -> Row:
    """Return by how much a sprung support under a steady push is off F / k."""

    def measure() -> float:
        foot = body("foot", mass=0.0, size=(0.2, 0.2, 0.3))
        load = body("load", (0.0, 0.0, 0.31), mass=5.0, size=(0.5, 0.1, 0.1), surface=(0.0, 0.0))
        joint = JointSpec("on", "support", "foot", "load", (0.0, 0.0, 0.31), limit=0.06)
        engine = engine_of(kind, [foot, load], [joint])

        def act(engine: Any, _at: float) -> None:
            engine.wrench[row_of(engine, "load"), 0] += 80.0

        run(engine, 3.0, _STEP, act)
        return 100.0 * (float(engine.joint_state()[0, 0]) / (80.0 / joint.stiffness) - 1.0)

    return Row(kind, "bar on a sprung support, pushed by 80 N: way", "%", measure, 1.0)
