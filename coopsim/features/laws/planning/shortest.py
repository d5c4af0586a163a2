"""Shortest ways along the cells of a map: A* that jumps over cells where nothing is decided, compiled.

A step to a cell beside costs 1, a diagonal one the square root of 2, and needs both cells beside it to be free: no
corner is cut. Of ways that are as long, one goes diagonally first; only cells at which such a way may have to turn
are put into the queue.

Source: swarm gaming, sections 4.2 and 4.3 (A*); jump points: Harabor and Grastien, AAAI 2011.
"""

import math
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Bools, Floats, Ints
from coopsim.kernels import compiled

Bytes: TypeAlias = NDArray[np.uint8]
Stops: TypeAlias = tuple[Bytes, Floats, Ints]
"""For each cell: whether a way to it is known, or even the shortest; its cost; and the cell at which it turned last."""
DIAGONAL = math.sqrt(2.0)
"""Cost of a diagonal step."""
_BLOCKED, _RIGHT, _LEFT, _DOWN, _UP = 1, 2, 4, 8, 16
"""Bits of a sign: the cell is in the way; or a way that goes on in a direction may turn there."""
_NOWHERE = -1  # no cell has this index
_KNOWN, _SHORTEST = 1, 2  # states of a cell; 0 is not reached yet


@compiled
def jump_signs(blocked: Bools) -> Bytes:
    """Return what searches ask of each cell, with a blocked frame around the map: shape (rows + 2, columns + 2).

    Args:
        blocked: Whether each cell is in the way, shape (rows, columns).
    """
    rows, columns = blocked.shape
    signs = np.full((rows + 2, columns + 2), np.uint8(_BLOCKED))
    signs[1:-1, 1:-1] = blocked
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            if not signs[row, column] & _BLOCKED:
                signs[row, column] |= _turns(signs, row, column)
    return signs


@compiled
def _turns(signs: Bytes, row: int, column: int) -> int:
    """Return in which directions a way may turn at a cell: where something beside it ends that was in the way."""
    signs_found = 0
    for side in (-1, 1):
        if not signs[row + side, column] & _BLOCKED:
            signs_found |= _RIGHT if signs[row + side, column - 1] & _BLOCKED else 0
            signs_found |= _LEFT if signs[row + side, column + 1] & _BLOCKED else 0
        if not signs[row, column + side] & _BLOCKED:
            signs_found |= _DOWN if signs[row - 1, column + side] & _BLOCKED else 0
            signs_found |= _UP if signs[row + 1, column + side] & _BLOCKED else 0
    return signs_found


@compiled
def shortest_cells(signs: Bytes, begin: tuple[int, int], end: tuple[int, int]) -> Ints:
    """Return row and column of the cells of a shortest way, both ends with it, shape (n, 2); n = 0 where there is none.

    Args:
        signs: What `jump_signs` says of the map.
        begin: Row and column of a free cell.
        end: See begin.
    """
    width, flat = signs.shape[1], signs.ravel()
    start, goal = _framed(begin, width), _framed(end, width)
    state = np.zeros(flat.size, np.uint8)
    costs, turned = np.empty(flat.size), np.empty(flat.size, np.int64)  # unset: most cells are never asked for
    state[start], costs[start], turned[start] = _KNOWN, 0.0, start
    queue = [(0.0, 0.0, start)]
    while queue:
        _, _, cell = heappop(queue)
        if cell == goal:
            return _cells_between(turned, cell, width)
        if state[cell] == _SHORTEST:
            continue
        state[cell] = _SHORTEST
        heading = _heading(turned[cell], cell, width)
        for k in range(9):
            to = k // 3 - 1, k % 3 - 1
            if _is_worth(flat, cell, heading, to, width):
                stop = _jump(flat, cell, to, width, goal)
                if stop != _NOWHERE and state[stop] != _SHORTEST:
                    _reach(queue, (state, costs, turned), (cell, stop, goal), width)
    return np.empty((0, 2), np.int64)


@compiled
def _framed(cell: tuple[int, int], width: int) -> int:
    """Return the number of a cell in the framed map."""
    return (cell[0] + 1) * width + cell[1] + 1


