"""Contacts: friction on planes and inclines, what a push may not move, balls that roll, stacks, impacts."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from coopsim.features.accuracy.rows import CHOSEN, GRAVITY, Row, body, engine_of, launch, place_of, row_of, run

_STEP = 0.01
_CRATE = (0.5, 0.5, 0.4)
_PUSHED = ("mujoco", "pymunk")


def sliding() -> Iterator[Row]:
    """Yield rows of bodies on floors with friction."""
    for engine in _PUSHED:
        for friction in (0.1, 0.36, 0.6):
            yield braking(engine, friction)
        yield driven(engine)
        for mass in (14.0, 30.0):
            yield held(engine, mass)
        for mass in (14.0, 16.0, 30.0):
            yield held_at(engine, mass)
    for degrees, friction in ((20.0, 0.6), (29.0, 0.6), (35.0, 0.6), (30.0, 0.3)):
        yield incline(degrees, friction)
    for engine in CHOSEN:
        yield braking(engine, 0.36)
        yield driven(engine)
        yield held(engine, 30.0)
    yield rolling()
    yield stack()


def _crate(kind: str, mass: float, friction: float) -> Any:
    crate = body("crate", mass=mass, size=_CRATE, surface=(friction, 0.0))
    if kind == "pymunk":  # the floor of an engine in the plane brakes by a part of the weight
        crate = replace(crate, rolling=friction)
    return crate


def braking(kind: str, friction: float) -> Row:
    """Return by how far a crate of 2 m/s slides beyond v^2 / 2 mu g."""

    def measure() -> float:
        engine = engine_of(kind, [_crate(kind, 10.0, friction)])
        launch(engine, "crate", 2.0)
        run(engine, 1.5 * 2.0 / (friction * GRAVITY) + 0.5, _STEP)
        true = 4.0 / (2.0 * friction * GRAVITY)
        return 100.0 * (float(place_of(engine, "crate")[0]) / true - 1.0)

    return Row(kind, f"braking from 2 m/s, friction {friction:g}: way", "%", measure, 4.0)


def driven(kind: str) -> Row:
    """Return by how much the kinetic friction of a crate that is pushed above the limit is off mu m g."""

    def measure() -> float:
        engine = engine_of(kind, [_crate(kind, 10.0, 0.3)])
        launch(engine, "crate", 1.0)
        push, seconds = 1.2 * 0.3 * 10.0 * GRAVITY, 2.0

        def act(engine: Any, _at: float) -> None:
            engine.wrench[0, 0] += push

        run(engine, seconds, _STEP, act)
        braked = push - 10.0 * (float(engine.planar[0, 3]) - 1.0) / seconds
        return 100.0 * (braked / (0.3 * 10.0 * GRAVITY) - 1.0)

    return Row(kind, "kinetic friction of a crate pushed above its limit", "%", measure, 2.0)


def held(kind: str, mass: float) -> Row:
    """Return how fast a crate creeps that was bumped and that a push of 0.98 of the limit may not move."""

    def measure() -> float:
        engine = engine_of(kind, [_crate(kind, mass, 0.36)])
        launch(engine, "crate", 0.4)

        def act(engine: Any, at: float) -> None:
            engine.wrench[0, 0] += 0.98 * 0.36 * mass * GRAVITY if at > 0.3 else 0.0

        run(engine, 6.0, _STEP, act)
        return float(engine.planar[0, 3])

    return Row(kind, f"crate of {mass:g} kg, bumped, pushed by 0.98 of static friction: creep", "m/s", measure, 1e-3)


def held_at(kind: str, mass: float) -> Row:
    """Return how far a crate moves in 5 s that a push of 80 N, below its limit of friction 0.6, may not move."""

    def measure() -> float:
        engine = engine_of(kind, [_crate(kind, mass, 0.6)])
        run(engine, 0.5, _STEP)
        start = float(place_of(engine, "crate")[0])

        def act(engine: Any, _at: float) -> None:
            engine.wrench[0, 0] += 80.0

        run(engine, 5.0, _STEP, act)
        return float(place_of(engine, "crate")[0]) - start

    return Row(kind, f"crate of {mass:g} kg, friction 0.6, pushed by 80 N for 5 s: way", "m", measure, 1e-3)


def incline(degrees: float, friction: float) -> Row:
    """Return by how far a crate on an incline is off g (sin a - mu cos a) t^2 / 2 in 1 s, which is 0 where it holds."""
    tilt = math.radians(degrees)

    def measure() -> float:
        engine = engine_of("mujoco", [_resting(tilt, friction)], tilt=tilt)
        run(engine, 0.2, _STEP)
        gain = max(0.0, GRAVITY * (math.sin(tilt) - friction * math.cos(tilt)))
        start = place_of(engine, "crate")
        if gain > 0.0:  # it slides already
            start += engine.twists[0, :3]
        run(engine, 1.0, _STEP)
        down = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
        way = float(down @ (place_of(engine, "crate") - start))
        return way - 0.5 * gain

    case = f"crate on an incline of {degrees:g} degrees, friction {friction:g}, 1 s"
    return Row("mujoco", case, "m", measure, 0.02)


def _resting(tilt: float, friction: float) -> Any:
    """Return a crate that lies flat on the incline."""
    return body("crate", mass=5.0, size=_CRATE, surface=(friction, 0.0), tilt=tilt)


def rolling() -> Row:
    """Return by how much a ball on an incline is off 5/7 g sin a."""
    tilt, seconds = math.radians(10.0), 2.0

    def measure() -> float:
        ball = body("ball", mass=1.0, kind="sphere", size=(0.2, 0.2, 0.2), surface=(0.8, 0.0), tilt=tilt)
        engine = engine_of("mujoco", [ball], tilt=tilt)
        run(engine, 0.2, _STEP)
        before = float((engine.twists[0, :3] ** 2).sum() ** 0.5)
        run(engine, seconds, _STEP)
        gain = (float((engine.twists[0, :3] ** 2).sum() ** 0.5) - before) / seconds
        return 100.0 * (gain / (5.0 / 7.0 * GRAVITY * math.sin(tilt)) - 1.0)

    return Row("mujoco", "ball that rolls down 10 degrees: acceleration", "%", measure, 0.5)


def stack() -> Row:
    """Return by how far the uppermost of three boxes sinks or wanders in 5 s."""

    def measure() -> float:
        boxes = [body(f"b{k}", (0.0, 0.0, 0.3 * k), mass=3.0 - k, size=(0.4, 0.4, 0.3)) for k in range(3)]
        engine = engine_of("mujoco", boxes)
        start = place_of(engine, "b2")
        run(engine, 5.0, _STEP)
        return float(abs(engine.poses[row_of(engine, "b2"), :3] - start).max())

    return Row("mujoco", "stack of three boxes, 5 s: the uppermost moves", "m", measure, 2e-3)


def hitting() -> Iterator[Row]:
    """Yield rows of impacts."""
    for engine in ("mujoco", "pymunk"):
        for first, second, rebound in ((1.0, 1.0, 1.0), (1.0, 3.0, 0.5), (4.0, 1.0, 0.0)):
            yield from impact(engine, (first, second), rebound)
        for friction in (0.25, 0.49):
            for step in (0.001, 0.002, 0.005, 0.01):
                yield oblique(engine, friction, step)
    for friction in (0.25, 0.49):
        yield oblique("mujoco+2", friction, 0.02)


def oblique(kind: str, friction: float, step: float) -> Row:
    """Return by how much the turn that a spinning disc loses as it hits another off its middle is not Coulomb's.

    It slides all the time: friction times the normal impulse, m v cos(30 degrees) / 2, acts at its radius.
    """
    surface, spin, radius = (friction**0.5, 0.0), 10.0, 0.2

    def measure() -> float:
        discs = [
            body(name, (*place, 0.0), mass=1.0, kind="cylinder", size=(2 * radius, 2 * radius, 0.3), surface=surface)
            for name, place in (("a", (-1.0, 0.0)), ("b", (0.0, radius)))  # the line of their middles at 30 degrees
        ]
        engine = engine_of(kind, discs, friction=0.0)
        launch(engine, "a", 1.0, spin=spin)
        run(engine, 1.5, step)
        lost = spin - float(engine.planar[row_of(engine, "a"), 5])
        true = friction * 0.5 * math.cos(math.radians(30.0)) * radius / (0.5 * radius**2)
        return 100.0 * (lost / true - 1.0)

    case = f"oblique impact of a spinning disc, friction {friction:g}, at {1e3 * step:g} ms: turn lost"
    return Row(kind, case, "%", measure, 10.0)


def impact(kind: str, masses: tuple[float, float], rebound: float) -> Iterator[Row]:
    """Yield errors of speeds and momentum after a disc of 1 m/s hit one at rest, in percent of what was before."""
    pair = rebound**0.5  # a pair's is the product of both

    @cache
    def errors() -> tuple[float, float]:
        discs = [
            body(name, (x, 0.0, 0.0), mass=mass, kind="cylinder", size=(0.3, 0.3, 0.2), surface=(0.0, pair))
            for name, x, mass in (("a", -0.5, masses[0]), ("b", 0.0, masses[1]))
        ]
        engine = engine_of(kind, discs, friction=0.0)
        launch(engine, "a", 1.0)
        run(engine, 1.0, _STEP)
        speeds = [float(engine.planar[row_of(engine, name), 3]) for name in ("a", "b")]
        joint = masses[0] / sum(masses)
        true = joint - rebound * masses[1] / sum(masses), joint * (1.0 + rebound)
        error = max(abs(speed - expected) for speed, expected in zip(speeds, true, strict=True))
        momentum = sum(mass * speed for mass, speed in zip(masses, speeds, strict=True)) / masses[0]
        return 100.0 * error, 100.0 * (momentum - 1.0)

    case = f"impact of {masses[0]:g} and {masses[1]:g} kg, restitution {rebound:g}"
    yield Row(kind, f"{case}: speeds", "%", lambda: errors()[0], 10.0)
    yield Row(kind, f"{case}: momentum", "%", lambda: errors()[1], 0.5)
