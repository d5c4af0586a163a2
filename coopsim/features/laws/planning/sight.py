"""Lines of sight between points of a grid: compiled, since plans of squads ask it thousands of times."""

import math

from coopsim.geometry import Bools, Floats
from coopsim.kernels import compiled

_TOGETHER = 1e-9
"""Edges that a line crosses so near to each other, as a share of it, meet in a corner."""


@compiled
def sees(blocked: Bools, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Return whether a straight line crosses no blocked cell and cuts the corner of none; what lies outside is blocked.

    Args:
        blocked: Whether each cell is in the way, shape (rows along y, columns along x).
        x0: Where it begins, in cells from the corner of the grid; so are the other three.
        y0: See x0.
        x1: Where it ends.
        y1: See x1.
    """
    rows, columns = blocked.shape
    if min(x0, y0, x1, y1) < 0.0 or max(x0, x1) >= columns or max(y0, y1) >= rows:
        return False
    column, row, last_column, last_row = int(x0), int(y0), int(x1), int(y1)
    right, up = 1 if last_column > column else -1, 1 if last_row > row else -1
    next_x, step_x = _crossings(x0, x1, column)
    next_y, step_y = _crossings(y0, y1, row)
    while not blocked[row, column]:
        if column == last_column and row == last_row:
            return True
        is_corner = abs(next_x - next_y) < _TOGETHER
        if is_corner and column != last_column and row != last_row:
            if blocked[row, column + right] or blocked[row + up, column]:
                return False
            column, row, next_x, next_y = column + right, row + up, next_x + step_x, next_y + step_y
        elif row == last_row or (column != last_column and next_x < next_y):
            column, next_x = column + right, next_x + step_x
        else:
            row, next_y = row + up, next_y + step_y
    return False


@compiled
def _crossings(begin: float, end: float, cell: int) -> tuple[float, float]:
    """Return where along a line, 0 to 1, it crosses the first edge between cells, and how far apart such edges are."""
    if begin == end:
        return math.inf, math.inf
    first = cell + 1 - begin if end > begin else begin - cell
    return first / abs(end - begin), 1.0 / abs(end - begin)


@compiled
def sees_each(blocked: Bools, points: Floats) -> bool:
    """Return whether `sees` holds from each point to the next one, shape (n, 2), in cells."""
    for k in range(1, points.shape[0]):
        if not sees(blocked, points[k - 1, 0], points[k - 1, 1], points[k, 0], points[k, 1]):
            return False
    return True
