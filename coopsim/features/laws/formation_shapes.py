"""Formations as leaders and followers: the leader of each robot, and its desired place seen from there.

Source: CoopDynSim, Fig. 4 (inverted V) and Fig. 10 (triangle).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.errors import BadArgument
from coopsim.geometry import Floats, Ints

DIRECT = 8
"""Largest number of robots observed at once; as many followers follow the leader itself."""
Slot = tuple[int, float, float]


@dataclass(frozen=True)
class Shape:
    """A formation of n robots; the first leads, each other one follows one before it.

    Attributes:
        parents: Index of the robot that each follows, shape (n,); the leader's own is 0, itself.
        offsets: Place of each as seen from the one it follows, x along the march, y left, shape (n, 2) [m].
        places: The same as seen from the leader, shape (n, 2) [m].
    """

    parents: Ints
    offsets: Floats
    places: Floats


def _column(i: int) -> Slot:
    return i - 1, -1.0, 0.0


def _side(i: int) -> float:
    return 1.0 if i % 2 else -1.0


def _line(i: int) -> Slot:
    return max(i - 2, 0), 0.0, _side(i)


def _vee(i: int) -> Slot:
    return max(i - 2, 0), -math.sqrt(0.5), _side(i) * math.sqrt(0.5)


def _triangle(i: int) -> Slot:
    # rows of 1, 2, 3 ... robots, from left to right
    row = (math.isqrt(8 * i + 1) - 1) // 2
    column = i - row * (row + 1) // 2
    parent = (row - 1) * row // 2 + min(column, row - 1)
    return parent, -math.sqrt(0.75), -0.5 if column == row else 0.5


def _open_vee(i: int) -> Slot:
    return max(i - 2, 0), math.sqrt(0.5), _side(i) * math.sqrt(0.5)


_SHAPES: dict[str, Callable[[int], Slot]] = {
    "triangle": _triangle,
    "line": _line,
    "column": _column,
    "vee": _vee,
    "open_vee": _open_vee,
}
CIRCLE, CUSTOM = "circle", "custom"
NAMES = (*_SHAPES, CIRCLE)
"""Shapes for any number of robots: `vee` points forward, as an inverted V, `open_vee` backward; `circle` has its leader
behind and its middle ahead of it, where the target is when the leader is a radius from that."""


def shape(name: str, robots: int, spacing: float, offsets: str = "") -> Shape:
    """Return the formation `name` of `robots` robots with `spacing` between neighbours [m].

    Args:
        name: One of `NAMES`, or "custom".
        robots: How many.
        spacing: Between neighbours; of "custom" the unit of its offsets [m].
        offsets: Of "custom": places of the followers as seen from the leader, x ahead and y to the left, `-1 1 -1 -1`.

    Raises:
        BadArgument: There is no such formation, or the offsets are not two numbers for each follower.
    """
    if name not in (*NAMES, CUSTOM):
        raise BadArgument(f"shape must be one of {', '.join((*NAMES, CUSTOM))}, got {name!r}")
    if name == CUSTOM:
        before, places = [0] * robots, spacing * _custom(offsets, robots)
    elif name == CIRCLE:
        before, places = [max(i - 2, 0) for i in range(robots)], spacing * _circle(robots)
    else:
        before, places = _chained(_SHAPES[name], robots, spacing)
    parents = np.array([0 if robot <= DIRECT else before[robot] for robot in range(robots)], np.int64)
    return Shape(parents, places - places[parents], places)


def remaining(formation: Shape, robots: Sequence[int]) -> Shape:
    """Return the formation of those robots that are left: each keeps its place, the first of them leads.

    Args:
        formation: Of all that there were.
        robots: Numbers of those that are left, ascending.
    """
    places = formation.places[list(robots)] - formation.places[robots[0]]
    parents = np.array([_leader_left(formation, robot, robots) for robot in robots], np.int64)
    return Shape(parents, places - places[parents], places)


def _leader_left(formation: Shape, robot: int, robots: Sequence[int]) -> int:
    """Return which of the robots that are left one follows: the next in its chain of leaders that is there."""
    leader = int(formation.parents[robot])
    while leader not in robots and leader > 0:
        leader = int(formation.parents[leader])
    return robots.index(leader) if leader in robots else 0


def _chained(slot: Callable[[int], Slot], robots: int, spacing: float) -> tuple[list[int], Floats]:
    """Return whom each robot follows in a shape that grows robot by robot, and the places."""
    chain = [(0, 0.0, 0.0), *(slot(i) for i in range(1, robots))]
    places = np.zeros((robots, 2))
    for robot, (before, x, y) in enumerate(chain):
        places[robot] = places[before] + spacing * np.array([x, y])
    return [before for before, _, _ in chain], places


def _circle(robots: int) -> Floats:
    """Return places on a circle whose chord from neighbour to neighbour is 1, by turns to the left and to the right."""
    if robots == 1:
        return np.zeros((1, 2))
    radius, steps = 0.5 / math.sin(math.pi / robots), [(i + 1) // 2 * _side(i) for i in range(robots)]
    angles = 2.0 * math.pi / robots * np.array(steps)
    return radius * np.column_stack([1.0 - np.cos(angles), np.sin(angles)])


def _custom(offsets: str, robots: int) -> Floats:
    try:
        given = np.array([float(word) for word in offsets.replace(",", " ").split()]).reshape(robots - 1, 2)
    except ValueError:
        given = np.full((1, 2), np.nan)
    if not np.isfinite(given).all():
        raise BadArgument(
            f"offsets must be x and y of each of the {robots - 1} followers, as `-1 1 -1 -1`; got {offsets!r}"
        )
    return np.vstack([np.zeros((1, 2)), given])
