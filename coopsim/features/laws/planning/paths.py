"""Paths on a grid by A*, and the points at which a robot has to turn on its way.

Source: swarm gaming, sections 4.2 and 4.3.
"""

import math
from typing import TypeAlias

import numpy as np

from coopsim.features.laws.planning.grid import PlanningGrid
from coopsim.features.laws.planning.shortest import shortest_cells
from coopsim.features.laws.planning.sight import sees, sees_each
from coopsim.features.laws.planning.tight import tighten
from coopsim.geometry import Floats

Point: TypeAlias = tuple[float, float]


def find_path(grid: PlanningGrid, start: Point, goal: Point) -> Floats | None:
    """Return a shortest way along free cells, shape (n, 2) [m]; None where there is none.

    It begins at `start` and ends at `goal`. Of a point that is not free the nearest free cell is taken instead.
    A goal that is seen from the start needs no search. Else a step goes to one of the eight cells around, a diagonal
    one counts the square root of 2, and no corner is cut; `turn_points` makes such a way shorter still.
    """
    if is_clear(grid, start, goal):
        count = 2 + int(math.dist(start, goal) / grid.cell)
        return np.linspace(start, goal, count)
    begin, end = grid.nearest_free(*start), grid.nearest_free(*goal)
    if begin is None or end is None:
        return None
    cells = shortest_cells(grid.signs, begin, end)
    if not len(cells):
        return None
    path = grid.middles(cells)
    if not grid.is_blocked(start):
        path[0] = start
    if not grid.is_blocked(goal):
        if len(path) == 1:
            path = np.vstack((path, path))
        path[-1] = goal
    return path


def is_clear(grid: PlanningGrid, begin: Point | Floats, end: Point | Floats) -> bool:
    """Return whether the straight line between two points crosses no blocked cell."""
    (left, bottom), cell = grid.low, grid.cell
    x0, y0 = (float(begin[0]) - left) / cell, (float(begin[1]) - bottom) / cell
    x1, y1 = (float(end[0]) - left) / cell, (float(end[1]) - bottom) / cell
    return sees(grid.blocked, x0, y0, x1, y1)


def sees_all(grid: PlanningGrid, points: Floats) -> bool:
    """Return whether no straight line from a point to the next one, shape (n, 2), crosses a blocked cell."""
    return sees_each(grid.blocked, (points - np.asarray(grid.low)) / grid.cell)


def turn_points(grid: PlanningGrid, path: Floats) -> Floats:
    """Return the few points at which a way turns that is as long as a path at most: each is seen from the one before.

    The path is pulled tight around what is in the way. Against the shortest of all lines that cut no blocked cell it is
    longer by a cell at each turn, and by 8.3 % where that is past another side: ways along cells are as much too long
    at most. The first point is left out.
    """
    kept, at, last = [path[0]], 0, len(path) - 1
    while at < last:
        at = _farthest_seen(grid, path, at)
        kept.append(path[at])
    if len(kept) < 3:
        return path[-1:].copy()
    way = np.array(kept)
    points = (way - np.asarray(grid.low)) / grid.cell
    count = tighten(grid.blocked, points)
    tight = points[:count] * grid.cell + np.asarray(grid.low)
    tight[-1] = way[-1]
    turns: Floats = (tight if _length(tight) <= _length(path) else way)[1:]
    return turns


def _length(way: Floats) -> float:
    return float(np.hypot(*np.diff(way, axis=0).T).sum())


def _farthest_seen(grid: PlanningGrid, path: Floats, at: int) -> int:
    """Return a point of the path that is seen from another one, as far along as doubled and halved steps find it."""
    last, seen, step = len(path) - 1, at + 1, 2
    while at + step <= last and is_clear(grid, path[at], path[at + step]):
        seen, step = at + step, 2 * step
    if seen == last or is_clear(grid, path[at], path[last]):
        return last
    hidden = min(at + step, last)
    while hidden - seen > 1:
        middle = (seen + hidden) // 2
        if is_clear(grid, path[at], path[middle]):
            seen = middle
        else:
            hidden = middle
    return seen


def replanned(grid: PlanningGrid, path: Floats, target: Point, radius: float) -> Floats | None:
    """Return a path to where a target has moved: the old one up to the target's action radius, a new one from there.

    Args:
        grid: The map.
        path: The old one, shape (n, 2) [m].
        target: Where it is now.
        radius: How far from the target the old path is given up [m].

    Returns:
        None where there is no way, also not from the beginning.
    """
    gaps = np.hypot(*(path - target).T)
    inside = np.flatnonzero(gaps <= radius)
    kept = path[: int(inside[0])] if inside.size else path
    begin = kept[-1] if len(kept) else path[0]
    new = find_path(_window(grid, begin, target, radius), _point(begin), target)
    if new is None:
        return find_path(grid, _point(path[0]), target)
    return np.vstack((kept[:-1], new)) if len(kept) else new


def _window(grid: PlanningGrid, begin: Floats, target: Point, radius: float) -> PlanningGrid:
    """Return the part of a grid that holds two points and what is nearer to them than a radius."""
    lowest, highest = np.minimum(begin, target) - radius, np.maximum(begin, target) + radius
    (bottom, left), (top, right) = grid.cell_of(*_point(lowest)), grid.cell_of(*_point(highest))
    low = grid.low[0] + left * grid.cell, grid.low[1] + bottom * grid.cell
    part = np.ascontiguousarray(grid.blocked[bottom : top + 1, left : right + 1])  # kernels are compiled for such ones
    return PlanningGrid(low, grid.cell, part)


def _point(values: Floats) -> Point:
    return float(values[0]), float(values[1])
