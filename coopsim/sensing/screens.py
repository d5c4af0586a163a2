"""Moving shapes that may hide robots, by the cells of these."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.grid import sort_by_cell
from coopsim.kernels.shapes import HALF, HALF_WIDTH, X, Y
from coopsim.sensing import robot_cells as at
from coopsim.sensing.line_of_sight import write_world_shapes
from coopsim.sensing.ray_head import BODY, HIGH, LOW, OWNER, ROUND, WIDTH
from coopsim.sensing.robot_cells import Cells, cell_of

EDGE = 1e-6
"""What is left out, and what is looked at more closely, is within this of the plain formulas [m]."""
LARGEST, COLUMNS = 0, 1
ACROSS, UP, BOUND, FOOT, TOP, OWNED, _COLUMNS = range(7)
RADIUS, DEPTH, INNER, SPAN = range(WIDTH, WIDTH + 4)
"""Columns of shapes behind those of `ray_head`: radius of the circle around, where the shadow begins behind the middle,
and half the first side of a box, radius within of others [m]."""
STALE, SMALL, SHAPES, AT_SHAPE, AT_MOVING, AT_PLACED, START = range(7)
Screens: TypeAlias = tuple[Floats, Ints]
"""Two arrays, as those of `Cells`. Numbers: the radius of the largest shape in the cells [m]; of all lists, the large
ones last, middle, radius of the circle around, lower and upper end, body that it is a part of, column by column [m];
then shapes in the frames of their bodies, and placed ones.

Whole ones: whether all is of an earlier tick; how many are in cells, and are there; where these begin: rows of the
lists, and the shapes among the numbers. From `START` on: where the list of each cell begins."""


def empty_screens(moving: Floats, cells: Cells) -> Screens:
    """Return a table for moving shapes, shape (m, 11), not filled yet, over the cells of robots."""
    count, starts = len(moving), int(cells[1][at.AT_INDEX]) - at.START + 1
    shapes, bounds = COLUMNS + _COLUMNS * count, np.hypot(moving[:, HALF], moving[:, HALF_WIDTH]) + EDGE
    # what stands beside the middle of its own robot throws no shadow: the robot could be in it
    is_middle = (moving[:, X] == 0.0) & (moving[:, Y] == 0.0) & (moving[:, OWNER] == moving[:, BODY])
    # at the height of an eye a sphere is smaller
    inner = np.where(moving[:, ROUND] != 0.0, 0.0, moving[:, HALF]) - np.where(moving[:, HALF_WIDTH] > 0.0, 0.0, EDGE)
    moving = np.column_stack([moving, bounds, np.where(is_middle, bounds, math.inf), inner])
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
    moving = shapes[counts[AT_MOVING] : counts[AT_PLACED]].reshape((size, SPAN))
    placed = shapes[counts[AT_PLACED] :].reshape((size, SPAN))
    write_world_shapes(planar, height, moving, placed)
    listed, counts[SMALL], shapes[LARGEST] = np.empty(size, np.int64), 0, 0.0
    for j in range(size):
        bound = placed[j, RADIUS]
        is_small = bound <= 2.0 * numbers[at.SIDE]
        listed[j] = cell_of(placed[j, X], placed[j, Y], numbers, whole) if is_small else many
        if is_small:
            shapes[LARGEST], counts[SMALL] = max(shapes[LARGEST], bound), counts[SMALL] + 1
    order = counts[counts[AT_SHAPE] : counts[AT_SHAPE] + size]
    sort_by_cell(listed, counts[START : START + many + 2], order)
    for e in range(size):
        columns = shapes[COLUMNS : counts[AT_MOVING]].reshape((_COLUMNS, size))
        shape, columns[BOUND, e] = placed[order[e]], placed[order[e], RADIUS]
        columns[ACROSS, e], columns[UP, e], columns[OWNED, e] = shape[X], shape[Y], shape[OWNER]
        columns[FOOT, e], columns[TOP, e] = shape[LOW], shape[HIGH]
