"""Rotors near the floor, and rotors whose spin turns the robot: ground effect and gyroscopic moments."""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from coopsim.features.accuracy.driving import robot_alone, robot_with
from coopsim.features.accuracy.rows import GRAVITY, SPACE, Row
from coopsim.interfaces import ROTORS, command_numbers

_THRUSTS = command_numbers(ROTORS).set_thrusts
_RADIUS = 0.12  # m; of a rotor
_INERTIA, _CONSTANT, _THRUST = 6e-5, 1e-5, 2.0  # kg m2, N s2, N
_FINE = 1e-5  # s; step of the integrator that is written for the fall onto the cushion of air


def flying() -> Iterator[Row]:
    """Yield rows of quadrotors."""
    for engine in SPACE:
        for step in (0.005, 0.02):
            yield cushioned(engine, step)
        for step in (0.01, 0.02):
            yield from precessing(engine, step)


def cushioned(kind: str, step: float) -> Row:
    """Return by how far a robot that sinks onto its ground effect is off an integrator of its own after half a second.

    Its thrust carries it a radius above the floor; it begins at twice that height.
    """

    def measure() -> float:
        run = robot_alone(
            robot_with("quadrotor", "rotors", drag=0.0, lag=0.0, radius=_RADIUS, ground_effect=1),
            kind,
            step,
            2.0 * _RADIUS,
        )
        share = 1.0 - (1.0 / 4.0) ** 2
        weight = share * float(run.engine.mass[0]) * GRAVITY
        for _ in range(round(0.5 / step)):
            run.command("robot", "rotors", _THRUSTS, (0.25 * weight,) * 4)
            run.tick()
        return float(run.engine.poses[0, 2]) - _height(share, 0.5)

    return Row(kind, f"quadrotor that sinks into its ground effect, 0.5 s at {1e3 * step:g} ms", "m", measure, 1e-3)


def _height(share: float, seconds: float) -> float:
    """Return the height of such a robot, by the middles of fine steps [m].

    Source: I. Cheeseman and W. Bennett, "The effect of the ground on a helicopter rotor in forward flight" (1955).
    """
    height, speed = 2.0 * _RADIUS, 0.0
    for _ in range(round(seconds / _FINE)):
        middle = height + 0.5 * _FINE * speed
        speed += _FINE * GRAVITY * (share / (1.0 - (_RADIUS / (4.0 * middle)) ** 2) - 1.0)
        height = middle + 0.5 * _FINE * speed
    return height


def precessing(kind: str, step: float) -> Iterator[Row]:
    """Yield errors of a second of tilting with two spinning rotors: the turn of a gyroscope, and how fast it tilts."""

    @cache
    def errors() -> tuple[float, float]:
        return _precessing(kind, step)

    case = f"gyroscopic moment of rotors, 1 s at {1e3 * step:g} ms"
    yield Row(kind, f"{case}: precession", "rad", lambda: errors()[0], 1e-6)
    yield Row(kind, f"{case}: rate", "%", lambda: errors()[1], 1e-6)


def _precessing(kind: str, step: float) -> tuple[float, float]:
    """Return by how far the turn is off [rad], and the rate [%]."""
    settings = {"drag": 0.0, "lag": 0.0, "torque": 0.0, "rotor_inertia": _INERTIA, "thrust_constant": _CONSTANT}
    run = robot_alone(robot_with("quadrotor", "rotors", **settings), kind, step)
    thrusts = (0.0, _THRUST, 0.0, _THRUST)
    run.command("robot", "rotors", _THRUSTS, thrusts)
    run.tick()
    rate, row = 0.3, np.array([0])
    poses, twists = run.engine.poses.copy(), run.engine.twists.copy()
    poses[0, 3:], twists[0, 3:] = (1.0, 0.0, 0.0, 0.0), (rate, 0.0, 0.0)
    run.engine.set_spatial_state(row, poses, twists)
    for _ in range(round(1.0 / step)):
        run.command("robot", "rotors", _THRUSTS, thrusts)
        run.tick()
    x, y = _level_rates(run.engine.poses[0, 3:].tolist(), run.engine.twists[0, 3:].tolist())
    turn = 2.0 * _INERTIA * math.sqrt(_THRUST / _CONSTANT) / float(run.engine.tensors[0, 0, 0])
    apart = math.remainder(math.atan2(y, x) - turn, math.tau)
    return apart, 100.0 * (math.hypot(x, y) / rate - 1.0)


def _level_rates(turn: list[float], rates: list[float]) -> tuple[float, float]:
    """Return an angular velocity about the two level axes of a body, given its quaternion w x y z."""
    w, x, y, z = turn
    ahead = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
    aside = 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    return float(np.dot(ahead, rates)), float(np.dot(aside, rates))
