"""The last look of each eye, and how far all may move until what it says of a robot must be looked at anew.

A list of an eye holds the robots and shapes of its last look, also those somewhat beyond its field. Two shapes farther
apart than both move do not meet, and who stands deep in a shadow stays there. So each robot has a distance: until all
have moved that far together, it is seen, or hidden, as before. Nothing of it is state: without lists, all is looked at.
"""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.lanes import LANES
from coopsim.kernels.shapes import HALF, HALF_WIDTH, X, Y
from coopsim.sensing import around_eye as around
from coopsim.sensing.around_eye import Room, column, entries_of
from coopsim.sensing.eye import SKIN, TURN, Eye
from coopsim.sensing.ray_head import BODY
from coopsim.sensing.screens import EDGE

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_LEAP, _FAR = 0.02, 1e7
"""Who moves farther in a tick, or is farther away, ends all lists [m].

Those that end at once are not worth their making, and far away roundings would reach `EDGE`.
"""
_MOST = 40  # robots, and shapes, in a list: one kilobyte for each eye
MOVED, SKIN_NOW = range(2)
_X, _Y, _HEADING, _HEIGHT, _ARM, _POSE = range(6)
_BEGAN, _RANGE, _TURNED, _LIMITS, _, _, _EXPIRY = range(7)
_SHAPES, _ROBOTS, _LISTED = range(3)
Kept: TypeAlias = tuple[Floats, Floats, Floats, Ints]
"""How far all have moved, and how deep in a shadow those are whom a list leaves out, 0 where none is worth its making
[m]; pose of each body, and how far its shapes reach, shape (m, 5); of each list how far all had moved, how far it goes,
heading and limits of the eye, and until where each robot is seen as it was, below 0 where it was hidden; and how many
shapes and robots it has, and these."""


def no_looks(count: int, moving: Floats) -> Kept:
    """Return a table for so many bodies with shapes, shape (m, 11), in which no look is kept."""
    poses = np.full((count, _POSE), math.nan)
    poses[:, _ARM] = 0.0
    reaches = np.hypot(moving[:, X], moving[:, Y]) + np.hypot(moving[:, HALF], moving[:, HALF_WIDTH])
    np.maximum.at(poses[:, _ARM], moving[:, BODY].astype(np.int64), reaches)
    looks = np.full((count, _EXPIRY + _MOST + LANES), -math.inf)
    return np.zeros(2), poses, looks, np.zeros((count, _LISTED + 2 * _MOST), np.int64)


@compiled
def note_motion(planar: Floats, height: Floats, kept: Kept) -> None:
    """Add how far bodies have moved: an end of a line of sight, and, together with that, a shape that turns, too."""
    step, sweep, is_calm = 0.0, 0.0, True
    for j in range(len(planar)):
        pose, x, y, heading = kept[1][j], planar[j, 0], planar[j, 1], planar[j, 2]
        dx, dy, turn = x - pose[_X], y - pose[_Y], abs(heading - pose[_HEADING])
        way = math.sqrt(dx * dx + dy * dy)
        swept = way + pose[_ARM] * min(turn, abs(turn - 2.0 * math.pi))
        # comparisons are false for what is no number
        is_calm &= (swept <= _LEAP) & (height[j] == pose[_HEIGHT]) & (abs(x) + abs(y) <= _FAR)
        step, sweep = max(step, way), max(sweep, swept)
        pose[_X], pose[_Y], pose[_HEADING], pose[_HEIGHT] = x, y, heading, height[j]
    # lists end where all move farther than their skin
    kept[0][MOVED] += step + sweep if is_calm else 2.0 * SKIN
    kept[0][SKIN_NOW] = SKIN if is_calm else 0.0


@inlined
def range_of(eye: Eye, limits: Floats, kept: Kept) -> float:
    """Return how far from an eye all robots in its field are in its list; below 0 where it has none that holds [m]."""
    look = kept[2][eye[9]]
    moves = kept[0][MOVED] - look[_BEGAN] + EDGE
    holds = (moves <= SKIN) & (abs(eye[2] - look[_TURNED]) <= TURN)
    for k in range(3):
        holds &= limits[k] == look[_LIMITS + k]
    return look[_RANGE] - moves if holds else -1.0


@inlined
def recall(eye: Eye, kept: Kept, room: Room) -> tuple[int, int]:
    """Read the list of an eye; return how many shapes and robots it has."""
    look, lists, expiry = kept[2][eye[9]], kept[3][eye[9]], column(around.EXPIRY, room[1])
    shapes, robots = entries_of(around.SHAPES, room[1]), entries_of(around.ROBOTS, room[1])
    for k in range(_U(lists[_SHAPES])):
        room[1][shapes + k] = lists[_U(_LISTED) + k]
    for k in range(_U(lists[_ROBOTS])):
        room[1][robots + k], room[0][expiry + k] = lists[_U(_LISTED + _MOST) + k], look[_U(_EXPIRY) + k]
    return lists[_SHAPES], lists[_ROBOTS]


@inlined
def keep_expiry(eye: Eye, count: int, kept: Kept, room: Room) -> None:
    """Write until where each robot in the list of an eye is seen as it was."""
    look, expiry = kept[2][eye[9]], column(around.EXPIRY, room[1])
    for k in range(_U(count)):
        look[_U(_EXPIRY) + k] = room[0][expiry + k]


@inlined
def keep_look(eye: Eye, limits: Floats, radius: float, count: tuple[int, int], kept: Kept, room: Room) -> None:
    """Write the list of an eye that has collected so many shapes and robots within a radius, if they fit in.

    Who is hidden as long as the list holds is left out, and shapes that are near to no line of sight.
    """
    look, lists, (numbers, listed), moved = kept[2][eye[9]], kept[3][eye[9]], room, kept[0][MOVED]
    entries, expiry, robots = entries_of(around.ROBOTS, listed), column(around.EXPIRY, listed), 0
    for k in range(_U(count[1])):
        listed[entries + _U(robots)], numbers[expiry + _U(robots)] = listed[entries + k], numbers[expiry + k]
        robots += numbers[expiry + k] > -moved - SKIN
    standing, needed, shapes = entries_of(around.SHAPES, listed), column(around.NEEDED, listed), 0
    for k in range(_U(count[0])):
        listed[standing + _U(shapes)] = listed[standing + k]
        shapes += numbers[needed + k] != 0.0
    fits = kept[0][SKIN_NOW] > 0.0 and max(shapes, robots) <= _MOST
    look[_BEGAN], look[_RANGE], look[_TURNED] = moved if fits else -math.inf, radius, eye[2]
    look[_LIMITS : _LIMITS + 3] = limits
    if fits:
        lists[_SHAPES], lists[_ROBOTS] = shapes, robots
        for k in range(_U(shapes)):
            lists[_U(_LISTED) + k] = listed[standing + k]
        for k in range(_U(robots)):
            lists[_U(_LISTED + _MOST) + k] = listed[entries + k]
        keep_expiry(eye, robots, kept, room)
