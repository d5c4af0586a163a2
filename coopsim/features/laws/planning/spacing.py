"""Places of robots that have no room for their formation: compiled, since each looks at thousands of cells."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.kernels import compiled

Parts: TypeAlias = NDArray[np.int32]


@compiled
def are_apart(points: Floats, least: float) -> bool:
    """Return whether no two points, shape (n, 2), are nearer to each other than a distance [m]."""
    for robot in range(1, points.shape[0]):
        if not _is_free(points, robot, points[robot, 0], points[robot, 1], least):
            return False
    return True


@compiled
def move_apart(parts: Parts, frame: Floats, ends: Floats, least: float) -> None:
    """Move ends of ways that are too near to earlier ones to the nearest free cells that are not; where there are some.

    Args:
        parts: Number of the part of the map that each cell is in, 0 = blocked, shape (rows along y, columns along x).
        frame: x and y of the corner where the map begins, and the edge of a cell [m].
        ends: Where the robots stand at the end, shape (n, 2) [m]; those that are moved are written in place.
        least: How far apart [m].
    """
    for robot in range(1, ends.shape[0]):
        if not _is_free(ends, robot, ends[robot, 0], ends[robot, 1], least):
            _move(parts, frame, ends, robot, least)


@compiled
def _move(parts: Parts, frame: Floats, ends: Floats, robot: int, least: float) -> None:
    """Move one end to the nearest cell of its part of the map that is free, unless it lies in no part."""
    left, bottom, cell = frame
    rows, columns = parts.shape
    x, y, nearest = ends[robot, 0], ends[robot, 1], math.inf
    row, column = math.floor((y - bottom) / cell), math.floor((x - left) / cell)
    if row < 0 or column < 0 or row >= rows or column >= columns or parts[row, column] == 0:
        return
    around = math.ceil(least * (2.0 + math.sqrt(ends.shape[0])) / cell)
    for i in range(max(0, row - around), min(rows, row + around + 1)):
        to_y = bottom + (i + 0.5) * cell
        for j in range(max(0, column - around), min(columns, column + around + 1)):
            to_x = left + (j + 0.5) * cell
            gap = (to_x - x) ** 2 + (to_y - y) ** 2  # of hypot it takes four times as long
            if gap < nearest and parts[i, j] == parts[row, column] and _is_free(ends, robot, to_x, to_y, least):
                nearest, ends[robot, 0], ends[robot, 1] = gap, to_x, to_y


@compiled
def _is_free(points: Floats, count: int, x: float, y: float, least: float) -> bool:
    """Return whether none of the first points is nearer to a place than a distance."""
    for k in range(count):  # noqa: SIM110 - generators cannot be compiled
        if (points[k, 0] - x) ** 2 + (points[k, 1] - y) ** 2 < least**2:
            return False
    return True
