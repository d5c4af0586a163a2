"""Formations as leaders and followers: the leader of each robot, and its desired place seen from there.

Source: CoopDynSim, Fig. 4 (inverted V) and Fig. 10 (triangle).
"""

import math
from collections.abc import Callable
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


_SHAPES: dict[str, Callable[[int], Slot]] = {"triangle": _triangle, "line": _line, "column": _column, "vee": _vee}
NAMES = tuple(_SHAPES)


def shape(name: str, robots: int, spacing: float) -> Shape:
    """Return the formation `name` of `robots` robots with `spacing` between neighbours [m].

    Raises:
        BadArgument: There is no such formation.
    """
    if name not in _SHAPES:
        raise BadArgument(f"shape must be one of {', '.join(NAMES)}, got {name!r}")
    chain = [(0, 0.0, 0.0), *(_SHAPES[name](i) for i in range(1, robots))]
    places = np.zeros((robots, 2))
    for robot, (before, x, y) in enumerate(chain):
        places[robot] = places[before] + spacing * np.array([x, y])
    parents = np.array([0 if robot <= DIRECT else before for robot, (before, _, _) in enumerate(chain)], np.int64)
    return Shape(parents, places - places[parents], places)
