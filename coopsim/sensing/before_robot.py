"""Shapes that hide robots from an eye: shadows that they throw, and which of them stand before a robot."""

import math

import numpy as np

from coopsim.kernels import inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.kernels.shapes import COS, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import around_eye as around
from coopsim.sensing import screens as of
from coopsim.sensing.around_eye import Room, address_of, column, entries_of, list_of
from coopsim.sensing.eye import BINS, PER_RADIAN, SKIN, UNSURE, Eye, bins_of, rough_arcs
from coopsim.sensing.line_of_sight import stands
from coopsim.sensing.ray_head import OWNER, WIDTH
from coopsim.sensing.screens import Screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_BYTES = 8  # of a number


@inlined
def darken(eye: Eye, new: tuple[int, int], skin: float, screens: Screens, room: Room) -> None:
    """Write the columns of new shapes, and from where on each bin lies in their shadows.

    Args:
        eye: That looks.
        new: Of the shapes that were collected the first new one, and the one behind the last.
        skin: How deep in a shadow that is; so long as all move less together, whoever lies there is hidden [m].
        screens: The shapes.
        room: Of the eye.
    """
    numbers, placed = room[0], address(screens[0]) + _BYTES * screens[1][of.AT_PLACED]
    write_shapes(eye, new, screens, room)
    ends = address_of(around.BEGIN, room), address_of(around.END, room), address_of(around.DEPTH, room)
    needed = address_of(around.NEEDED, room)
    columns = (list_of(around.SHAPES, room), placed + _BYTES * of.DEPTH, *_placed_columns(room), *ends, needed)
    _throw(new[0], new[1], columns, (eye[3], eye[4], skin), 0)
    depths = column(around.DEPTH, room[1])
    begins, behind, bins = column(around.BEGIN, room[1]), column(around.END, room[1]), (address(numbers),)
    for k in range(_U(new[0]), _U(new[1])):
        if numbers[depths + k] < math.inf:
            begin, end = int(numbers[begins + k]), int(numbers[behind + k])
            # whole vectors from one on: what was written of it is then read as it was written
            _darken_bins(begin // LANES * LANES, end, bins, (numbers[depths + k], begin, end), 0)


@inlined
def write_shapes(eye: Eye, new: tuple[int, int], screens: Screens, room: Room) -> None:
    """Write where the shapes in a list are, from the eye, and how large."""
    placed = address(screens[0]) + _BYTES * screens[1][of.AT_PLACED]
    places = placed + _BYTES * X, placed + _BYTES * Y, placed + _BYTES * of.RADIUS, placed + _BYTES * OWNER
    sizes = placed + _BYTES * of.INNER, placed + _BYTES * HALF_WIDTH, placed + _BYTES * COS, placed + _BYTES * SIN
    columns = (list_of(around.SHAPES, room), *places, *sizes, *_placed_columns(room))
    _put(new[0], new[1], columns, (eye[0], eye[1]), 0)


@inlined
def _placed_columns(room: Room) -> tuple[int, ...]:
    """Return the addresses of the columns that say where shapes are, and how large."""
    first, wide = address_of(around.SIDEWAYS, room), _BYTES * room[1][around.WIDE]
    places = first, first + wide, first + 2 * wide, first + 3 * wide
    return (*places, first + 4 * wide, first + 5 * wide, first + 6 * wide, first + 7 * wide)


@loop
def _put(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write where shapes are."""
    listed = rows.words(0)
    rows[9], rows[10] = rows.gathered(1, listed) - common[0], rows.gathered(2, listed) - common[1]
    for k in range(3, 9):
        rows[8 + k] = rows.gathered(k, listed)


@loop
def _throw(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write where the shadows of shapes begin and end."""
    (c, s, skin), (x, y, bound), is_round = common, (rows[2], rows[3], rows[4]), rows[7].equals(0.0)
    half, half_width = rows[6] - skin, is_round.where(0.0, rows[7] - skin)
    square = x * x + y * y
    away = square.root()
    # a line past a thin box may turn beside it
    has_core = (half > 0.0) & (is_round | (half_width > 0.0))
    rows[13] = skin.same(0.0)
    is_dark = has_core & (away > bound + skin)
    rows[12] = is_dark.where(away + rows.gathered(1, rows.words(0)) + skin, math.inf)
    right, left = _slopes((x, y, square), (half, half_width), (rows[8], rows[9]))
    middle = bins_of(x * c + y * s, y * c - x * s)
    # bins that are in it from end to end
    rows[10] = (-(-(middle - _bins(right) + UNSURE)).floor()).most(0.0).least(float(BINS))
    rows[11] = (middle + _bins(left) - UNSURE).floor().least(float(BINS)).most(0.0)


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
def clearance(
    eye: Eye, robot: tuple[float, ...], body: int, count: int, screens: Screens, room: Room
) -> tuple[bool, float]:
    """Return whether one of the shapes that were collected stands before a robot at a place and a distance [m].

    Also how far eye or robot, and shapes, may move together until that may change, `SKIN` at most [m].
    """
    (shapes, counts), listed, numbers = screens, room[1], room[0]
    along, distance = ((robot[0] - eye[0]) / robot[2], (robot[1] - eye[1]) / robot[2]), robot[2]
    into = address_of(around.GAP, room), address_of(around.INSIDE, room), list_of(around.POSSIBLE, room)
    possible = _stand_before(0, count, (*_placed_columns(room), *into), (*along, distance, float(body)), 0)
    some, entries, inside = entries_of(around.POSSIBLE, listed), entries_of(around.SHAPES, listed), 0.0
    gaps, depths, needed = (column(around.GAP, listed), column(around.INSIDE, listed), column(around.NEEDED, listed))
    # in one place with the eye there are no directions
    margin, line = SKIN if distance > 0.0 else 0.0, (eye[0], eye[1], robot[0], robot[1])
    for j in range(_U(possible)):
        place = _U(listed[some + j])
        margin, inside = min(margin, numbers[gaps + place]), max(inside, numbers[depths + place])
        numbers[needed + place] = 1.0
    if inside > 0.0 or margin > 0.0:
        return inside > 0.0, inside if inside > 0.0 else margin
    # few are so near to a line that the plain formula has to be asked
    for j in range(_U(possible)):
        place = _U(listed[some + j])
        placed = counts[of.AT_PLACED] + listed[entries + place]
        if numbers[gaps + place] <= 0.0 and stands(shapes[placed : placed + WIDTH], line, eye[7]):
            return True, 0.0
    return False, 0.0


@loop
def _stand_before(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which shapes are near to a line of sight; write how far beside, and how deep it goes into them.

    What lies on two sides of a line does not meet. Where the farthest corners of a box to both sides of a line of
    sight lie beside it, and between its ends, it goes through the box until an end or a corner comes to the other line.
    """
    (dx, dy, distance, owner), u, v, is_round = common, rows[0], rows[1], rows[5].equals(0.0)
    aside, along = abs(u * dy - v * dx), u * dx + v * dy
    turn, rest = rows[6] * dx + rows[7] * dy, rows[6] * dy - rows[7] * dx
    wide, long = rows[4] * abs(rest) + rows[5] * abs(turn), rows[4] * abs(turn) + rows[5] * abs(rest)
    outer = is_round.where(rows[2], wide), is_round.where(rows[2], long)
    inner = is_round.where(rows[4], wide), is_round.where(rows[4], long)
    rows[8] = gap = (aside - outer[0]).most(-along - outer[1]).most(along - distance - outer[1]) - of.EDGE
    rows[9] = (inner[0] - aside).least(along - inner[1]).least(distance - along - inner[1]) - of.EDGE
    return (gap < SKIN) & ~rows[3].equals(owner)
