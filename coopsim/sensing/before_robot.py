"""Shapes that hide robots from an eye: shadows that they throw, and which of them stand before a robot."""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X
from coopsim.sensing import around_eye as around
from coopsim.sensing import screens as of
from coopsim.sensing.around_eye import BLOCK, Room, column, entries_of
from coopsim.sensing.eye import BINS, PER_RADIAN, Eye, fractional_bin
from coopsim.sensing.line_of_sight import stands
from coopsim.sensing.ray_fan import arc
from coopsim.sensing.ray_head import WIDTH
from coopsim.sensing.screens import Screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster


@inlined
def darken(eye: Eye, new: tuple[int, int], screens: Screens, room: Room) -> None:
    """Write the columns of new shapes, and from where on each bin lies in their shadows.

    Args:
        eye: That looks.
        new: Of the shapes that were collected the first new one, and the one behind the last.
        screens: The shapes.
        room: Of the eye.
    """
    (shapes, counts), (numbers, listed), (px, py, _, c, s, _, _, _, _, _) = screens, room, eye
    size, across, owners = _U(counts[of.SHAPES]), _U(of.COLUMNS), _U(counts[of.AT_OWNER])
    sideways, up, owned = _columns(listed)
    bounds, inners, depths = column(around.BOUND, listed), column(around.INNER, listed), column(around.DEPTH, listed)
    lows, highs, entries = column(around.LOW, listed), column(around.HIGH, listed), entries_of(around.SHAPES, listed)
    for k in range(_U(new[0]), _U(new[1])):
        e = _U(listed[entries + k])
        x, y, row = shapes[across + e] - px, shapes[across + size + e] - py, across + e
        numbers[sideways + k], numbers[up + k], numbers[owned + k] = x, y, counts[owners + e]
        bound, away = shapes[row + _U(of.BOUND) * size], math.sqrt(x * x + y * y)
        numbers[bounds + k], numbers[inners + k] = bound, shapes[row + _U(of.INNER) * size]
        numbers[depths + k] = away + shapes[row + _U(of.DEPTH) * size] if away > bound else math.inf
        placed = _U(counts[of.AT_PLACED] + WIDTH * counts[counts[of.AT_SHAPE] + int(e)])
        half_width = shapes[placed + _U(HALF_WIDTH)]
        size_along = shapes[placed + _U(HALF)] if half_width > 0.0 else numbers[inners + k]
        heading = shapes[placed + _U(COS)], shapes[placed + _U(SIN)]
        numbers[lows + k], numbers[highs + k] = _slopes((x, y, away), (size_along, half_width), heading)
    for k in range(_U(new[0]), _U(new[1])):
        x, y = numbers[sideways + k], numbers[up + k]
        middle = fractional_bin(x * c + y * s, y * c - x * s)
        numbers[lows + k], numbers[highs + k] = middle + _bins(numbers[lows + k]), middle + _bins(numbers[highs + k])
    for k in range(_U(new[0]), _U(new[1])):
        # bins that are in it from end to end, but for a millionth of one for rounding
        if numbers[depths + k] < math.inf:
            first, last = max(math.ceil(numbers[lows + k] + 1e-6), 0), min(int(numbers[highs + k] - 1e-6), BINS)
            _darken_bins(first, last, numbers[depths + k], numbers)


@inlined
def _columns(listed: Ints) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return where the columns of middles and owners begin."""
    return column(around.SIDEWAYS, listed), column(around.UP, listed), column(around.OWNER, listed)


@inlined
def _slopes(
    middle: tuple[float, float, float], sizes: tuple[float, float], heading: tuple[float, float]
) -> tuple[float, float]:
    """Return the slopes to both sides of a shape from the line to its middle, which lies outside.

    Args:
        middle: From the eye, and how far that is [m].
        sizes: Half the sides of a box, or a radius and 0 [m].
        heading: Cosine and sine of the direction of the first side.
    """
    (x, y, away), (half, half_width), (c, s) = middle, sizes, heading
    if half_width == 0.0:
        slope = half / math.sqrt(max(away * away - half * half, of.EDGE))
        return -slope, slope
    # each pair of opposite corners: how far beside the line, and how far beyond the middle
    along, aside = (c * x + s * y) / away, (s * x - c * y) / away
    beside, beyond = half * aside + half_width * along, half * along - half_width * aside
    beside_second, beyond_second = half * aside - half_width * along, half * along + half_width * aside
    first, second = beside / (away + beyond), -beside / (away - beyond)
    third = beside_second / (away + beyond_second)
    fourth = -beside_second / (away - beyond_second)
    return min(first, second, third, fourth), max(first, second, third, fourth)


@inlined
def _bins(slope: float) -> float:
    """Return how many bins a slope from -1 to 1 makes; a steeper one makes no more."""
    return math.copysign(arc(min(abs(slope), 1.0), 1.0), slope) * PER_RADIAN


@inlined
def _darken_bins(first: int, last: int, depth: float, numbers: Floats) -> None:
    """Let bins from `first` to before `last` be dark from a depth on."""
    for block in range(first, last, BLOCK):
        for j in range(BLOCK):
            k = _U(block + j)
            numbers[k] = min(numbers[k], depth if block + j < last else math.inf)


@compiled
def is_behind(eye: Eye, place: tuple[float, float], body: int, count: int, screens: Screens, room: Room) -> bool:
    """Return whether one of the shapes that were collected stands before a robot."""
    (numbers, listed), dx, dy = room, place[0] - eye[0], place[1] - eye[1]
    square, owner, possible, certain = dx * dx + dy * dy, float(body), 0, 0
    distance = math.sqrt(square)
    sideways, up, owned = _columns(listed)
    bounds, inners = column(around.BOUND, listed), column(around.INNER, listed)
    for k in range(_U(count)):
        u, v, bound = numbers[sideways + k], numbers[up + k], numbers[bounds + k]
        aside, along, slack = abs(u * dy - v * dx), u * dx + v * dy, bound * distance
        is_beside = (aside > slack) | (along < -slack) | (along > square + slack)
        is_possible = (not is_beside) & (numbers[owned + k] != owner)
        is_between = (aside < numbers[inners + k] * distance) & (along > 0.0) & (along < square)
        is_around = (u - dx) * (u - dx) + (v - dy) * (v - dy) <= bound * bound
        possible, certain = possible + is_possible, certain + (is_possible & is_between & (not is_around))
    if certain > 0 or possible == 0:
        return certain > 0
    return _is_cut((eye[0], eye[1], *place), eye[7], owner, count, screens, room)


@compiled
def _is_cut(
    line: tuple[float, float, float, float], height: float, owner: float, count: int, screens: Screens, room: Room
) -> bool:
    """Return whether a shape stands before a robot, where some are near the line, but none is certain to cut it."""
    (shapes, counts), (numbers, listed), dx, dy = screens, room, line[2] - line[0], line[3] - line[1]
    square, entries = dx * dx + dy * dy, entries_of(around.SHAPES, listed)
    sideways, up, owned = _columns(listed)
    bounds, distance = column(around.BOUND, listed), math.sqrt(square)
    for k in range(_U(count)):
        u, v, slack = numbers[sideways + k], numbers[up + k], numbers[bounds + k] * distance
        aside, along = abs(u * dy - v * dx), u * dx + v * dy
        is_beside = (aside > slack) | (along < -slack) | (along > square + slack)
        if is_beside | (numbers[owned + k] == owner):
            continue
        placed = counts[of.AT_PLACED] + WIDTH * counts[counts[of.AT_SHAPE] + listed[entries + k]] + X
        if stands(shapes[placed : placed + WIDTH], line, height):
            return True
    return False