@compiled
def _reach(queue: list[tuple[float, float, int]], stops: Stops, way: tuple[int, int, int], width: int) -> None:
    """Put a stop into the queue, where the way to it is shorter than the one that is known."""
    state, costs, turned = stops
    cell, stop, goal = way
    cost = costs[cell] + _least_cost(cell, stop, width)
    if state[stop] != _KNOWN or cost < costs[stop]:
        state[stop], costs[stop], turned[stop] = _KNOWN, cost, cell
        heappush(queue, (cost + _least_cost(stop, goal, width), -cost, stop))


@compiled
def _least_cost(cell: int, to: int, width: int) -> float:
    """Return the cost between two cells where nothing is in the way."""
    v, h = abs(cell // width - to // width), abs(cell % width - to % width)
    return max(v, h) + (DIAGONAL - 1.0) * min(v, h)


@compiled
def _heading(before: int, cell: int, width: int) -> tuple[int, int]:
    """Return the direction in which a cell was reached, both 0 at the start."""
    v, h = cell // width - before // width, cell % width - before % width
    return (v > 0) - (v < 0), (h > 0) - (h < 0)


@compiled
def _is_worth(signs: Bytes, cell: int, heading: tuple[int, int], to: tuple[int, int], width: int) -> bool:
    """Return whether a shortest way that came to a cell may go on somewhere: not where one past the cell is as short.

    Args:
        signs: Of the framed map, flat.
        cell: Where the way is.
        heading: In which it came, down and right, -1 to 1 each; both 0 at the start.
        to: Where it would go.
        width: Of the framed map.
    """
    (down, right), (v, h) = heading, to
    if v == 0 and h == 0:
        return False
    if down == 0 and right == 0:
        return True
    if down != 0 and right != 0:
        return v in (down, 0) and h in (right, 0)
    ahead, aside = (down * v + right * h), (v if down == 0 else h)
    if aside == 0:
        return ahead == 1
    side = aside * width if down == 0 else aside
    return ahead >= 0 and signs[cell - down * width - right + side] & _BLOCKED != 0


@compiled
def _jump(signs: Bytes, cell: int, to: tuple[int, int], width: int, goal: int) -> int:
    """Return the next cell in a direction at which a shortest way may turn, or the goal; `_NOWHERE` where none is."""
    (down, right), v, h = to, to[0] * width, to[1]
    vertical, horizontal = _DOWN if down > 0 else _UP, _RIGHT if right > 0 else _LEFT
    if v == 0:
        return _jump_straight(signs, cell, h, horizontal, goal)
    if h == 0:
        return _jump_straight(signs, cell, v, vertical, goal)
    while not (signs[cell + v] | signs[cell + h] | signs[cell + v + h]) & _BLOCKED:
        cell += v + h
        if cell == goal or _jump_straight(signs, cell, h, horizontal, goal) != _NOWHERE:
            return cell
        if _jump_straight(signs, cell, v, vertical, goal) != _NOWHERE:
            return cell
    return _NOWHERE


@compiled
def _jump_straight(signs: Bytes, cell: int, step: int, turns: int, goal: int) -> int:
    """Return the same along a row or column: the first cell whose sign says so."""
    asked = turns | _BLOCKED
    while True:
        cell += step
        if signs[cell] & asked or cell == goal:
            return _NOWHERE if signs[cell] & _BLOCKED else cell


@compiled
def _cells_between(turned: Ints, cell: int, width: int) -> Ints:
    """Return row and column of all cells on the way from the start, which turned at itself, to a cell, shape (n, 2)."""
    count, at = 1, cell
    while turned[at] != at:
        count += max(abs(at // width - turned[at] // width), abs(at % width - turned[at] % width))
        at = turned[at]
    cells, k, at = np.empty((count, 2), np.int64), count - 1, cell
    while True:
        cells[k, 0], cells[k, 1] = at // width - 1, at % width - 1
        if turned[cell] == cell:
            return cells
        v, h = _heading(at, turned[cell], width)
        at += v * width + h
        k -= 1
        if at == turned[cell]:
            cell = at
