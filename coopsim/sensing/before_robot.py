"""Shapes that hide robots from an eye: shadows that they throw, and which of them stand before a robot."""

import math

import numpy as np

from coopsim.kernels import inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.kernels.shapes import X
from coopsim.sensing import around_eye as around
from coopsim.sensing import screens as of
from coopsim.sensing.around_eye import Room, address_of, column, entries_of, list_of
from coopsim.sensing.eye import BINS, PER_RADIAN, UNSURE, Eye, bins_of, rough_arcs
from coopsim.sensing.line_of_sight import stands
from coopsim.sensing.ray_head import WIDTH
from coopsim.sensing.screens import Screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_BYTES = 8  # of a number


@inlined
def darken(eye: Eye, new: tuple[int, int], screens: Screens, room: Room) -> None:
    """Write the columns of new shapes, and from where on each bin lies in their shadows.

    Args:
        eye: That looks.
        new: Of the shapes that were collected the first new one, and the one behind the last.
        screens: The shapes.
        room: Of the eye.
    """
    (shapes, counts), numbers = screens, room[0]
    first, line = address(shapes) + _BYTES * of.COLUMNS, _BYTES * counts[of.SHAPES]
    places = first + of.ACROSS * line, first + of.UP * line, first + of.BOUND * line
    sizes = first + of.DEPTH * line, first + of.OWNED * line, first + of.ALONG * line, first + of.ASIDE * line
    into = address_of(around.SIDEWAYS, room), address_of(around.UP, room), address_of(around.BOUND, room)
    owners, ends = address_of(around.OWNER, room), (address_of(around.BEGIN, room), address_of(around.END, room))
    headings = first + of.COSINE * line, first + of.SINE * line
    columns = (
        list_of(around.SHAPES, room),
        *places,
        *sizes,
        *headings,
        *into,
        owners,
        address_of(around.DEPTH, room),
        *ends,
    )
    _throw(new[0], new[1], columns, (eye[0], eye[1], eye[3], eye[4]), 0)
    depths = column(around.DEPTH, room[1])
    begins, behind, bins = column(around.BEGIN, room[1]), column(around.END, room[1]), (address(numbers),)
    for k in range(_U(new[0]), _U(new[1])):
        if numbers[depths + k] < math.inf:
            begin, end = int(numbers[begins + k]), int(numbers[behind + k])
            # whole vectors from one on: what was written of it is then read as it was written. Two of them hold most
            # shadows, and need no guess how many there are
            first, shadow = begin // LANES * LANES, (numbers[depths + k], begin, end)
            _darken_bins(first, first + 2 * LANES, bins, shadow, 0)
            if first + 2 * LANES < end:
                _darken_bins(first + 2 * LANES, end, bins, shadow, 0)


@loop
def _throw(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write where shapes are, and where their shadows begin and end."""
    (px, py, c, s), listed = common, rows.words(0)
    x, y, bound = rows.gathered(1, listed) - px, rows.gathered(2, listed) - py, rows.gathered(3, listed)
    depth, owner, half, half_width, cosine, sine = (rows.gathered(k, listed) for k in range(4, 10))
    square = x * x + y * y
    away = square.root()
    rows[10], rows[11], rows[12], rows[13] = x, y, bound, owner
    rows[14] = (away > bound).where(away + depth, math.inf)
    right, left = _slopes((x, y, square), (half, half_width), (cosine, sine))
    middle = bins_of(x * c + y * s, y * c - x * s)
    # bins that are in it from end to end
    rows[15] = (-(-(middle - _bins(right) + UNSURE)).floor()).most(0.0).least(float(BINS))
    rows[16] = (middle + _bins(left) - UNSURE).floor().least(float(BINS)).most(0.0)


def _slopes(
    middle: tuple[Lanes, Lanes, Lanes], sizes: tuple[Lanes, Lanes], heading: tuple[Lanes, Lanes]
) -> tuple[Lanes, Lanes]:
    """Return the slopes to the right and left sides of shapes from the line to their middles, which lie outside.

    Args:
        middle: From the eye [m], and the square of its distance [m2].
        sizes: Half the sides of boxes, or a radius and 0 [m].
        heading: Cosine and sine of the direction of the first side.
    """
    (x, y, square), (half, half_width), (c, s) = middle, sizes, heading
    along, aside = c * x + s * y, s * x - c * y
    # two pairs of opposite corners: how far beside the line, and how much farther the one to its left is, times its
    # length, so that four divisions are two
    beside, beyond = half * aside + half_width * along, half * along - half_width * aside
    beside_second, beyond_second = half * aside - half_width * along, half * along + half_width * aside
    beyond = (beside < 0.0).where(-beyond, beyond)
    beyond_second = (beside_second < 0.0).where(-beyond_second, beyond_second)
    beside, beside_second = abs(beside), abs(beside_second)
    right = _steeper((beside, square - beyond), (beside_second, square - beyond_second))
    left = _steeper((beside, square + beyond), (beside_second, square + beyond_second))
    is_round, tangent = half_width.equals(0.0), (square - half * half).most(of.EDGE).root()
    return (
        is_round.where(half, right[0]) / is_round.where(tangent, right[1]),
        is_round.where(half, left[0]) / is_round.where(tangent, left[1]),
    )


def _steeper(first: tuple[Lanes, Lanes], second: tuple[Lanes, Lanes]) -> tuple[Lanes, Lanes]:
    """Return the steeper of two slopes, each as how far it rises, and on what way."""
    is_first = first[0] * second[1] > second[0] * first[1]
    return is_first.where(first[0], second[0]), is_first.where(first[1], second[1])


def _bins(slope: Lanes) -> Lanes:
    """Return how many bins slopes from 0 to 1 make; steeper ones make no more."""
    return rough_arcs(slope.least(1.0)) * PER_RADIAN


@loop
def _darken_bins(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Let bins be dark from a depth on, from one bin to before another."""
    depth, begin, end = common
    rows[0] = rows[0].smaller(((rows.numbers >= begin) & (rows.numbers < end)).where(depth, math.inf))


@inlined
def is_behind(eye: Eye, robot: tuple[float, ...], body: int, count: int, screens: Screens, room: Room) -> bool:
    """Return whether one of the shapes that were collected stands before a robot at a place and a distance [m]."""
    (shapes, counts), listed, dx, dy = screens, room[1], robot[0] - eye[0], robot[1] - eye[1]
    where = address_of(around.SIDEWAYS, room), address_of(around.UP, room), address_of(around.BOUND, room)
    columns = (*where, address_of(around.OWNER, room), list_of(around.POSSIBLE, room))
    possible = _stand_before(0, count, columns, (dx, dy, robot[2], dx * dx + dy * dy, float(body)), 0)
    line, some = (eye[0], eye[1], robot[0], robot[1]), entries_of(around.POSSIBLE, listed)
    entries = entries_of(around.SHAPES, listed)
    # few shapes are so near to a line that it is worth while to look at them one by one
    for j in range(_U(possible)):
        entry = listed[entries + _U(listed[some + j])]
        placed = counts[of.AT_PLACED] + WIDTH * counts[counts[of.AT_SHAPE] + entry] + X
        if stands(shapes[placed : placed + WIDTH], line, eye[7]):
            return True
    return False


@loop
def _stand_before(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which shapes may stand before a robot."""
    (dx, dy, distance, square, owner), u, v, bound = common, rows[0], rows[1], rows[2]
    aside, along, slack = abs(u * dy - v * dx), u * dx + v * dy, bound * distance
    is_beside = (aside > slack) | (along < -slack) | (along > square + slack)
    return ~is_beside & ~rows[3].equals(owner)
