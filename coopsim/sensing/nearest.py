"""The nearest robots around each robot, on a plane and in space, without looking at every pair."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped, sort_by_cell, usual_range
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address

Box: TypeAlias = tuple[float, float, float, float, int, int, int]
"""Lowest corner and side of the cells [m], numbers of cells along x, y and z."""

_PER_CELL, _MOST = 1.5, 4096  # robots in a cell, cells along one axis
_BYTES = 8  # of a number
_SLACK = 1e-9
"""Of a distance: cells are looked into a little farther than that, whatever is rounded."""
_FEW = 64
"""Up to so many robots a search through all pairs is faster than a grid.

Of ticks of robots on 2 m2 each those with a grid take as long at 64, 0.94 of the time at 100 and 0.88 at 128.
"""


@compiled
def nearest(planar: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots by distance of their centres, equal ones by index, -1 where there are no more.

    Args:
        planar: Where the bodies are, shape (m, 6).
        robots: Body row of each robot, shape (r,).
        rows: Bodies that look, shape (n,).
        owners: Bodies of the robots that they are parts of, which do not find themselves, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots). What it holds before is tried first: from tick to tick
            most stay, and any other numbers cost time alone.
    """
    # a crowd in the plane is one in space at one height: its grid has one layer
    places, own = np.zeros((robots.size, 3)), np.zeros((rows.size, 3))
    for j in range(robots.size):
        places[j, 0], places[j, 1] = planar[robots[j], 0], planar[robots[j], 1]
    for i in range(rows.size):
        own[i, 0], own[i, 1] = planar[rows[i], 0], planar[rows[i], 1]
    search(places, robots, own, owners, reach, out)


