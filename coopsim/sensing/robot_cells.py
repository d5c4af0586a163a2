"""Table of where robots are, by the cells of a grid: made once in a tick, whoever asks for neighbours."""

from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped, sort_by_cell
from coopsim.kernels.lanes import LANES
from coopsim.sensing.nearest import box_of

LEFT, LOW, SIDE, PER_METRE, PLACES = range(5)
STALE, COLUMNS, LINES, ROBOTS, AT_INDEX, AT_BODY, AT_ROBOT, START = range(8)
Square: TypeAlias = tuple[int, int, int, int]
"""First and last column, first and last line of cells."""
Cells: TypeAlias = tuple[Floats, Ints]
"""Two arrays, since each one handed on costs time. Numbers: corner and side of the grid [m], cells per metre; from
`PLACES` on x of the robots, list after list, then y, then room for a number of each, then x and y by index [m].

Whole ones: whether all is of an earlier tick, columns and lines of the grid, how many robots there are, and where these
begin: index and body of those in the lists, bodies by index, after which there is room for as many whole ones. From
`START` on: where the list of each cell begins."""


def empty_cells(robots: Ints) -> Cells:
    """Return a table for robots of these bodies, not filled yet."""
    count = robots.size
    # no more cells than `box_of` makes of a plane
    begins = START + 9 * count + 24 + count * np.arange(3)
    head = [1, 1, 1, count, *begins.tolist()]
    room = np.zeros(begins[2] - START, np.int64), robots, np.zeros(count + LANES, np.int64)
    whole = np.concatenate([head, *room]).astype(np.int64)
    # eight are read at once, the last ones of nobody
    return np.zeros(PLACES + 5 * count + LANES), whole


@compiled
def fill(planar: Floats, cells: Cells) -> None:
    """Sort the robots by cells, unless that is done for this tick.

    Args:
        planar: Where the bodies are, shape (m, 6).
        cells: Written.
    """
    numbers, whole = cells
    if whole[STALE] == 0:
        return
    whole[STALE] = 0
    count = whole[ROBOTS]
    robots = whole[whole[AT_ROBOT] : whole[AT_ROBOT] + count]
    order, body = whole[whole[AT_INDEX] : whole[AT_INDEX] + count], whole[AT_BODY]
    places, listed = np.zeros((count, 3)), np.empty(count, np.int64)
    for j in range(count):
        places[j, 0], places[j, 1] = planar[robots[j], 0], planar[robots[j], 1]
        numbers[PLACES + 3 * count + j], numbers[PLACES + 4 * count + j] = places[j, 0], places[j, 1]
    numbers[LEFT], numbers[LOW], _, numbers[SIDE], whole[COLUMNS], whole[LINES], _ = box_of(places)
    numbers[PER_METRE] = 1.0 / numbers[SIDE]
    for j in range(count):
        listed[j] = cell_of(places[j, 0], places[j, 1], numbers, whole)
    sort_by_cell(listed, whole[START : START + whole[COLUMNS] * whole[LINES] + 1], order)
    for e in range(count):
        numbers[PLACES + e], numbers[PLACES + count + e] = places[order[e], 0], places[order[e], 1]
        whole[body + e] = robots[order[e]]


@inlined
def column_of(x: float, numbers: Floats, whole: Ints) -> int:
    """Return the column of a place; outside, one at the border."""
    return clamped((x - numbers[LEFT]) * numbers[PER_METRE], whole[COLUMNS])


@inlined
def line_of(y: float, numbers: Floats, whole: Ints) -> int:
    """Return the line of a place; outside, one at the border."""
    return clamped((y - numbers[LOW]) * numbers[PER_METRE], whole[LINES])


@inlined
def cell_of(x: float, y: float, numbers: Floats, whole: Ints) -> int:
    """Return the number of the cell of a place."""
    cell: int = line_of(y, numbers, whole) * whole[COLUMNS] + column_of(x, numbers, whole)
    return cell


@inlined
def square_around(x: float, y: float, reach: float, cells: Cells) -> Square:
    """Return the cells in which all lie that are no farther than `reach` from a place along x and along y."""
    numbers, whole = cells
    left, right = column_of(x - reach, numbers, whole), column_of(x + reach, numbers, whole)
    return left, right, line_of(y - reach, numbers, whole), line_of(y + reach, numbers, whole)


@inlined
def bodies_of_line(line: int, square: Square, cells: Cells) -> tuple[int, int]:
    """Return where among the whole numbers the bodies begin and end that lie in one line of a square of cells."""
    _, whole = cells
    first, body = START + line * whole[COLUMNS], whole[AT_BODY]
    return body + whole[first + square[0]], body + whole[first + square[1] + 1]
