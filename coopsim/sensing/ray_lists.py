"""Compiled lists of the fixed shapes near each cell of a grid."""

import math

from coopsim.engines.compiled import compiled
from coopsim.geometry import Floats, Ints

MX, MY, HALF, HALF_WIDTH, COS, SIN = range(6)  # columns of a table of shapes, as in `ray_kernels`


@compiled
def list_cells(
    fixed: Floats,
    corner: Floats,
    cell: float,
    columns: int,
    lines: int,
    reach: float,
    cells: Ints,
    shapes: Ints,
    near: Floats,
) -> int:
    """List the cells within `reach` of each fixed shape, as many as there is room for.

    Args:
        fixed: Table of shapes, shape (f, 8).
        corner: Lower left corner of the grid, shape (2,) [m].
        cell: Side of a cell [m].
        columns: Number of cells along x.
        lines: Number of cells along y.
        reach: How far to look [m].
        cells: Number of the cell of each entry.
        shapes: Row of the fixed shape of each entry.
        near: A distance that the shape keeps from every point of the cell, perhaps a little less [m].

    Returns:
        How many entries there are.
    """
    count, half = 0, cell * math.sqrt(0.5) + 1e-9
    for j in range(fixed.shape[0]):
        shape = fixed[j]
        x, y = shape[MX] - corner[0], shape[MY] - corner[1]
        far = math.hypot(shape[HALF], shape[HALF_WIDTH]) + reach
        left, right = _clamped((x - far) / cell, columns), _clamped((x + far) / cell, columns)
        low, high = _clamped((y - far) / cell, lines), _clamped((y + far) / cell, lines)
        for line in range(low, high + 1):
            for column in range(left, right + 1):
                gap = _gap((column + 0.5) * cell - x, (line + 0.5) * cell - y, shape) - half
                if gap > reach:
                    continue
                if count < cells.size:
                    cells[count], shapes[count], near[count] = line * columns + column, j, max(gap, 0.0)
                count += 1
    return count


@compiled
def _clamped(cell: float, count: int) -> int:
    return int(min(max(cell, 0.0), count - 1.0))


@compiled
def _gap(x: float, y: float, shape: Floats) -> float:
    """Return the distance of a shape from a point at (x, y) from its middle, 0 inside [m]."""
    if shape[HALF_WIDTH] == 0.0:
        return float(max(math.hypot(x, y) - shape[HALF], 0.0))
    u, v = x * shape[COS] + y * shape[SIN], y * shape[COS] - x * shape[SIN]
    return math.hypot(max(float(abs(u) - shape[HALF]), 0.0), max(float(abs(v) - shape[HALF_WIDTH]), 0.0))
