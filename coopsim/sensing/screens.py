"""Moving shapes that may hide robots, by the cells of these."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.grid import sort_by_cell
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import robot_cells as at
from coopsim.sensing.line_of_sight import write_world_shapes
from coopsim.sensing.ray_head import BODY, HIGH, LOW, OWNER, ROUND, WIDTH
from coopsim.sensing.robot_cells import Cells, cell_of

EDGE = 1e-6
"""What is left out, and what is looked at more closely, is within this of the plain formulas [m]."""
LARGEST, COLUMNS = 0, 1
ACROSS, UP, BOUND, FOOT, TOP, DEPTH, OWNED, ALONG, ASIDE, COSINE, SINE, _COLUMNS = range(12)
STALE, SMALL, SHAPES, AT_SHAPE, AT_MOVING, AT_PLACED, START = range(7)
Screens: TypeAlias = tuple[Floats, Ints]
"""Two arrays, as those of `Cells`. Numbers: the radius of the largest shape in the cells [m]; of all lists, the large
ones last, middle, radius of the circle around, lower and upper end, where the shadow begins behind the middle, body
that it is a part of, half the sides and heading of a box, radius within and 0 of others, column by column [m]; then
shapes in the frames of their bodies, and placed ones.

Whole ones: whether all is of an earlier tick; how many are in cells, and are there; where these begin: rows of the
lists, and the shapes among the numbers. From `START` on: where the list of each cell begins."""


def empty_screens(moving: Floats, cells: Cells) -> Screens:
    """Return a table for moving shapes, shape (m, 11), not filled yet, over the cells of robots."""
    count, starts = len(moving), int(cells[1][at.AT_INDEX]) - at.START + 1
    shapes = COLUMNS + _COLUMNS * count
    head = [1, 0, count, START + starts, shapes, shapes + moving.size]
    whole = np.concatenate([head, np.zeros(starts + count, np.int64)]).astype(np.int64)
    return np.concatenate([np.zeros(shapes), moving.ravel(), np.zeros(moving.size)]), whole


@compiled
def move_screens(planar: Floats, height: Floats, screens: Screens, cells: Cells) -> None:
    """Put the shapes where their bodies are, and into cells, unless that is done for this tick."""
    (shapes, counts), (numbers, whole) = screens, cells
    if counts[STALE] == 0:
        return
    counts[STALE] = 0
    size, many = counts[SHAPES], whole[at.COLUMNS] * whole[at.LINES]
    moving = shapes[counts[AT_MOVING] : counts[AT_PLACED]].reshape((size, WIDTH))
    placed = shapes[counts[AT_PLACED] :].reshape((size, WIDTH))
    write_world_shapes(planar, height, moving, placed)
    listed, counts[SMALL], shapes[LARGEST] = np.empty(size, np.int64), 0, 0.0
    for j in range(size):
        bound = math.hypot(placed[j, HALF], placed[j, HALF_WIDTH])
        is_small = bound <= 2.0 * numbers[at.SIDE]
        listed[j] = cell_of(placed[j, X], placed[j, Y], numbers, whole) if is_small else many
        if is_small:
            shapes[LARGEST], counts[SMALL] = max(shapes[LARGEST], bound), counts[SMALL] + 1
    order = counts[counts[AT_SHAPE] : counts[AT_SHAPE] + size]
    sort_by_cell(listed, counts[START : START + many + 2], order)
    for e in range(size):
        columns = shapes[COLUMNS : counts[AT_MOVING]].reshape((_COLUMNS, size))
        _write(moving[order[e]], placed[order[e]], columns[:, e])


@compiled
def _write(own: Floats, shape: Floats, column: Floats) -> None:
    """Write the column of a shape, given in the frame of its body and placed."""
    column[ACROSS], column[UP] = shape[X], shape[Y]
    column[BOUND] = math.hypot(shape[HALF], shape[HALF_WIDTH]) + EDGE
    column[FOOT], column[TOP] = shape[LOW], shape[HIGH]
    # what stands beside the middle of its own robot throws no shadow: the robot could be in it
    is_middle = (own[X] == 0.0) & (own[Y] == 0.0) & (own[OWNER] == own[BODY])
    column[DEPTH] = column[BOUND] if is_middle else math.inf
    column[OWNED], column[COSINE], column[SINE] = shape[OWNER], shape[COS], shape[SIN]
    column[ASIDE] = shape[HALF_WIDTH]
    # at the height of an eye a sphere is smaller
    inner = (0.0 if shape[ROUND] != 0.0 else shape[HALF]) - EDGE
    column[ALONG] = shape[HALF] if shape[HALF_WIDTH] > 0.0 else inner