@inlined
def search(places: Floats, robots: Ints, own: Floats, owners: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots.

    The robots are sorted into the cells of a grid. Each looks at those that it found before: if they fill all slots, it
    looks into the cells that are no farther than the last one, else into ever wider rings of cells. What comes out does
    not depend on the order in which robots are looked at: equal distances are told apart by index.

    Args:
        places: Of the robots, shape (r, 3) [m].
        robots: Body row of each robot, shape (r,).
        own: Places of the bodies that look, shape (n, 3) [m].
        owners: Bodies of the robots that they are parts of, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots); see `nearest` for what it holds before.
    """
    if robots.size <= _FEW:
        _search_all((places, robots), own, owners, reach, out)
        return
    box = box_of(places)
    cells = np.empty(robots.size, np.int64)
    start, order = np.empty(box[4] * box[5] * box[6] + 1, np.int64), np.empty(robots.size, np.int64)
    for j in range(robots.size):
        x, y, z = _cell(places[j, 0], places[j, 1], places[j, 2], box)
        cells[j] = (z * box[5] + y) * box[4] + x
    sort_by_cell(cells, start, order)
    # places in the order of the cells: what is looked at together lies together
    sorted_places = np.empty((3, robots.size + LANES))
    for axis in range(3):
        for e in range(robots.size):
            sorted_places[axis, e] = places[order[e], axis]
    table = sorted_places, order, robots
    distances, noted, seen_by = (
        np.empty(out.shape[1]),
        np.empty(robots.size + LANES, np.int64),
        np.full(robots.size, -1),
    )
    for i in range(owners.size):
        where = own[i, 0], own[i, 1], own[i, 2], reach[i], owners[i]
        count = _keep(where, places, robots, distances, (seen_by, i), out[i])
        if count == out.shape[1]:
            _search_within(where, table, box, start, distances, (seen_by, noted, i), out[i])
        else:
            _search(where, table, box, start, (distances, count), (seen_by, i), out[i])


@inlined
def _keep(
    where: tuple[float, float, float, float, int],
    places: Floats,
    robots: Ints,
    distances: Floats,
    marks: tuple[Ints, int],
    slots: Ints,
) -> int:
    """Order those who are in the slots of one body, but for who is out of reach; return how many stay."""
    (px, py, pz, reach, owner), (seen_by, looker), count = where, marks, 0
    for k in range(slots.size):
        robot = slots[k]
        # nobody has such an index, or somebody is named twice
        if robot < 0 or robot >= robots.size or seen_by[robot] == looker:
            continue
        dx, dy, dz = places[robot, 0] - px, places[robot, 1] - py, places[robot, 2] - pz
        square = dx * dx + dy * dy + dz * dz
        if square <= reach * reach and robots[robot] != owner:
            seen_by[robot] = looker
            # no more than k stay of the first k: what is written has been read
            count = _insert(square, robot, count, distances, slots)
    slots[count:] = -1
    return count


@inlined
def _search_within(
    where: tuple[float, float, float, float, int],
    robots: tuple[Floats, Ints, Ints],
    box: Box,
    start: Ints,
    distances: Floats,
    marks: tuple[Ints, Ints, int],
    slots: Ints,
) -> None:
    """Change full slots of one body by all who are no farther than the last one in them."""
    if slots.size == 0:
        return
    (px, py, pz, _, owner), (places, order, bodies), (seen_by, noted, looker) = where, robots, marks
    farthest = distances[slots.size - 1]
    far = math.sqrt(farthest) * (1.0 + _SLACK) + _SLACK
    left, low, floor = _cell(px - far, py - far, pz - far, box)
    right, high, ceiling = _cell(px + far, py + far, pz + far, box)
    count, first, axis_bytes = 0, address(places), _BYTES * places.shape[1]
    columns = first, first + axis_bytes, first + 2 * axis_bytes, address(noted)
    for z in range(floor, ceiling + 1):
        for y in range(low, high + 1):
            line = (z * box[5] + y) * box[4]
            begin, end = start[line + left], start[line + right + 1]
            count = _are_within(begin, end, columns, (px, py, pz, farthest), count)
    for k in range(count):
        e = noted[k]
        if seen_by[order[e]] != looker and bodies[order[e]] != owner:
            dx, dy, dz = places[0, e] - px, places[1, e] - py, places[2, e] - pz
            _insert(dx * dx + dy * dy + dz * dz, order[e], slots.size, distances, slots)


@loop
def _are_within(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which places are no farther from one than a distance, of which the square is given."""
    px, py, pz, farthest = common
    dx, dy, dz = rows[0] - px, rows[1] - py, rows[2] - pz
    return dx * dx + dy * dy + dz * dz <= farthest


