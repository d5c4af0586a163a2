"""Pairs of places that are near each other, by the cells of a grid: laws for crowds compare no others."""

import numpy as np

from coopsim.geometry import Floats, Ints

_FARTHEST = 1 << 20
"""Cells to either side of the middle; what is farther is counted with the last one."""
_NOWHERE = 1e9  # m
_FEW = 64 * 64
"""So many pairs are looked at faster than cells are made."""


def pairs_within(points: Floats, neighbours: Floats, reach: float) -> tuple[Ints, Ints]:
    """Return which points and others are at most so far apart: two rows of indices, by point, then by other.

    Args:
        points: Shape (p, 2) [m]; one that is not finite is near to nobody.
        neighbours: Shape (n, 2) [m]; the same.
        reach: Above 0 [m].
    """
    if len(points) * len(neighbours) <= _FEW:
        rows, places = np.nonzero(np.linalg.norm(neighbours[np.newaxis] - points[:, np.newaxis], axis=-1) <= reach)
        return rows, places
    mine, theirs = (np.flatnonzero(np.isfinite(places).all(axis=1)) for places in (points, neighbours))
    if not (len(mine) and len(theirs)):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    middle = np.median(neighbours[theirs], axis=0)
    lines, cells = _cells(neighbours[theirs], middle, reach)
    order = np.lexsort((cells, lines))
    keys = _keys(lines[order], cells[order])
    lines, cells = _cells(points[mine], middle, reach)
    # a line of cells lies side by side: three stretches for each point
    around = lines[:, np.newaxis] + np.arange(-1, 2)
    begin = np.searchsorted(keys, _keys(around, cells[:, np.newaxis] - 1))
    counts = (np.searchsorted(keys, _keys(around, cells[:, np.newaxis] + 1), side="right") - begin).ravel()
    first = np.repeat(np.arange(len(mine)), 3)
    whose = mine[np.repeat(first, counts)]
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(begin.ravel(), counts)
    near = theirs[order[places]]
    is_near = np.linalg.norm(neighbours[near] - points[whose], axis=-1) <= reach
    whose, near = whose[is_near], near[is_near]
    ranked = np.lexsort((near, whose))
    return whose[ranked], near[ranked]


def nearest(places: Floats, count: int) -> Ints:
    """Return the nearest others of each place, equally near ones by index, shape (n, min(count, n - 1))."""
    n = len(places)
    count = min(count, n - 1)
    # what is nowhere is far from everything
    places = np.nan_to_num(places, nan=_NOWHERE, posinf=_NOWHERE, neginf=-_NOWHERE)
    if n * n <= _FEW:
        away = np.linalg.norm(places[np.newaxis] - places[:, np.newaxis], axis=-1)
        away[np.eye(n, dtype=np.bool_)] = np.inf
        return np.argsort(away, axis=1, kind="stable")[:, : max(count, 0)]
    near = np.zeros((n, count), np.int64)
    left, reach = np.arange(n), _first_reach(places, count)
    while len(left):
        whose, mates = pairs_within(places[left], places, reach)
        is_other = left[whose] != mates
        whose, mates = whose[is_other], mates[is_other]
        numbers = np.bincount(whose, minlength=len(left))
        is_done = numbers >= count
        away = np.linalg.norm(places[mates] - places[left[whose]], axis=-1)
        ranked = np.lexsort((mates, away, whose))
        starts = np.cumsum(numbers) - numbers
        near[left[is_done]] = mates[ranked[starts[is_done][:, np.newaxis] + np.arange(count)]]
        left, reach = left[~is_done], 2.0 * reach
    return near


def _first_reach(places: Floats, count: int) -> float:
    """Return a distance in which most have so many others, if all are spread evenly [m]."""
    spread = np.maximum(np.subtract(*np.percentile(places, [90, 10], axis=0)), 1e-3)
    return float(np.sqrt(2.0 * spread[0] * spread[1] * (count + 1) / len(places)))


def _cells(places: Floats, middle: Floats, reach: float) -> tuple[Ints, Ints]:
    """Return line and column of the cell of each place, shape (p,) each."""
    columns, lines = np.clip(np.floor((places - middle) / reach), -_FARTHEST, _FARTHEST).astype(np.int64).T
    return lines, columns


def _keys(lines: Ints, columns: Ints) -> Ints:
    keys: Ints = lines * (4 * _FARTHEST) + columns
    return keys
