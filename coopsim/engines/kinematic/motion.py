"""Compiled parts of the kinematic engine that know no shapes: forces into velocities, and who may meet whom."""

import math

import numpy as np

from coopsim.engines.compiled import compiled
from coopsim.geometry import Floats, Ints

STRONGEST = 1e9  # N or N m; anything above, and what is not a number, is a mistake of a device
MASS, INERTIA, BRAKE, TURN_BRAKE = range(4)


@compiled
def propel(
    planar: Floats,
    wrench: Floats,
    bodies: Floats,
    centres: Floats,
    dt: float,
    is_last: bool,
    moves: Floats,
    middles: Floats,
) -> float:
    """Turn forces into velocities and velocities into ways.

    Args:
        planar: x y yaw vx vy w, shape (n, 6).
        wrench: Force and torque, cleared at last, shape (n, 6).
        bodies: Mass, moment of inertia, and how fast the floor brakes sliding and turning, shape (n, 4).
        centres: Centres of mass in the frames of their bodies, shape (n, 2).
        dt: Length of the step [s].
        is_last: Whether the wrench has done its work after this.
        moves: Written: way of the centre of mass and turn, shape (n, 3).
        middles: Written: where the centres of mass are, shape (n, 2).

    Returns:
        The longest way of all [m]; or -1 - row of the first body whose wrench is not finite or absurdly large.
    """
    longest = wrong = 0.0
    for row in range(planar.shape[0]):
        x, y, turn = wrench[row, 0], wrench[row, 1], wrench[row, 5]
        if not abs(x) + abs(y) + abs(turn) <= STRONGEST:
            wrong = -1.0 - row if wrong == 0.0 else wrong
            x = y = turn = 0.0
        if is_last:
            for column in range(6):
                wrench[row, column] = 0.0
        vx, vy = planar[row, 3] + x / bodies[row, MASS] * dt, planar[row, 4] + y / bodies[row, MASS] * dt
        w = planar[row, 5] + turn / bodies[row, INERTIA] * dt
        if bodies[row, BRAKE] > 0.0:
            kept = _kept(math.hypot(vx, vy), bodies[row, BRAKE] * dt)
            vx, vy, w = vx * kept, vy * kept, w * _kept(abs(w), bodies[row, TURN_BRAKE] * dt)
        planar[row, 3], planar[row, 4], planar[row, 5] = vx, vy, w
        moves[row, 0], moves[row, 1], moves[row, 2] = vx * dt, vy * dt, w * dt
        longest = max(longest, moves[row, 0] * moves[row, 0] + moves[row, 1] * moves[row, 1])
        cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        middles[row, 0] = planar[row, 0] + cos * centres[row, 0] - sin * centres[row, 1]
        middles[row, 1] = planar[row, 1] + sin * centres[row, 0] + cos * centres[row, 1]
    return wrong if wrong < 0.0 else math.sqrt(longest)


@compiled
def _kept(speed: float, braked: float) -> float:
    """Return the share of a speed that braking leaves."""
    return 0.0 if speed <= braked else 1.0 - braked / speed


@compiled
def list_pairs(
    middles: Floats,
    shapes: Floats,
    owners: Ints,
    layers: Ints,
    grid: Floats,
    fixed_start: Ints,
    fixed_listed: Ints,
    margin: float,
    pairs: Ints,
) -> int:
    """Write the pairs of shapes that are nearer than `margin` and share a layer of height.

    Args:
        middles: Where the bodies are, shape (n, 2).
        shapes: Radius around the middle of the body in the last column, shape (s, 7); moving ones come first.
        owners: Body of each shape, -1 = fixed, shape (s,).
        layers: Heights that each takes up, shape (s,).
        grid: Lower left corner, cells per metre, columns and lines of cells, shape (5,).
        fixed_start: Where the list of each cell begins, shape (cells + 1,).
        fixed_listed: Fixed shapes by cell.
        margin: [m].
        pairs: Written as far as there is room: moving shape first, shape (room, 2).

    Returns:
        The number of pairs, which may be more than there is room for.
    """
    moving = owners.size if owners.size == 0 or owners[-1] >= 0 else int(np.argmax(owners < 0))
    start, order, cells = _sorted(middles, owners[:moving], grid)
    columns, lines = int(grid[3]), int(grid[4])
    count = 0
    for k in range(moving):
        column, line, i = cells[k] % columns, cells[k] // columns, owners[k]
        for cell_y in range(max(line - 1, 0), min(line + 2, lines)):
            for cell in range(cell_y * columns + max(column - 1, 0), cell_y * columns + min(column + 2, columns)):
                for at in range(start[cell], start[cell + 1]):
                    other = order[at]
                    j = owners[other]
                    if other <= k or i == j or layers[k] & layers[other] == 0:
                        continue
                    room = shapes[k, -1] + shapes[other, -1] + margin
                    dx, dy = middles[i, 0] - middles[j, 0], middles[i, 1] - middles[j, 1]
                    if dx * dx + dy * dy < room * room:
                        count = _note(pairs, count, k, other)
        for at in range(fixed_start[cells[k]], fixed_start[cells[k] + 1]):
            other = fixed_listed[at]
            near = _from_fixed(middles[i, 0], middles[i, 1], shapes[other]) < shapes[k, -1] + margin
            if near and layers[k] & layers[other] != 0:
                count = _note(pairs, count, k, other)
    return count


