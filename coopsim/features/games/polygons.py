"""Points in polygons that lie one after the other in one array of corners."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Bools, Floats, Ints
from coopsim.kernels.compiled import compiled

Polygons: TypeAlias = tuple[Floats, Ints]
"""All corners, shape (n, 2) [m], and where those of each polygon begin, and the last one ends, shape (m + 1,)."""


def packed(polygons: Sequence[Floats]) -> Polygons:
    """Return polygons, shape (k, 2) each, for kernels."""
    starts = np.cumsum([0, *map(len, polygons)]).astype(np.int64)
    return np.concatenate([np.zeros((0, 2)), *polygons]), starts


@compiled
def is_inside(x: float, y: float, corners: Floats, first: int, last: int) -> bool:
    """Return whether a point lies in the polygon of some corners, by how often a ray to the right crosses its edges."""
    inside = False
    before = last - 1
    for at in range(first, last):
        x0, y0, x1, y1 = corners[before, 0], corners[before, 1], corners[at, 0], corners[at, 1]
        # one end counts as above, the other not: a ray through a corner crosses one of its two edges
        if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
            inside = not inside
        before = at
    return inside


@compiled
def inside_any(points: Floats, polygons: Polygons, inside: Bools) -> None:
    """Write which points, shape (n, 2), lie in one of several polygons, shape (n,)."""
    corners, starts = polygons
    for i in range(points.shape[0]):
        inside[i] = False
        for k in range(starts.size - 1):
            inside[i] = inside[i] or is_inside(points[i, 0], points[i, 1], corners, starts[k], starts[k + 1])
