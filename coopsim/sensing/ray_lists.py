"""Compiled lists of the fixed shapes near each cell of a grid."""

import math
from typing import TypeAlias

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.grid import clamped
from coopsim.kernels.shapes import HALF, HALF_WIDTH, X, Y, distance

Cells: TypeAlias = tuple[float, float, float, int, int]
"""Lower left corner and side of the cells [m], numbers of columns and lines."""


@compiled
def list_cells(fixed: Floats, grid: Cells, reach: float, cells: Ints, shapes: Ints, near: Floats) -> int:
    """List the cells within `reach` of each fixed shape, as many as there is room for.

    Args:
        fixed: Table of shapes, shape (f, 11).
        grid: Square cells.
        reach: How far to look [m].
        cells: Number of the cell of each entry.
        shapes: Row of the fixed shape of each entry.
        near: A distance that the shape keeps from every point of the cell, perhaps a little less [m].

    Returns:
        How many entries there are.
    """
    left, low, side, columns, lines = grid
    # half the diagonal of a cell; the nanometre keeps shapes that rounding puts out of `reach`
    count, half = 0, side * math.sqrt(0.5) + 1e-9
    for j in range(fixed.shape[0]):
        shape = fixed[j]
        x, y = shape[X] - left, shape[Y] - low
        far = math.hypot(shape[HALF], shape[HALF_WIDTH]) + reach
        for line in range(clamped((y - far) / side, lines), clamped((y + far) / side, lines) + 1):
            for column in range(clamped((x - far) / side, columns), clamped((x + far) / side, columns) + 1):
                gap = distance((column + 0.5) * side - x, (line + 0.5) * side - y, shape) - half
                # the corners of the square around a shape are farther away than the shape
                if gap > reach:
                    continue
                # counted on without room: the caller makes as much as is needed and calls again
                if count < cells.size:
                    cells[count], shapes[count], near[count] = line * columns + column, j, max(gap, 0.0)
                count += 1
    return count
