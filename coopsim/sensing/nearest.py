"""The nearest robots around each robot, without looking at every pair."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped, sort_by_cell, usual_range

Cells: TypeAlias = tuple[float, float, float, int, int]
"""Lower left corner and side of the cells [m], numbers of columns and lines."""
Places: TypeAlias = tuple[Floats, Floats, Ints]
"""x and y of the robots, and the body of each."""


@compiled
def nearest(planar: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots by distance of their centres, equal ones by index, -1 where there are no more.

    The robots are sorted into the cells of a grid, then each looks into ever wider rings of cells.

    Args:
        planar: Where the bodies are, shape (m, 6).
        robots: Body row of each robot, shape (r,).
        rows: Bodies that look, shape (n,).
        owners: Bodies of the robots that they are parts of, which do not find themselves, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots).
    """
    xs, ys = np.empty(robots.size), np.empty(robots.size)
    for j in range(robots.size):
        xs[j], ys[j] = planar[robots[j], 0], planar[robots[j], 1]
    grid = _grid(xs, ys)
    start, order = np.empty(grid[3] * grid[4] + 1, np.int64), np.empty(robots.size, np.int64)
    cells = np.empty(robots.size, np.int64)
    for j in range(robots.size):
        column, line = _cell(xs[j], ys[j], grid)
        cells[j] = line * grid[3] + column
    sort_by_cell(cells, start, order)
    distances = np.empty(out.shape[1])
    for i in range(rows.size):
        out[i, :] = -1
        place = planar[rows[i], 0], planar[rows[i], 1], reach[i], owners[i]
        _search(place, (xs, ys, robots), grid, start, order, distances, out[i])


@compiled
def _grid(xs: Floats, ys: Floats) -> Cells:
    """Return a grid over most robots, two in a cell on average: some may be far astray."""
    (left, right), (low, high) = usual_range(xs), usual_range(ys)
    if not (math.isfinite(right - left) and math.isfinite(high - low)):
        left = right = low = high = 0.0
    width, height, count = max(right - left, 1e-3), max(high - low, 1e-3), xs.size
    # never more than a few cells for each robot
    side = max(math.sqrt(2.0 * width * height / max(count, 1)), max(width, height) / (4.0 * count + 4.0))
    return left, low, side, int(width / side) + 1, int(height / side) + 1


@inlined
def _cell(x: float, y: float, grid: Cells) -> tuple[int, int]:
    """Return the column and the line of a place."""
    left, low, side, columns, lines = grid
    return clamped((x - left) / side, columns), clamped((y - low) / side, lines)


@compiled
def _search(
    place: tuple[float, float, float, int],
    robots: Places,
    grid: Cells,
    start: Ints,
    order: Ints,
    distances: Floats,
    slots: Ints,
) -> None:
    """Fill the slots of one body ring by ring; what lies in ring k is at least k - 1 cells away."""
    (px, py, reach, owner), (xs, ys, bodies), (_, _, side, columns, lines) = place, robots, grid
    column, line = _cell(px, py, grid)
    count, farthest = 0, reach * reach
    last = max(column, columns - 1 - column, line, lines - 1 - line)
    for ring in range(last + 1):
        gap = max(ring - 1, 0) * side
        if gap * gap > farthest or slots.size == 0:
            break
        for y in range(max(line - ring, 0), min(line + ring, lines - 1) + 1):
            step = 1 if abs(y - line) == ring else 2 * ring
            for x in range(column - ring, column + ring + 1, max(step, 1)):
                if x < 0 or x >= columns:
                    continue
                for e in range(start[y * columns + x], start[y * columns + x + 1]):
                    j = order[e]
                    dx, dy = xs[j] - px, ys[j] - py
                    square = dx * dx + dy * dy
                    if square <= farthest and bodies[j] != owner:
                        count = insert(square, j, count, distances, slots)
                        if count == slots.size:
                            farthest = distances[count - 1]


@compiled
def insert(square: float, robot: int, found: int, distances: Floats, slots: Ints) -> int:
    """Put a robot where it belongs among the `found` nearest, return how many there are now."""
    if found == slots.size and (square, robot) > (distances[found - 1], slots[found - 1]):
        return found
    place = min(found, slots.size - 1)
    while place > 0 and (square, robot) < (distances[place - 1], slots[place - 1]):
        distances[place], slots[place] = distances[place - 1], slots[place - 1]
        place -= 1
    distances[place], slots[place] = square, robot
    return int(min(found + 1, slots.size))
