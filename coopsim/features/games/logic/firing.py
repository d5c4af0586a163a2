"""Places from which robots see whom they shoot at, compiled: all candidates around an enemy against all bodies.

Source: swarm gaming, section 4.3 (attackers surround their target; robots shoot at enemies within range).
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.games.logic.nearness import is_seen
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

Bodies: TypeAlias = tuple[Floats, Floats, Floats]
"""Positions of all robots, shape (n, 2), their radii, shape (n,), and both ends of walls, shape (m, 4) [m]."""
Map: TypeAlias = tuple[NDArray[np.int32], Floats, int]
"""Part that each cell is in, shape (rows, columns); corner with the least x and y, and side of a cell [m]; own part."""
_ANGLES, _RINGS = 20, 4  # places around a target: every 18 degrees, at four distances
_NEAREST, _STEP = 0.3, 0.2
"""Rings are so much of the range, and each next one so much more."""
_APART = 0.8
"""Between bodies that stand to shoot: whoever falls there leaves room to pass, and to look past it [m]."""


@compiled
def firing_place(who: tuple[int, Ints], reach: float, bodies: Bodies, ends: Floats, field: Map, place: Floats) -> bool:
    """Write the place nearest to a robot from which it sees an enemy, shape (2,); return whether there is one.

    Args:
        who: Row of the robot, and those of the enemies that it may shoot at, the nearest one first.
        reach: Of its shooter [m].
        bodies: See `Bodies`.
        ends: Where others go that stand then, NaN = nowhere: shape (n, 2) [m].
        field: Where robots may be.
        place: x and y [m].
    """
    positions, best = bodies[0], math.inf
    me, enemies = who
    for enemy in enemies:
        for k in range(_ANGLES * _RINGS):
            gap = reach * (_NEAREST + _STEP * (k // _ANGLES))
            angle = 2.0 * math.pi * (k % _ANGLES) / _ANGLES
            x, y = positions[enemy, 0] + gap * math.cos(angle), positions[enemy, 1] + gap * math.sin(angle)
            way = math.hypot(x - positions[me, 0], y - positions[me, 1])
            # in order of cost: a comparison, a cell and circles, a view past all bodies
            if way < best and _is_free(x, y, me, bodies, ends, field) and is_seen((x, y), (me, enemy), bodies):
                best, place[0], place[1] = way, x, y
    return best < math.inf


@compiled
def _is_free(x: float, y: float, me: int, bodies: Bodies, ends: Floats, field: Map) -> bool:
    """Return whether a robot may stand somewhere: it is in no wall or water, and nobody stands there, or goes there."""
    parts, corner, own = field
    row, column = math.floor((y - corner[1]) / corner[2]), math.floor((x - corner[0]) / corner[2])
    # other parts of the map are free, too, but no way leads there
    if row < 0 or column < 0 or row >= parts.shape[0] or column >= parts.shape[1] or parts[row, column] != own:
        return False
    positions, radii, _ = bodies
    for k in range(radii.size):
        if k != me:
            apart = radii[k] + radii[me] + _APART
            # false for NaN, which stands for who goes nowhere
            goes = ends[k, 0] == ends[k, 0]
            u, v = (ends[k, 0] - x, ends[k, 1] - y) if goes else (positions[k, 0] - x, positions[k, 1] - y)
            if u * u + v * v < apart * apart:
                return False
    return True
