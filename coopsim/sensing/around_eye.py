"""Shapes and robots around one eye: collected from cells, look by look, and room for what is computed of them."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined
from coopsim.sensing import robot_cells as at
from coopsim.sensing import screens as of
from coopsim.sensing.eye import BINS, PER_RADIAN, Eye, square_of
from coopsim.sensing.robot_cells import Cells, Square
from coopsim.sensing.screens import Screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
SIDEWAYS, UP, BOUND, INNER, OWNER, LOW, HIGH, DEPTH, AHEAD, ASIDE, DISTANCE, SQUARE, ROBOT, _COLUMNS = range(14)
"""Columns of numbers: middles of shapes from the eye, radii around them and within [m], bodies that they are parts of,
bins from and to which shadows reach, and from where on [m]; places of robots in the frame of the eye, and distances; of
those that are seen, squares of distances and indices."""
BLOCK = 8  # bins that are darkened at once, and what loops may write behind a column
TURNS = BINS + BLOCK
HALVES = TURNS + 4 * BINS
_BEGIN = HALVES + 2 * (BINS + 1)
WIDE, STAMP, _COUNT, _LISTED = range(4)
_FLAGS, SHAPES, ROBOTS, _SHAPE_MARKS, _ROBOT_MARKS, _LISTS = range(1, 7)
Room: TypeAlias = tuple[Floats, Ints]
"""Numbers: from where on each bin is dark; cosines, then sines, of the middles of parts of a field, by the sum of their
first and last bin, and of half a little more than so many bins; then columns.

