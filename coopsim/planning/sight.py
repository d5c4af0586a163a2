"""Whether one point of a grid is seen from another one: compiled, since plans of squads ask it thousands of times."""

import math

from coopsim.geometry import Bools, Floats
from coopsim.kernels import compiled


@compiled
def sees(blocked: Bools, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Return whether a straight line crosses no blocked cell; what lies outside is blocked.

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
    count = 1 + int(2.0 * math.hypot(x1 - x0, y1 - y0))
    for step in range(count + 1):
        along = step / count
        if blocked[int(y0 + (y1 - y0) * along), int(x0 + (x1 - x0) * along)]:
            return False
    return True


@compiled
def sees_each(blocked: Bools, points: Floats) -> bool:
    """Return whether `sees` holds from each point to the next one, shape (n, 2), in cells."""
    for k in range(1, points.shape[0]):
        if not sees(blocked, points[k - 1, 0], points[k - 1, 1], points[k, 0], points[k, 1]):
            return False
    return True
