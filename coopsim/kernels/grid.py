"""Uniform grids: cells of places, and lists of what lies in each cell by counting sort."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels.compiled import compiled, inlined

_ROUNDS, _DEVIATIONS, _LEAST = 3, 4.0, 1e-3  # m


@inlined
def clamped(cell: float, count: int) -> int:
    """Return a column or line of a grid; outside, and for what is no number, one at its border."""
    # negated, so that what is no number lands in the first cell instead of anywhere
    if not cell >= 0.0:
        return 0
    return int(cell) if cell < count else count - 1


@inlined
def to_ends(start: Ints) -> None:
    """Turn the number of entries of each cell into where its list ends; the last place gets the number of all."""
    total = 0
    for cell in range(start.size - 1):
        total += start[cell]
        start[cell] = total
    start[start.size - 1] = total


@inlined
def sort_by_cell(cells: Ints, start: Ints, order: Ints) -> None:
    """List the entries of each cell, by index within a cell (counting sort).

    Args:
        cells: Cell of each entry, shape (n,).
        start: Written: where the list of each cell begins, shape (number of cells + 1,).
        order: Written: entries, one list after the other, shape (n,).
    """
    start[:] = 0
    for j in range(cells.size):
        start[cells[j]] += 1
    to_ends(start)
    # filling from behind leaves each start where its cell begins
    for j in range(cells.size - 1, -1, -1):
        start[cells[j]] -= 1
        order[start[cells[j]]] = j


@compiled
def usual_range(values: Floats) -> tuple[float, float]:
    """Return lowest and highest of most values; a few far ones are left out, infinite where there are none."""
    low, high = -math.inf, math.inf
    # differences from a value of their own: far from the origin squares would lose all digits
    origin = values[0] if values.size else 0.0
    for _ in range(_ROUNDS):
        least, most, number, total, squares = math.inf, -math.inf, 0, 0.0, 0.0
        for value in values:
            if low <= value <= high:
                least, most, number = min(least, value), max(most, value), number + 1
                total, squares = total + (value - origin), squares + (value - origin) ** 2
        if number == 0:
            break
        mean = total / number
        wide = _DEVIATIONS * math.sqrt(max(squares / number - mean * mean, 0.0)) + _LEAST
        low, high = max(least, origin + mean - wide), min(most, origin + mean + wide)
    return low, high
