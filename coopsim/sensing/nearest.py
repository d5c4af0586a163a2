"""The nearest robots around each robot, without looking at every pair."""

import math

import numpy as np

from coopsim.engines.compiled import compiled
from coopsim.geometry import Floats, Ints


@compiled
def nearest(planar: Floats, robots: Ints, rows: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots by distance of their centres, equal ones by index, -1 where there are no more.

    The robots are sorted into the cells of a grid, then each looks into ever wider rings of cells.

    Args:
        planar: Where the bodies are, shape (m, 6).
        robots: Body row of each robot, shape (r,).
        rows: Bodies that look, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots).
    """
    count = robots.size
    box = _most(planar, robots)
    width, height = max(box[2] - box[0], 1e-3), max(box[3] - box[1], 1e-3)
    # two robots in a cell on average, and never more than a few cells for each robot
    side = max(math.sqrt(2.0 * width * height / max(count, 1)), max(width, height) / (4.0 * count + 4.0))
    columns, lines = int(width / side) + 1, int(height / side) + 1
    start, order = np.zeros(columns * lines + 1, np.int64), np.empty(count, np.int64)
    _sort(planar, robots, box, side, columns, lines, start, order)
    distances = np.empty(out.shape[1])
    for i in range(rows.size):
        out[i, :] = -1
        _search(planar, robots, rows[i], reach[i], box, side, columns, lines, start, order, distances, out[i])


@compiled
def _most(planar: Floats, robots: Ints) -> Floats:
    """Return two corners of a box that holds most robots: some may be far astray, and count to the nearest cell."""
    box = np.array([-np.inf, -np.inf, np.inf, np.inf])
    for _ in range(3):
        for axis in range(2):
            low, high, number, total, squares = np.inf, -np.inf, 0, 0.0, 0.0
            origin = planar[robots[0], axis] if robots.size else 0.0
            for j in range(robots.size):
                place = planar[robots[j], axis]
                if box[axis] <= place <= box[2 + axis]:
                    low, high, number = min(low, place), max(high, place), number + 1
                    total, squares = total + (place - origin), squares + (place - origin) ** 2
            if number == 0:
                return np.zeros(4)
            mean = total / number
            wide = 4.0 * math.sqrt(max(squares / number - mean * mean, 0.0)) + 1e-3
            box[axis], box[2 + axis] = max(low, origin + mean - wide), min(high, origin + mean + wide)
    return box


@compiled
def _sort(
    planar: Floats, robots: Ints, box: Floats, side: float, columns: int, lines: int, start: Ints, order: Ints
) -> None:
    """Sort robots by cell, by index within a cell; `start` tells where each cell begins."""
    at = np.empty(robots.size, np.int64)
    for j in range(robots.size):
        x, y = planar[robots[j], 0] - box[0], planar[robots[j], 1] - box[1]
        at[j] = _clamped(y / side, lines) * columns + _clamped(x / side, columns)
        start[at[j]] += 1
    total = 0
    for cell in range(columns * lines):
        total += start[cell]
        start[cell] = total
    start[columns * lines] = total
    for j in range(robots.size - 1, -1, -1):
        start[at[j]] -= 1
        order[start[at[j]]] = j


@compiled
def _search(
    planar: Floats,
    robots: Ints,
    row: int,
    reach: float,
    box: Floats,
    side: float,
    columns: int,
    lines: int,
    start: Ints,
    order: Ints,
    distances: Floats,
    slots: Ints,
) -> None:
    """Fill the slots of one body ring by ring; what lies in ring k is at least k - 1 cells away."""
    px, py = planar[row, 0], planar[row, 1]
    column, line = _clamped((px - box[0]) / side, columns), _clamped((py - box[1]) / side, lines)
    found, farthest = 0, reach * reach
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
                    dx, dy = planar[robots[j], 0] - px, planar[robots[j], 1] - py
                    square = dx * dx + dy * dy
                    if square <= farthest and robots[j] != row:
                        found = _insert(square, j, found, distances, slots)
                        if found == slots.size:
                            farthest = distances[found - 1]


@compiled
def _insert(square: float, robot: int, found: int, distances: Floats, slots: Ints) -> int:
    """Put a robot where it belongs among the `found` nearest, return how many there are now."""
    if found == slots.size and (square, robot) > (distances[found - 1], slots[found - 1]):
        return found
    place = min(found, slots.size - 1)
    while place > 0 and (square, robot) < (distances[place - 1], slots[place - 1]):
        distances[place], slots[place] = distances[place - 1], slots[place - 1]
        place -= 1
    distances[place], slots[place] = square, robot
    return int(min(found + 1, slots.size))


@compiled
def _clamped(cell: float, count: int) -> int:
    """Return a column or line of the grid; what is no number counts to the first."""
    if not cell >= 0.0:
        return 0
    return int(cell) if cell < count else count - 1
