"""Compiled parts of the pymunk engine."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.constants import STRONGEST


@compiled
def scatter_wrench(wrench: Floats, places: Ints, forces: Floats) -> int:
    """Move force x, y and torque z of each body to its place in the engine and clear `wrench`.

    Args:
        wrench: Shape (n, 6) [N, N m].
        places: Where the engine keeps each body, shape (n,).
        forces: Shape (m, 3) [N, N m].

    Returns:
        The first row whose wrench is not finite or absurdly large, else -1.
    """
    wrong = -1
    for row in range(places.size):
        x, y, turn = wrench[row, 0], wrench[row, 1], wrench[row, 5]
        # the sum once instead of three comparisons; what is no number fails it
        if not abs(x) + abs(y) + abs(turn) <= STRONGEST:
            # the wrench is cleared to the end all the same: nothing of a refused step acts later
            wrong = row if wrong < 0 else wrong
            x = y = turn = 0.0
        place = places[row]
        forces[place, 0], forces[place, 1], forces[place, 2] = x, y, turn
        for column in range(6):
            wrench[row, column] = 0.0
    return wrong


@compiled
def to_poses(planar: Floats, height: Floats, poses: Floats, twists: Floats) -> None:
    """Write poses (n, 7) and twists (n, 6) in space of bodies that stand upright."""
    for row in range(height.size):
        # upright bodies turn about z alone: the quaternion is (cos, 0, 0, sin) of half the heading
        half = planar[row, 2] / 2.0
        poses[row, 0], poses[row, 1], poses[row, 2] = planar[row, 0], planar[row, 1], height[row]
        poses[row, 3], poses[row, 6] = math.cos(half), math.sin(half)
        poses[row, 4] = poses[row, 5] = 0.0
        twists[row, 0], twists[row, 1], twists[row, 5] = planar[row, 3], planar[row, 4], planar[row, 5]
        twists[row, 2] = twists[row, 3] = twists[row, 4] = 0.0