@compiled
def list_fixed(shapes: Floats, first: int, grid: Floats, around: float, cells: Ints, listed: Ints) -> int:
    """Write in which cells bodies may meet which fixed shapes.

    Args:
        shapes: Shape (s, 7).
        first: The first fixed one.
        grid: Shape (5,).
        around: How far a body may reach around its middle [m].
        cells: Written as far as there is room, shape (room,).
        listed: Written, the shapes, shape (room,).

    Returns:
        The number of entries, which may be more than there is room for.
    """
    count = 0
    for k in range(first, shapes.shape[0]):
        cos, sin = abs(shapes[k, 4]), abs(shapes[k, 5])
        wide = around + (cos * shapes[k, 2] + sin * shapes[k, 3] if shapes[k, 3] > 0.0 else shapes[k, 2])
        tall = around + (sin * shapes[k, 2] + cos * shapes[k, 3] if shapes[k, 3] > 0.0 else shapes[k, 2])
        low, high = _cell(shapes[k, 0] - wide, grid, 0), _cell(shapes[k, 0] + wide, grid, 0)
        bottom, top = _cell(shapes[k, 1] - tall, grid, 1), _cell(shapes[k, 1] + tall, grid, 1)
        for line in range(bottom, top + 1):
            for column in range(low, high + 1):
                if count < cells.size:
                    cells[count], listed[count] = line * int(grid[3]) + column, k
                count += 1
    return count


@compiled
def _sorted(middles: Floats, owners: Ints, grid: Floats) -> tuple[Ints, Ints, Ints]:
    """Return where the shapes of each cell begin, the shapes by cell, and the cell of each shape."""
    cells, order = np.empty(owners.size, np.int64), np.empty(owners.size, np.int64)
    start = np.zeros(int(grid[3]) * int(grid[4]) + 1, np.int64)
    for k in range(owners.size):
        x, y = middles[owners[k], 0], middles[owners[k], 1]
        cells[k] = _cell(y, grid, 1) * int(grid[3]) + _cell(x, grid, 0)
        start[cells[k] + 1] += 1
    for cell in range(start.size - 1):
        start[cell + 1] += start[cell]
    filled = start.copy()
    for k in range(owners.size):
        order[filled[cells[k]]] = k
        filled[cells[k]] += 1
    return start, order, cells


@compiled
def _cell(value: float, grid: Floats, axis: int) -> int:
    """Return the column (axis 0) or line (axis 1) of a place; what is outside counts to the nearest cell."""
    return int(min(max((value - grid[axis]) * grid[2], 0.0), grid[3 + axis] - 1.0))


@compiled
def _from_fixed(x: float, y: float, shape: Floats) -> float:
    """Return the distance of a point from a fixed shape, at most 0 inside."""
    dx, dy = x - shape[0], y - shape[1]
    if shape[3] == 0.0:
        return float(math.hypot(dx, dy) - shape[2])
    over_u = abs(shape[4] * dx + shape[5] * dy) - shape[2]
    over_v = abs(shape[4] * dy - shape[5] * dx) - shape[3]
    return math.hypot(max(over_u, 0.0), max(over_v, 0.0))


@compiled
def _note(pairs: Ints, count: int, first: int, second: int) -> int:
    if count < pairs.shape[0]:
        pairs[count, 0], pairs[count, 1] = first, second
    return count + 1
