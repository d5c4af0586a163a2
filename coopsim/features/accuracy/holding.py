"""Static friction at its limit: crates that slid under a push, stacks, a row of crates, a plank on two of them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coopsim.features.accuracy.rows import GRAVITY, Row, body, engine_of, row_of, run
from coopsim.geometry import Vector3

STEPS = (0.002, 0.005, 0.01, 0.02)
"""Lengths of steps [s]."""
_SLID = ((14.0, (0.5, 0.5, 0.4)), (2.0, (0.3, 0.3, 0.3)), (30.0, (0.8, 0.4, 0.3)))  # masses [kg] and sizes [m]
_FRICTIONS, _PARTS, _SPINS = (0.1, 0.36, 0.6), (0.29, 0.5, 0.7, 0.9, 0.97), (0.0, 0.5)
_RESTS = 1e-3  # m/s, rad/s; below it a crate is at rest
_APART = 4.0  # m; between crates, which meet nobody
_SETTLING, _GROWING, _PUSHING = 0.5, 0.5, 1.0  # s; without a push, while it grows, and at its full strength
_HELD, _MOVED = 0.98, 1.02  # of the limit
_FRICTION = 0.6  # of a box on the floor; boxes on each other have its square


@dataclass(frozen=True, slots=True)
class _Pile:
    """Boxes that touch.

    Attributes:
        case: Summary.
        boxes: Mass, place and size of each.
        pushed: Which one is pushed.
        friction: What holds it.
        borne: Mass whose weight presses on what holds it [kg].
        moved: Mass that moves if that gives way [kg].
    """

    case: str
    boxes: tuple[tuple[float, Vector3, Vector3], ...]
    pushed: int
    friction: float
    borne: float
    moved: float


_LOW, _HIGH = (10.0, (0.0, 0.0, 0.0), (0.6, 0.6, 0.3)), (5.0, (0.0, 0.0, 0.3), (0.4, 0.4, 0.3))
_TOP = (3.0, (0.0, 0.0, 0.6), (0.3, 0.3, 0.2))
_ROW = ((10.0, (0.0, 0.0, 0.0), (0.5, 0.5, 0.4)), (6.0, (0.5, 0.0, 0.0), (0.5, 0.5, 0.4)))
_PLANK = (
    (6.0, (-0.5, 0.0, 0.0), (0.3, 0.4, 0.3)),
    (6.0, (0.5, 0.0, 0.0), (0.3, 0.4, 0.3)),
    (4.0, (0.0, 0.0, 0.3), (1.4, 0.3, 0.1)),
)
_BETWEEN = _FRICTION * _FRICTION
_PILES = (
    _Pile("stack of two, the lower one", (_LOW, _HIGH), 0, _FRICTION, 15.0, 15.0),
    _Pile("stack of two, the upper one", (_LOW, _HIGH), 1, _BETWEEN, 5.0, 5.0),
    _Pile("stack of three, the lowest one", (_LOW, _HIGH, _TOP), 0, _FRICTION, 18.0, 18.0),
    _Pile("stack of three, the middle one", (_LOW, _HIGH, _TOP), 1, _BETWEEN, 8.0, 8.0),
    _Pile("two crates in a row, the rear one", _ROW, 0, _FRICTION, 16.0, 16.0),
    _Pile("plank on two crates", _PLANK, 2, _BETWEEN, 4.0, 4.0),
)


def holding() -> Iterator[Row]:
    """Yield rows of what friction holds just yet, and of what it does not hold any more."""
    yield restless()
    for pile in _PILES:
        case = f"{pile.case} pushed by {_HELD:g} of static friction: creep"
        yield Row("mujoco", case, "m/s", partial(pushed, pile, _HELD), _RESTS)
        case = f"{pile.case} pushed by {_MOVED:g} of static friction: friction"
        yield Row("mujoco", case, "%", partial(_braking_error, pile), 2.0)


def _braking_error(pile: _Pile) -> float:
    """Return by how much the friction of a pile that gives way is off its limit [%]."""
    # the push moves what friction leaves of it
    speed = pushed(pile, _MOVED)
    braked = _MOVED - speed / _PUSHING * pile.moved / (pile.friction * pile.borne * GRAVITY)
    return 100.0 * (braked - 1.0)


def restless(steps: Sequence[float] = STEPS) -> Row:
    """Return how many crates that slid do not come to rest under a push of up to 0.97 of their limit."""
    cases = list(itertools.product(_SLID, _FRICTIONS, _PARTS, _SPINS))

    def measure() -> float:
        return float(sum(_restless(cases, step) for step in steps))

    text = f"of {len(cases) * len(steps)} crates that slid, pushed by 0.29 to 0.97 of static friction: not at rest"
    return Row("mujoco", text, "1", measure, 0.5)


def _restless(cases: Sequence[tuple[tuple[float, Vector3], float, float, float]], step: float) -> int:
    crates, pushes, twists, longest = [], np.zeros(len(cases)), np.zeros((len(cases), 6)), 0.0
    for k, ((mass, size), friction, part, spin) in enumerate(cases):
        place = (0.0, _APART * k, 0.0)
        crates.append(body(f"c{k:03}", place, mass=mass, size=size, surface=(friction, 0.0)))
        pushes[k] = part * friction * mass * GRAVITY
        speed = 0.3 * min(1.0, friction / 0.3 * (1.0 - part) * 4.0)
        twists[k, 0], twists[k, 5] = speed, spin
        # what turns is braked less along its way, and takes longer than by its speed alone
        longest = max(longest, speed / ((1.0 - part) * friction * GRAVITY))
    engine = engine_of("mujoco", crates)
    run(engine, _SETTLING, step)
    engine.set_spatial_state(np.arange(len(cases)), engine.poses.copy(), twists)

    def push(engine: Any, _at: float) -> None:
        engine.wrench[:, 0] += pushes

    run(engine, longest + 3.0, step, push)
    return int((np.abs(engine.twists).max(axis=1) >= _RESTS).sum())


def pushed(pile: _Pile, part: float, steps: Sequence[float] = STEPS[1:]) -> float:
    """Return the speed that a part of the limit gives, at the step that is farthest off [m/s]."""
    force, expected = part * pile.friction * pile.borne * GRAVITY, max(0.0, part - 1.0) * pile.friction * GRAVITY
    speeds = [_speed(pile, force, step) for step in steps]
    return max(speeds, key=lambda speed: abs(speed - expected * pile.borne / pile.moved * _PUSHING))


def _speed(pile: _Pile, force: float, step: float) -> float:
    surface = (_FRICTION, 0.0)
    boxes = [
        body(f"b{k}", place, mass=mass, size=size, surface=surface) for k, (mass, place, size) in enumerate(pile.boxes)
    ]
    engine = engine_of("mujoco", boxes)
    row = row_of(engine, f"b{pile.pushed}")
    run(engine, _SETTLING, step)

    def push(engine: Any, at: float) -> None:
        # a push at once would run into what it has to push, too
        engine.wrench[row, 0] += force * min(1.0, at / _GROWING)

    run(engine, _GROWING + _PUSHING, step, push)
    return float(engine.twists[row, 0])
