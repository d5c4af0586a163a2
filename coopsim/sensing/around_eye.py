"""Shapes and robots around one eye: collected from cells, look by look, and room for what is computed of them."""

from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.sensing import robot_cells as at
from coopsim.sensing import screens as of
from coopsim.sensing.eye import BINS, SKIN, Eye, square_of
from coopsim.sensing.robot_cells import Cells, Square
from coopsim.sensing.screens import Screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_BYTES = 8  # of a number
SIDEWAYS, UP, BOUND, OWNER, ALONG, ASIDE, COSINE, SINE, BEGIN, END, DEPTH, GAP, INSIDE, NEEDED = range(14)
DISTANCE, EDGEWAYS, EXPIRY, SQUARE, ROBOT, _SHAPE_MARKS, _ROBOT_MARKS, _COLUMNS = range(14, 22)
"""Columns of numbers: middles of shapes from the eye, radii around them [m], bodies that they are parts of, half the
sides and heading of boxes, radius within and 0 of others, bins from and before which shadows reach, and from where on
[m]; how far they are beside a line of sight at least, how deep it goes into them [m], and whether they are near to any;
distances of robots, whether they are on an edge of the field, and until when they are seen as they were; of those that
are seen, squares of distances and indices; which eye has kept each shape and robot last."""
_BEGIN = BINS + LANES
WIDE, STAMP, _LISTED = range(3)
SHAPES, ROBOTS, LIT, POSSIBLE, OPEN, _LISTS = range(6)
Room: TypeAlias = tuple[Floats, Ints]
"""Numbers: from where on each bin is dark; then columns.

Whole ones: width of a column; number of the eye; then, each as wide, the shapes and robots that were collected, which
of these robots lie in no shadow, which of these shapes may stand before a robot, and which bins are lit farther out."""
_MANY = 192  # entries of cells from which on a first look is made shorter


def rooms_for(count: int, cells: Cells, screens: Screens) -> Room:
    """Return rooms to work in, one in a row: threads that look at the same time have one each."""
    wide = max(int(screens[1][of.SHAPES]), int(cells[1][at.ROBOTS]), BINS) + LANES
    whole = np.zeros(_LISTED + _LISTS * wide, np.int64)
    whole[WIDE] = wide
    return np.zeros((count, _BEGIN + _COLUMNS * wide)), np.tile(whole, (count, 1))


@inlined
def column(number: int, listed: Ints) -> np.uint64:
    """Return where a column of numbers begins."""
    return _U(_BEGIN) + _U(number) * _U(listed[WIDE])


@inlined
def entries_of(number: int, listed: Ints) -> np.uint64:
    """Return where a list begins."""
    return _U(_LISTED) + _U(number) * _U(listed[WIDE])


@inlined
def address_of(number: int, room: Room) -> int:
    """Return the address of a column of numbers."""
    return address(room[0]) + _BYTES * (_BEGIN + number * int(room[1][WIDE]))


@inlined
def list_of(number: int, room: Room) -> int:
    """Return the address of a list."""
    return address(room[1]) + _BYTES * (_LISTED + number * int(room[1][WIDE]))


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
    room: Room,
) -> tuple[int, int]:
    """Collect the robots, and the shapes that may hide them, in the field of an eye between two distances [m].

    Return how many shapes and robots there are then; what was collected before is not collected again.
    """
    (cells, screens), (standing, robots) = tables, counts
    margin = SKIN + screens[0][of.LARGEST] if hides else SKIN
    square = square_of(eye, distances, margin, cells[0], cells[1])
    common = eye[0], eye[1], eye[3], eye[4], eye[5], eye[6], distances[1], float(room[1][STAMP])
    if hides:
        standing = _collect_shapes((*common, eye[7], float(eye[8])), square, standing, (cells, screens), room)
    return standing, _collect_robots((*common, eye[9]), square, robots, cells, room)


