"""Ways pulled tight around what is in the way, like strings: compiled, since each plan of a squad does it."""

import math

from coopsim.features.laws.planning.sight import sees
from coopsim.geometry import Bools, Floats
from coopsim.kernels import compiled

_ROUNDS, _HALVINGS = 4, 8
"""A way is tightened so often; each point is moved to within 1 / 256 of where it hangs fast."""
_SAVED = 1.0
"""A turn that makes a way shorter by less is left out: robots stop to turn [cells]."""


@compiled
def tighten(blocked: Bools, points: Floats) -> int:
    """Shorten a way of straight lines, and leave out turns that save less than a cell; return how many points are left.

    Each point sees the next one, before and after. Turns keep off corners by half a cell where there is room.

    Args:
        blocked: Whether each cell is in the way, shape (rows along y, columns along x).
        points: Of the way, in cells, shape (n, 2); written in place.
    """
    count = points.shape[0]
    for _ in range(_ROUNDS):
        count = _drop_needless(blocked, points, count)
        for k in range(1, count - 1):
            _pull(blocked, points, k, (k - 1, k + 1))
        for k in range(count - 2, 0, -1):
            _pull(blocked, points, k, (k + 1, k - 1))
    count = _drop_needless(blocked, points, count)
    for k in range(1, count - 1):
        _move(blocked, points, (k - 1, k, k + 1), (points[k, 0], points[k, 1]))
    k = 1
    while k < count - 2:
        if _merge(blocked, points, k):
            points[k + 1 : count - 1] = points[k + 2 : count].copy()
            count -= 1
        else:
            k += 1
    return count


@compiled
def _move(blocked: Bools, points: Floats, rows: tuple[int, int, int], to: tuple[float, float]) -> bool:
    """Move a point to the middle of a place's cell, or to the place, where both neighbours see it; else return false.

    Args:
        blocked: See `tighten`.
        points: See `tighten`.
        rows: Of the point before, of this one and of the one after.
        to: The place, in cells.
    """
    before, k, after = rows
    for x, y in ((math.floor(to[0]) + 0.5, math.floor(to[1]) + 0.5), to):
        is_seen = sees(blocked, points[before, 0], points[before, 1], x, y)
        if is_seen and sees(blocked, x, y, points[after, 0], points[after, 1]):
            points[k, 0], points[k, 1] = x, y
            return True
    return False


@compiled
def _merge(blocked: Bools, points: Floats, k: int) -> bool:
    """Move a turn to where the lines before it and after the next one meet, if that is free and no great detour."""
    (a, b), (p, q), (r, s), (c, d) = points[k - 1], points[k], points[k + 1], points[k + 2]
    across = (p - a) * (s - d) - (q - b) * (r - c)
    if across == 0.0:
        return False
    along = ((c - a) * (s - d) - (d - b) * (r - c)) / across
    x, y = a + along * (p - a), b + along * (q - b)
    is_ahead = along > 1.0 and (x - r) * (r - c) + (y - s) * (s - d) > 0.0
    kept = math.hypot(p - a, q - b) + math.hypot(r - p, s - q) + math.hypot(c - r, d - s)
    if not is_ahead or math.hypot(x - a, y - b) + math.hypot(c - x, d - y) > kept + _SAVED:
        return False
    return _move(blocked, points, (k - 1, k, k + 2), (x, y))


@compiled
def _drop_needless(blocked: Bools, points: Floats, count: int) -> int:
    """Leave out points between two that see each other; return how many are left."""
    kept = 1
    for k in range(1, count):
        is_last = k == count - 1
        if is_last or not sees(blocked, points[kept - 1, 0], points[kept - 1, 1], points[k + 1, 0], points[k + 1, 1]):
            points[kept] = points[k]
            kept += 1
    return kept


@compiled
def _pull(blocked: Bools, points: Floats, k: int, beside: tuple[int, int]) -> None:
    """Move a point towards one neighbour as far as it still sees the other one."""
    near, far = beside
    x, y = points[k]
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        share = 0.5 * (low + high)
        u, v = x + share * (points[near, 0] - x), y + share * (points[near, 1] - y)
        is_seen = sees(blocked, u, v, points[far, 0], points[far, 1])
        if is_seen and sees(blocked, points[near, 0], points[near, 1], u, v):
            low, points[k, 0], points[k, 1] = share, u, v
        else:
            high = share
