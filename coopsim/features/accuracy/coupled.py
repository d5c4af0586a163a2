"""Joints that are coupled, against closed forms: one that follows another one, and links that close a loop."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from coopsim.engines import JointSpec
from coopsim.features.accuracy.rows import GRAVITY, Row, body, engine_of, run
from coopsim.scene import JointDynamics

_STEP = 0.01
_FINE = 2e-5  # s; of the integrator here
_RATIO, _TORQUE = -2.0, 0.4  # of the follower per leader; N m
_MASS, _LENGTH, _APART, _SIDE = 1.0, 0.5, 0.8, 0.1
_BAR = 2.0  # kg; that hangs on both cranks


def coupled() -> Iterator[Row]:
    """Yield rows of coupled joints."""
    for steps in ("mujoco", "mujoco+4"):
        yield from geared(steps)
        yield from parallelogram(steps)


def geared(kind: str) -> Iterator[Row]:
    """Yield by how far a pair of discs, of which one turns as the other one does, is off M / (I + r^2 I) after 1 s."""

    @cache
    def errors() -> tuple[float, float]:
        return _geared(kind)

    yield Row(kind, "joint that follows at -2, 1 s: speed of both", "%", lambda: errors()[0], 1.0)
    yield Row(kind, "joint that follows at -2, 1 s: where it is", "rad", lambda: errors()[1], 0.01)


def _geared(kind: str) -> tuple[float, float]:
    """Return the error of the speed [%], and by how far the follower is off its place [rad]."""
    foot = replace(body("foot", (0.0, 0.0, 1.0), size=(_SIDE,) * 3), is_bolted=True)
    bars = [body(name, (x, 0.0, 1.5), mass=_MASS, size=(0.4, _SIDE, _SIDE)) for name, x in (("a", -1.0), ("b", 1.0))]
    lead, follow = (
        JointSpec(f"j{bar.name}", "hinge", "foot", bar.name, _axle(bar.pose), (0.0, 0.0, 1.0), is_chained=True)
        for bar in bars
    )
    follow = replace(follow, dynamics=JointDynamics(follows=lead.name, ratio=_RATIO))
    engine = engine_of(kind, [foot, *bars], [lead, follow])
    row = list(engine.joints).index(lead.name)

    def act(engine: Any, _at: float) -> None:
        engine.joint_effort[row] = _TORQUE

    run(engine, 1.0, _STEP, act)
    inertia = _MASS * (0.4**2 + _SIDE**2) / 12.0
    rate = _TORQUE / (inertia * (1.0 + _RATIO**2))
    leading, following = float(engine.joint_position[row]), float(engine.joint_position[1 - row])
    return _percent(engine.joint_velocity[row], rate), following - _RATIO * leading


def parallelogram(kind: str) -> Iterator[Row]:
    """Yield by how far a bar on two cranks is off its one angle, and by how far its loop is open, at most in 2 s."""

    @cache
    def errors() -> tuple[float, float]:
        return _parallelogram(kind)

    yield Row(kind, "bar on two cranks, a closed chain, 2 s: angle", "rad", lambda: errors()[0], 0.05)
    yield Row(kind, "bar on two cranks, a closed chain, 2 s: cranks differ", "rad", lambda: errors()[1], 0.01)


def _parallelogram(kind: str) -> tuple[float, float]:
    """Return how far the angle is off, and how far the cranks differ, at most [rad]."""
    foot = replace(body("foot", (0.0, 0.0, 2.0), size=(_SIDE,) * 3), is_bolted=True)
    turn = 0.6
    side, down = _LENGTH * math.sin(turn), _LENGTH * math.cos(turn)
    cranks = [
        # a box stands on its place, and hangs from its upper end when it is turned by half a circle
        body(name, (x, 0.0, 2.0), mass=_MASS, size=(_SIDE, _SIDE, _LENGTH), tilt=math.pi + turn)
        for name, x in (("left", 0.0), ("right", _APART))
    ]
    bar = body("bar", (0.5 * _APART - side, 0.0, 2.0 - down - 0.5 * _SIDE), mass=_BAR, size=(_APART, _SIDE, _SIDE))
    axis = (0.0, 1.0, 0.0)
    ends = [(x - side, 0.0, 2.0 - down) for x in (0.0, _APART)]
    joints = [
        JointSpec("l", "hinge", "foot", "left", (0.0, 0.0, 2.0), axis, is_chained=True),
        JointSpec("r", "hinge", "foot", "right", (_APART, 0.0, 2.0), axis, is_chained=True),
        JointSpec("b", "hinge", "left", "bar", ends[0], axis, is_chained=True),
        JointSpec("loop", "hinge", "right", "bar", ends[1], axis),
    ]
    engine = engine_of(kind, [foot, *cranks, bar], joints)
    left, right = (list(engine.joints).index(name) for name in ("l", "r"))
    angles: list[float] = []
    apart: list[float] = []

    def act(engine: Any, _at: float) -> None:
        angles.append(float(engine.joint_position[left]))
        apart.append(float(engine.joint_position[left] - engine.joint_position[right]))

    run(engine, 2.0, _STEP, act)
    true = _swung(turn)
    return max(abs(turn + angle - true[k]) for k, angle in enumerate(angles)), max(map(abs, apart))


def _swung(angle: float) -> list[float]:
    """Return the angle of the cranks at each step of the engine, by semi-implicit Euler at 20 us."""
    centre = 0.5 * _LENGTH
    crank = _MASS * (_LENGTH**2 + _SIDE**2) / 12.0 + _MASS * centre**2
    # the bar does not turn: it moves as its weight would at the end of a crank
    inertia, weight = 2.0 * crank + _BAR * _LENGTH**2, (2.0 * _MASS * centre + _BAR * _LENGTH) * GRAVITY
    rate, angles, every = 0.0, [], round(_STEP / _FINE)
    for k in range(round(2.0 / _FINE)):
        if k % every == 0:
            angles.append(angle)
        rate -= _FINE * weight * math.sin(angle) / inertia
        angle += _FINE * rate
    return angles


def _axle(pose: tuple[float, ...]) -> tuple[float, float, float]:
    return (pose[0], pose[1], pose[2])


def _percent(value: float, true: float) -> float:
    return 100.0 * (float(value) / true - 1.0)