@inlined
def _collect_shapes(
    common: tuple[float, ...], square: Square, kept: int, tables: tuple[Cells, Screens], room: Room
) -> int:
    """Collect the shapes that may stand before what is seen, behind `kept` ones; return how many that makes."""
    cells, (shapes, counts) = tables
    at_shapes, line_bytes = address(shapes) + _BYTES * of.COLUMNS, _BYTES * counts[of.SHAPES]
    places = at_shapes + of.ACROSS * line_bytes, at_shapes + of.UP * line_bytes, at_shapes + of.BOUND * line_bytes
    ends = at_shapes + of.FOOT * line_bytes, at_shapes + of.TOP * line_bytes, at_shapes + of.OWNED * line_bytes
    columns = (*places, *ends, address_of(_SHAPE_MARKS, room), list_of(SHAPES, room))
    # the large ones stand behind all lists
    first, last, line, count = counts[of.SMALL], counts[of.SHAPES], square[2], kept
    while True:
        count = _stand_in_field(first, last, columns, common, count)
        if line > square[3]:
            break
        start = of.START + line * cells[1][at.COLUMNS]
        first, last, line = counts[start + square[0]], counts[start + square[1] + 1], line + 1
    _mark((kept, count), SHAPES, _SHAPE_MARKS, (counts, counts[of.AT_SHAPE], of.SPAN), room)
    return count


@loop
def _stand_in_field(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which shapes come near the sector that is seen, at the height of the eye, and are new."""
    px, py, c, s, cosine, sine, far, stamp, z, owner = common
    x, y, bound = rows[0] - px, rows[1] - py, rows[2] + SKIN
    is_near = x * x + y * y <= (far + bound) * (far + bound)
    is_ahead = abs(y * c - x * s) * cosine - (x * c + y * s) * sine <= bound
    is_level = (rows[3] <= z) & (rows[4] >= z)
    return is_near & is_ahead & is_level & ~rows[5].equals(owner) & ~rows[6].equals(stamp)


@inlined
def _collect_robots(common: tuple[float, ...], square: Square, kept: int, cells: Cells, room: Room) -> int:
    """Collect the robots that may be seen, behind `kept` ones; return how many that makes."""
    (numbers, whole), count = cells, kept
    across = address(numbers) + _BYTES * at.PLACES
    places = across, across + _BYTES * whole[at.ROBOTS], address(whole) + _BYTES * whole[at.AT_BODY]
    columns = (*places, address_of(_ROBOT_MARKS, room), list_of(ROBOTS, room))
    for line in range(square[2], square[3] + 1):
        start = at.START + line * whole[at.COLUMNS]
        count = _are_in_field(whole[start + square[0]], whole[start + square[1] + 1], columns, common, count)
    _mark((kept, count), ROBOTS, _ROBOT_MARKS, (whole, whole[at.AT_INDEX], 1), room)
    return count


@loop
def _are_in_field(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which robots are in the sector that is seen, or beside it, and new."""
    px, py, c, s, cosine, sine, far, stamp, body = common
    x, y = rows[0] - px, rows[1] - py
    is_ahead = abs(y * c - x * s) * cosine - (x * c + y * s) * sine <= SKIN
    return (x * x + y * y <= far * far) & is_ahead & ~rows.words(2).equals(body) & ~rows[3].equals(stamp)


@inlined
def _mark(new: tuple[int, int], listed: int, marks: int, table: tuple[Ints, int, int], room: Room) -> None:
    """Note that this eye has kept what stands in these places of a list, and write what it is there.

    Tables of cells are sorted anew in each tick; what it is, by a list in a table and times a number, stays.
    """
    entries, marked, stamp = entries_of(listed, room[1]), column(marks, room[1]), float(room[1][STAMP])
    for k in range(_U(new[0]), _U(new[1])):
        entry = room[1][entries + k]
        room[0][marked + _U(entry)] = stamp
        room[1][entries + k] = table[2] * table[0][_U(table[1] + entry)]