@inlined
def _search_all(robots: tuple[Floats, Ints], own: Floats, owners: Ints, reach: Floats, out: Ints) -> None:
    """Do the same by a look at each pair."""
    places, bodies = robots
    distances = np.empty(out.shape[1])
    for i in range(owners.size):
        out[i, :] = -1
        x, y, z = own[i, 0], own[i, 1], own[i, 2]
        count, farthest = 0, reach[i] * reach[i]
        for j in range(bodies.size):
            dx, dy, dz = places[j, 0] - x, places[j, 1] - y, places[j, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if square <= farthest and bodies[j] != owners[i]:
                count = _insert(square, j, count, distances, out[i])
                if count == out.shape[1]:
                    farthest = distances[count - 1]


@compiled
def box_of(places: Floats) -> Box:
    """Return cells over most robots, two in a cell on average: some may be far astray."""
    low, size = np.zeros(3), np.full(3, 1e-3)
    for axis in range(3):
        least, most = usual_range(places[:, axis].copy())
        if math.isfinite(most - least):
            low[axis], size[axis] = least, max(most - least, 1e-3)
    count, widest = max(places.shape[0], 1), max(size[0], size[1], size[2])
    # flat swarms are crowds in a plane, or along a line
    side = widest * _PER_CELL / count
    for a, b in ((0, 1), (0, 2), (1, 2)):
        side = max(side, math.sqrt(_PER_CELL * size[a] * size[b] / count))
    cube = (_PER_CELL * size[0] * size[1] * size[2] / count) ** (1.0 / 3.0)
    if size.min() > cube:
        side = cube
    side = max(side, widest / _MOST)
    return low[0], low[1], low[2], side, int(size[0] / side) + 1, int(size[1] / side) + 1, int(size[2] / side) + 1


@inlined
def _cell(x: float, y: float, z: float, box: Box) -> tuple[int, int, int]:
    """Return the column, line and layer of a place."""
    a, b, c, side, columns, lines, layers = box
    return clamped((x - a) / side, columns), clamped((y - b) / side, lines), clamped((z - c) / side, layers)


@compiled
def _search(
    where: tuple[float, float, float, float, int],
    robots: tuple[Floats, Ints, Ints],
    box: Box,
    start: Ints,
    nearest_first: tuple[Floats, int],
    marks: tuple[Ints, int],
    slots: Ints,
) -> None:
    """Fill the slots of one body ring by ring; what lies in ring k is at least k - 1 cells away.

    Args:
        where: The body is, its reach, and the body that it is a part of.
        robots: Places in the order of cells, axis by axis, index of each of these, body of each robot.
        box: The cells.
        start: Where the list of each cell begins.
        nearest_first: Squares of the distances of those in the slots, and how many there are.
        marks: Who has seen each robot last, and the number of this body: who is in the slots is not looked at again.
        slots: Indices of robots.
    """
    (px, py, pz, reach, owner), (places, order, bodies), (_, _, _, side, columns, lines, layers) = where, robots, box
    cx, cy, cz = _cell(px, py, pz, box)
    (distances, count), (seen_by, looker), farthest = nearest_first, marks, reach * reach
    last = max(cx, columns - 1 - cx, cy, lines - 1 - cy, cz, layers - 1 - cz)
    for ring in range(last + 1):
        gap = max(ring - 1, 0) * side
        if gap * gap > farthest or slots.size == 0:
            break
        for z in range(max(cz - ring, 0), min(cz + ring, layers - 1) + 1):
            for y in range(max(cy - ring, 0), min(cy + ring, lines - 1) + 1):
                is_side = abs(z - cz) == ring or abs(y - cy) == ring
                for x in range(cx - ring, cx + ring + 1, 1 if is_side else max(2 * ring, 1)):
                    if x < 0 or x >= columns:
                        continue
                    cell = (z * lines + y) * columns + x
                    for e in range(start[cell], start[cell + 1]):
                        dx, dy, dz = places[0, e] - px, places[1, e] - py, places[2, e] - pz
                        square = dx * dx + dy * dy + dz * dz
                        is_new = seen_by[order[e]] != looker
                        if square <= farthest and is_new and bodies[order[e]] != owner:
                            count = _insert(square, order[e], count, distances, slots)
                            if count == slots.size:
                                farthest = distances[count - 1]


@inlined
def _insert(square: float, robot: int, count: int, distances: Floats, slots: Ints) -> int:
    """Put a robot where it belongs among the `count` nearest, return how many there are now."""
    if count == slots.size and (square, robot) > (distances[count - 1], slots[count - 1]):
        return count
    place = min(count, slots.size - 1)
    while place > 0 and (square, robot) < (distances[place - 1], slots[place - 1]):
        distances[place], slots[place] = distances[place - 1], slots[place - 1]
        place -= 1
    distances[place], slots[place] = square, robot
    return min(count + 1, slots.size)


@compiled
def nearest_in_space(poses: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots by distance of their bases, equal ones by index, -1 where there are no more.

    Args:
        poses: Where the bodies are, shape (m, 7).
        robots: Body row of each robot, shape (r,).
        rows: Bodies that look, shape (n,).
        owners: Bodies of the robots that they are parts of, which do not find themselves, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots).
    """
    places, own = np.empty((robots.size, 3)), np.empty((rows.size, 3))
    for axis in range(3):
        for j in range(robots.size):
            places[j, axis] = poses[robots[j], axis]
        for i in range(rows.size):
            own[i, axis] = poses[rows[i], axis]
    search(places, robots, own, owners, reach, out)