Whole ones: width of a column; number of the eye; how many entries are listed; then, each as wide, the listed entries,
which of these are kept, kept shapes and robots, and of all shapes and robots which eye has kept them last."""
_MANY = 192  # entries of cells from which on a first look is made shorter


def rooms_for(count: int, cells: Cells, screens: Screens) -> Room:
    """Return rooms to work in, one in a row: threads that look at the same time have one each."""
    wide = max(int(screens[1][of.SHAPES]), int(cells[1][at.ROBOTS])) + BLOCK
    whole = np.zeros(_LISTED + _LISTS * wide, np.int64)
    whole[WIDE] = wide
    turns, halves = 0.5 * np.arange(2 * BINS) / PER_RADIAN - math.pi, 0.5 * np.arange(BINS + 1) / PER_RADIAN + 1e-6
    halves[-1] = math.pi
    directions = np.cos(turns), np.sin(turns), np.cos(halves), np.sin(halves)
    numbers = np.concatenate([np.zeros(BINS + BLOCK), *directions, np.zeros(_COLUMNS * wide)])
    return np.tile(numbers, (count, 1)), np.tile(whole, (count, 1))


@inlined
def column(number: int, listed: Ints) -> np.uint64:
    """Return where a column of numbers begins."""
    return _U(_BEGIN) + _U(number) * _U(listed[WIDE])


@inlined
def entries_of(number: int, listed: Ints) -> np.uint64:
    """Return where a list begins."""
    return _U(_LISTED) + _U(number) * _U(listed[WIDE])


@inlined
def first_radius(eye: Eye, radius: float, cells: Cells) -> float:
    """Return how far the first look goes: less than that in a throng."""
    numbers, whole = cells
    while radius > numbers[at.SIDE]:
        left, right, low, high = square_of(eye, (0.0, radius), of.EDGE, numbers, whole)
        count = 0
        for line in range(low, high + 1):
            start = at.START + line * whole[at.COLUMNS]
            count += whole[start + right + 1] - whole[start + left]
        if count <= _MANY:
            break
        radius *= 0.5
    return radius


@inlined
def collect(
    eye: Eye,
    distances: tuple[float, float],
    counts: tuple[int, int],
    hides: bool,
    tables: tuple[Cells, Screens],
    listed: Ints,
) -> tuple[int, int]:
    """Collect what lies in the field of an eye and was not collected before; return how many there are.

    Args:
        eye: That looks.
        distances: From where on, and how far; all that is nearer was collected [m].
        counts: Shapes and robots that were collected.
        hides: Whether shapes hide what is behind them.
        tables: Of robots and shapes.
        listed: Whole numbers of the room.
    """
    (cells, screens), (standing, robots) = tables, counts
    margin = of.EDGE + screens[0][of.LARGEST] if hides else of.EDGE
    square = square_of(eye, distances, margin, cells[0], cells[1])
    if hides:
        standing = _collect_shapes(eye, distances[1], square, standing, (cells, screens), listed)
    if not hides or screens[1][of.PAIRED] == 0 or listed[_COUNT] < 0:
        listed[_COUNT] = _list_entries(square, cells[1][at.COLUMNS], at.START, cells[1], 0, listed)
    return standing, _collect_robots(eye, distances[1], robots, cells, listed)


@inlined
def _list_entries(square: Square, columns: int, start: int, whole: Ints, count: int, listed: Ints) -> int:
    """List the entries of cells behind `count` listed ones; return how many that makes."""
    for line in range(square[2], square[3] + 1):
        first = whole[start + line * columns + square[0]]
        size = whole[start + line * columns + square[1] + 1] - first
        for k in range(_U(size)):
            listed[_U(_LISTED + count) + k] = _U(first) + k
        count += size
    return count


@inlined
def _keep_flagged(count: int, lists: tuple[int, int], kept: int, listed: Ints) -> int:
    """Keep the listed entries whose flags are 1, behind `kept` ones; return how many that makes."""
    number, flags, to = _U(kept), entries_of(_FLAGS, listed), entries_of(lists[0], listed)
    marks, stamp = entries_of(lists[1], listed), listed[STAMP]
    for k in range(_U(count)):
        # written in any case, kept by counting on: who is in the sector is as good as random
        e, flag = listed[_U(_LISTED) + k], listed[flags + k]
        listed[to + number] = e
        listed[marks + _U(e)] = stamp if flag != 0 else listed[marks + _U(e)]
        number += _U(flag)
    return int(number)


@inlined
def _collect_shapes(
    eye: Eye, far: float, square: Square, kept: int, tables: tuple[Cells, Screens], listed: Ints
) -> int:
    """Collect the shapes that may stand before what is seen, behind `kept` ones; return how many that makes."""
    (cells, (shapes, counts)), (px, py, _, c, s, cosine, sine, z, owner, _) = tables, eye
    # the large ones stand behind all lists
    large = counts[of.SHAPES] - counts[of.SMALL]
    for k in range(_U(large)):
        listed[_U(_LISTED) + k] = _U(counts[of.SMALL]) + k
    count = _list_entries(square, cells[1][at.COLUMNS], of.START, counts, large, listed)
    listed[_COUNT] = count if large == 0 else -1
    size, across, owners = _U(counts[of.SHAPES]), _U(of.COLUMNS), _U(counts[of.AT_OWNER])
    up, bounds, feet, tops = across + size, across + _U(2) * size, across + _U(4) * size, across + _U(5) * size
    flags, marks, stamp = entries_of(_FLAGS, listed), entries_of(_SHAPE_MARKS, listed), listed[STAMP]
    for k in range(_U(count)):
        e = _U(listed[_U(_LISTED) + k])
        x, y, bound = shapes[across + e] - px, shapes[up + e] - py, shapes[bounds + e]
        is_near = x * x + y * y <= (far + bound) * (far + bound)
        is_ahead = abs(y * c - x * s) * cosine - (x * c + y * s) * sine <= bound
        is_level = (shapes[feet + e] <= z) & (z <= shapes[tops + e])
        is_new = (counts[owners + e] != owner) & (listed[marks + e] != stamp)
        listed[flags + k] = is_near & is_ahead & is_level & is_new
    return _keep_flagged(count, (SHAPES, _SHAPE_MARKS), kept, listed)


@inlined
def _collect_robots(eye: Eye, far: float, kept: int, cells: Cells, listed: Ints) -> int:
    """Collect the listed robots that may be seen, behind `kept` ones; return how many that makes."""
    (numbers, whole), (px, py, _, c, s, cosine, sine, _, _, row) = cells, eye
    count = listed[_COUNT]
    at_x, at_y, body = _U(at.PLACES), _U(at.PLACES + whole[at.ROBOTS]), _U(whole[at.AT_BODY])
    flags, marks, stamp = entries_of(_FLAGS, listed), entries_of(_ROBOT_MARKS, listed), listed[STAMP]
    for k in range(_U(count)):
        e = _U(listed[_U(_LISTED) + k])
        x, y = numbers[at_x + e] - px, numbers[at_y + e] - py
        is_ahead = abs(y * c - x * s) * cosine - (x * c + y * s) * sine <= of.EDGE
        is_new = (whole[body + e] != row) & (listed[marks + e] != stamp)
        listed[flags + k] = (x * x + y * y <= far * far) & is_ahead & is_new
    return _keep_flagged(count, (ROBOTS, _ROBOT_MARKS), kept, listed)
