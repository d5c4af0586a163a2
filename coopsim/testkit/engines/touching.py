"""Checks of contact."""

import numpy as np

from coopsim.engines import PhysicsEngine
from coopsim.geometry import Floats
from coopsim.kernels.constants import GRAVITY
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import (
    DT,
    RADIUS,
    crate,
    crowd,
    energy,
    launch,
    push,
    robot,
    row,
    state,
    stir,
    wall,
    world,
)

_DEEPEST = 0.01  # m


def _stopped_by_a_wall(make: Make) -> CheckResult:
    engine = make(world(robot("robot"), wall("wall", 1.0, 0.0, 0.1, 4.0)))
    deepest = -np.inf
    for _ in range(300):
        push(engine, DT, ("robot", 4.0, 0.0, 0.0))
        deepest = max(deepest, state(engine, "robot")[0] + RADIUS - 0.95)
    return worst(
        within("went into the wall by", deepest, _DEEPEST),
        within("ended away from it by", -(state(engine, "robot")[0] + RADIUS - 0.95), _DEEPEST),
    )


def _wall_is_reported(make: Make) -> CheckResult:
    engine = make(world(robot("a_robot", -5.0), robot("robot", 0.69), wall("wall", 1.0, 0.0, 0.1, 4.0)))
    push(engine, 0.5, ("robot", 30.0, 0.0, 0.0))
    pairs, points = engine.contacts()
    expected = [[row(engine, "robot"), -1]]
    if np.unique(pairs, axis=0).tolist() != expected:
        return measured(False, f"pairs {pairs.tolist()}, expected {expected}")
    off = float(np.abs(points[:, 2:4] - (1.0, 0.0)).max())
    return worst(
        within("normal off by", off, 1e-2, ""),
        within("point off by", float(np.abs(points[:, :2] - (0.95, 0.0)).max()), 0.06),
        within("impulse below 0 by", max(0.0, -float(points[:, 4].min())), 0.0, "N s"),
    )


def _pairs_are_reported(make: Make) -> CheckResult:
    engine = make(world(robot("a"), robot("b", 0.505), robot("c", 3.0)))
    push(engine, 0.3, ("a", 30.0, 0.0, 0.0), ("b", -30.0, 0.0, 0.0))
    pairs = np.unique(engine.contacts().pairs, axis=0).tolist()
    return measured(pairs == [[0, 1]], f"pairs {pairs}, expected [[0, 1]]")


def _head_on(make: Make) -> CheckResult:
    engine = make(world(robot("left", -1.0), robot("right", 1.0)))
    launch(engine, "left", 0.5)
    launch(engine, "right", -0.5)
    nearest = np.inf
    for _ in range(300):
        push(engine, DT)
        nearest = min(nearest, state(engine, "right")[0] - state(engine, "left")[0])
    return within("went into each other by", 2.0 * RADIUS - nearest, 2.0 * _DEEPEST)


def _leaving(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 0.69), wall("wall", 1.0, 0.0, 0.1, 4.0)))
    push(engine, 0.5, ("robot", 30.0, 0.0, 0.0))
    before = state(engine, "robot")[0]
    push(engine, 1.0, ("robot", -20.0, 0.0, 0.0))
    distance = before - state(engine, "robot")[0]
    return measured(distance > 0.3, f"left the wall by {distance:.3g} m in 1 s, at least 0.3 m")


def _passing_under(make: Make) -> CheckResult:
    engine = make(world(robot("robot"), wall("beam", 0.6, 0.0, 0.1, 4.0, z=1.0)))
    launch(engine, "robot", 0.5)
    push(engine, 2.0)
    return within("held up by", 1.0 - state(engine, "robot")[0], 1e-3)


def _energy(make: Make) -> CheckResult:
    engine = make(world(*crowd(16)))
    stir(engine, 100)
    before, most = energy(engine), 0.0
    for _ in range(100):
        engine.step(DT)
        most = max(most, energy(engine))
    return within("grew by", 100.0 * (most / before - 1.0), 1.0, "%")


def _momentum(make: Make) -> CheckResult:
    engine = make(world(robot("striker", -0.6), robot("struck", mass=10.0)))
    launch(engine, "striker", 0.5, 0.05)
    before = _of_all(engine)
    push(engine, 1.5)
    off = float(np.abs(_of_all(engine) - before).max()) / 10.0
    speed = state(engine, "struck")[3]
    return worst(
        within("lost or won", 100.0 * off, 2.0, "%"),
        measured(speed > 0.2, f"the struck body goes at {speed:.3g} m/s, at least 0.2 m/s"),
    )


def _pushing(make: Make) -> CheckResult:
    engine = make(world(robot("robot"), crate("crate", 0.46)))
    push(engine, 1.0, ("robot", 40.0, 0.0, 0.0))
    distance, expected = state(engine, "crate")[0] - 0.46, 0.5 * (40.0 - 0.3 * 5.0 * GRAVITY) / 25.0
    return within("pushed wrong by", 100.0 * abs(distance / expected - 1.0), 15.0, "%")


def _of_all(engine: PhysicsEngine) -> Floats:
    """Return the momentum of all bodies, shape (2,) [N s]."""
    return np.asarray(engine.mass @ engine.planar[:, 3:5])


CHECKS = (
    Check("a wall stops who drives into it", _stopped_by_a_wall, unless="passage"),
    Check("contact with a wall is reported, the wall second", _wall_is_reported, unless="passage"),
    Check("contact of two bodies is reported by their rows", _pairs_are_reported, unless="passage"),
    Check("bodies do not pass through each other", _head_on, unless="passage"),
    Check("who touches a wall can leave it", _leaving, unless="passage"),
    Check("bodies at other heights do not touch", _passing_under),
    Check("energy does not come from nothing", _energy),
    Check("momentum passes from body to body and stays the same", _momentum, "dynamics"),
    Check("what is pushed gives way by its mass and friction", _pushing, "dynamics"),
)
