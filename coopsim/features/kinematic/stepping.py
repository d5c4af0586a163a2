"""A whole step of the kinematic engine as one call: forces, the pairs that may meet, and motion in parts."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.features.kinematic.contact import move
from coopsim.features.kinematic.motion import CENTRE_X, CENTRE_Y, LOST_X, LOST_Y, Lists, integrate, list_pairs
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

GONE, MARGIN_NOW, COUNT = range(3)
"""Columns of a listing: way since pairs were listed [m], the margin they are good for [m], how many there are."""
ALL_RIGHT = -1  # any other result is the row of a body whose wrench is wrong

Moving: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""x y yaw vx vy w, shape (n, 6); motions, shape (n, 7); wrench, shape (n, 6); velocities before, shape (n, 3)."""
Scene: TypeAlias = tuple[Floats, Floats, Ints, Floats, Lists]
"""Bodies, shape (n, 7); shapes, shape (s, 8); their layers, shape (s,); the grid, shape (5,); fixed shapes by cell."""


@compiled
def step_bodies(
    moving: Moving,
    scene: Scene,
    near: tuple[Floats, Ints],
    limits: tuple[float, float, float, int],
    dt: float,
    parts: int,
) -> int:
    """Advance all bodies by `parts` times `dt` [s].

    Args:
        moving: Changed, the wrench is cleared.
        scene: What they may meet.
        near: The listing, and pairs that may meet, shape (room, 2); both are renewed when they may have changed.
        limits: The longest way between two looks [m], the margin of the listing [m], the way of a body whose force is
            wrong [m], the most parts of a step.
        dt: Length of a part [s].
        parts: How many.

    Returns:
        `ALL_RIGHT`, or the row of a body whose wrench is not finite or absurdly large; the others have moved.
    """
    planar, motion, wrench, before = moving
    longest_look, margin, farthest, most = limits
    for row in range(planar.shape[0]):
        for column in range(3):
            before[row, column] = planar[row, 3 + column]
        motion[row, LOST_X] = motion[row, LOST_Y] = 0.0
    wrong = ALL_RIGHT
    for part in range(parts):
        longest = integrate(planar, motion, wrench, scene[0], dt, part == parts - 1)
        if longest < 0.0:
            # the others move on; with an unknown path pairs are listed anew
            wrong, longest = int(-longest) - 1, farthest
        looks = max(1, math.ceil(min(longest / longest_look, float(most))))
        way = longest / looks
        for _ in range(looks):
            pairs = near_pairs(planar, scene, near, margin, way)
            move(planar, motion, 1.0 / looks, scene[0], scene[1], pairs)
            near[0][GONE] += way
    return wrong


@compiled
def near_pairs(planar: Floats, scene: Scene, near: tuple[Floats, Ints], margin: float, way: float) -> Ints:
    """Return pairs that may meet within `way` [m], shape (k, 2); they are listed anew when they may have changed."""
    listing, pairs = near
    room = pairs.shape[0]
    # what found no room the last time is listed anew: nobody kept it
    if 2.0 * (listing[GONE] + way) <= listing[MARGIN_NOW] and listing[COUNT] <= room:
        return pairs[: int(listing[COUNT])]
    bodies, shapes, layers, grid, fixed = scene
    middles = np.empty((planar.shape[0], 2))
    for row in range(planar.shape[0]):
        cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        x, y = bodies[row, CENTRE_X], bodies[row, CENTRE_Y]
        middles[row, 0], middles[row, 1] = planar[row, 0] + cos * x - sin * y, planar[row, 1] + sin * x + cos * y
    listing[GONE], listing[MARGIN_NOW] = 0.0, max(margin, 2.0 * way)
    count = list_pairs(middles, shapes, layers, grid, fixed, listing[MARGIN_NOW], pairs)
    listing[COUNT] = count
    if count > room:
        pairs = np.empty((count, 2), np.int64)
        list_pairs(middles, shapes, layers, grid, fixed, listing[MARGIN_NOW], pairs)
    return pairs[:count]


@compiled
def write_accelerations(planar: Floats, before: Floats, lasted: Floats, out: Floats) -> None:
    """Write the change of velocities in a step of `lasted[0]` [s] as accelerations in space, shape (n, 6)."""
    dt = lasted[0]
    for row in range(planar.shape[0]):
        out[row, 0], out[row, 1] = (planar[row, 3] - before[row, 0]) / dt, (planar[row, 4] - before[row, 1]) / dt
        out[row, 5] = (planar[row, 5] - before[row, 2]) / dt
