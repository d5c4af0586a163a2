"""Free motion: falls, throws, drag, constant forces and torques, and a brick that tumbles."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from coopsim.engines import BodySpec
from coopsim.engines.rotations import matrix
from coopsim.features.accuracy.rows import GRAVITY, PLANE, SPACE, Row, body, engine_of, late, place_of, row_of, run
from coopsim.features.accuracy.rows import throw as set_twist
from coopsim.features.space.drag import mean_drag
from coopsim.geometry import Floats

_HIGH = 4000.0  # m; nothing here comes down
_SIDES = (0.4, 0.2, 0.1)
_DRAG = 0.3  # N s/m
_STEPS = (0.005, 0.02)


def free_motion() -> Iterator[Row]:
    """Yield rows of bodies that nothing touches."""
    for engine in SPACE:
        for step in _STEPS:
            yield fall(engine, step)
            yield fall_with_drag(engine, step)
            yield fall_with_mean_drag(engine, step)
        yield throw(engine, 0.02)
        for step in (0.01, 0.02):
            yield from tumbling(engine, step)
    for engine in (*SPACE, *PLANE):
        yield pushed(engine, 0.02)
        yield turned(engine, 0.02)


def brick() -> BodySpec:
    """Return a brick of 2 kg, high above the floor."""
    return body("brick", (0.0, 0.0, _HIGH), mass=2.0, size=_SIDES)


def moments() -> Floats:
    """Return its principal moments of inertia [kg m2]."""
    x, y, z = (side * side for side in _SIDES)
    return 2.0 / 12.0 * np.array([y + z, x + z, x + y])


def fall(kind: str, step: float) -> Row:
    """Return by how far a fall of a second is off g t^2 / 2."""

    def measure() -> float:
        engine = engine_of(kind, [brick()])
        run(engine, 1.0, step)
        way = _HIGH - float(place_of(engine, "brick")[2])
        return way - 0.5 * GRAVITY

    return Row(kind, f"free fall, 1 s at {1e3 * step:g} ms", "m", measure, 1e-9)


def fall_with_drag(kind: str, step: float) -> Row:
    """Return by how far a fall of a second against drag is off its closed form; the drag is given step by step."""

    def measure() -> float:
        engine = engine_of(kind, [brick()])

        def brake(engine: Any, _at: float) -> None:
            engine.wrench[0, :3] -= _DRAG * engine.twists[0, :3]

        run(engine, 1.0, step, brake)
        return _HIGH - float(place_of(engine, "brick")[2]) - _way_with_drag()

    return Row(kind, f"fall with drag by a device, 1 s at {1e3 * step:g} ms", "m", measure, 0.02)


def fall_with_mean_drag(kind: str, step: float) -> Row:
    """Return the same where the drag is given as what acts in the mean over each step."""

    def measure() -> float:
        engine = engine_of(kind, [brick()])
        weight = np.array([[0.0, 0.0, -GRAVITY * float(engine.mass[0])]])

        def brake(engine: Any, _at: float) -> None:
            engine.wrench[:, :3] += mean_drag(_DRAG, engine.twists[:, :3], weight, engine.mass, step)

        run(engine, 1.0, step, brake)
        return _HIGH - float(place_of(engine, "brick")[2]) - _way_with_drag()

    return Row(kind, f"fall with mean drag by a device, 1 s at {1e3 * step:g} ms", "m", measure, 1e-3)


def _way_with_drag() -> float:
    """Return the way of a fall of a second with drag, in closed form [m]."""
    lasts = 2.0 / _DRAG
    return GRAVITY * lasts * (1.0 - lasts * (1.0 - math.exp(-1.0 / lasts)))


def throw(kind: str, step: float) -> Row:
    """Return by how far a throw is off its parabola after 2 s."""

    def measure() -> float:
        engine = engine_of(kind, [brick()])
        set_twist(engine, "brick", (3.0, -2.0, 8.0, 0.0, 0.0, 0.0))
        run(engine, 2.0, step)
        true = np.array([6.0, -4.0, _HIGH + 16.0 - 2.0 * GRAVITY])
        return float(np.linalg.norm(place_of(engine, "brick") - true))

    return Row(kind, f"throw, 2 s at {1e3 * step:g} ms", "m", measure, 1e-9)


def tumbling(kind: str, step: float) -> Iterator[Row]:
    """Yield energy and angular momentum that a free brick gains in 20 s of turning about its middle axis."""

    @cache
    def changes() -> tuple[float, float]:
        engine = engine_of(kind, [brick()])
        set_twist(engine, "brick", (0.0, 0.0, 0.0, 0.01, 6.0, 0.01))
        energy, momentum = _spin(engine)
        run(engine, 20.0, step)
        energy_after, momentum_after = _spin(engine)
        turned_by = float(np.linalg.norm(momentum_after - momentum) / np.linalg.norm(momentum))
        return 100.0 * (energy_after / energy - 1.0), 100.0 * turned_by

    case = f"free brick that tumbles, 20 s at {1e3 * step:g} ms"
    yield Row(kind, f"{case}: energy", "%", lambda: changes()[0], 0.1)
    yield Row(kind, f"{case}: angular momentum", "%", lambda: changes()[1], 0.1)


def _spin(engine: Any) -> tuple[float, Floats]:
    """Return energy of turning, and angular momentum in the frame of the world."""
    row = row_of(engine, "brick")
    turn = np.array(matrix(tuple(engine.poses[row, 3:].tolist())))
    speeds = turn.T @ engine.twists[row, 3:]
    return float(0.5 * moments() @ speeds**2), turn @ (moments() * speeds)


def pushed(kind: str, step: float) -> Row:
    """Return by how far a level force takes a body off F t^2 / 2 m in 2 s, relative to the way."""

    def measure() -> float:
        engine = engine_of(kind, [_glider(kind)], friction=0.0)
        row = row_of(engine, "glider")

        def push(engine: Any, _at: float) -> None:
            engine.wrench[row, 0] += 1.5

        run(engine, 2.0, step, push)
        speed, way = float(engine.planar[row, 3]), float(engine.planar[row, 0])
        true = speed  # half of the last speed in 2 s [m]
        error = way + late(engine, 0.5 * speed, step) - true
        return 100.0 * error / true

    return Row(kind, f"constant force, 2 s at {1e3 * step:g} ms: way", "%", measure, 1.1)


def turned(kind: str, step: float) -> Row:
    """Return by how far a constant torque about the vertical axis is off T t / I after 2 s, relative to the rate."""

    def measure() -> float:
        engine = engine_of(kind, [_glider(kind)], friction=0.0)
        row = row_of(engine, "glider")

        def twist(engine: Any, _at: float) -> None:
            engine.wrench[row, 5] += 0.1

        run(engine, 2.0, step, twist)
        true = 0.1 * 2.0 / (2.0 / 12.0 * (_SIDES[0] ** 2 + _SIDES[1] ** 2))
        return 100.0 * (float(engine.planar[row, 5]) / true - 1.0)

    return Row(kind, f"constant torque, 2 s at {1e3 * step:g} ms: rate", "%", measure, 1e-6)


def _glider(kind: str) -> BodySpec:
    """Return a brick without friction: in the air where there is one."""
    height = _HIGH if kind in SPACE else 0.0
    return body("glider", (0.0, 0.0, height), mass=2.0, size=_SIDES, surface=(0.0, 0.0))
