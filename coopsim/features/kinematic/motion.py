"""Compiled parts of the kinematic engine that know no contacts: integration, and which shapes may meet."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.constants import STRONGEST
from coopsim.kernels.grid import clamped, sort_by_cell
from coopsim.kernels.shapes import SIN, X, Y, distance, half_extents

# columns of a body: mass that a push moves, moment of inertia, how fast the floor brakes sliding and turning, centre of
# mass in the frame of the body, mass
MASS, INERTIA, BRAKE, TURN_BRAKE, CENTRE_X, CENTRE_Y, WHOLE_MASS = range(7)
BODY_WIDTH = WHOLE_MASS + 1  # the last column and one
# columns of a motion: path of the centre of mass and rotation in a step, centre of mass, momentum that stopping took
PATH_X, PATH_Y, ROTATION, MIDDLE_X, MIDDLE_Y, LOST_X, LOST_Y = range(7)
MOTION_WIDTH = LOST_Y + 1  # the last column and one
# columns of a shape after those of `kernels.shapes`, whose frame is that of the centre of mass, or of the world where
# it is fixed: how far it reaches from there, its body (-1 = fixed)
REACH, OWNER = SIN + 1, SIN + 2
SHAPE_WIDTH = OWNER + 1  # the last column and one

Lists: TypeAlias = tuple[Ints, Ints]
"""Where the list of each cell begins, shape (cells + 1,); the lists."""


@compiled
def integrate(planar: Floats, motion: Floats, wrench: Floats, bodies: Floats, dt: float, is_last: bool) -> float:
    """Integrate forces to velocities and velocities to paths: v += F / m dt, then x += v dt.

    Args:
        planar: x y yaw vx vy w, whose velocities are changed, shape (n, 6).
        motion: Paths, rotations and centres of mass are written, shape (n, 7).
        wrench: Force and torque, cleared at last, shape (n, 6).
        bodies: Shape (n, 7).
        dt: Length of the step [s].
        is_last: Whether the wrench has done its work after this.

    Returns:
        The longest path of all [m]; or -1 - row of the first body whose wrench is not finite or absurdly large.
    """
    longest = wrong = 0.0
    for row in range(planar.shape[0]):
        x, y, torque = wrench[row, 0], wrench[row, 1], wrench[row, 5]
        if not abs(x) + abs(y) + abs(torque) <= STRONGEST:
            wrong = -1.0 - row if wrong == 0.0 else wrong
            x = y = torque = 0.0
        if is_last:
            for column in range(6):
                wrench[row, column] = 0.0
        vx, vy, w = _accelerated(planar, row, x, y, torque, bodies[row], dt)
        planar[row, 3], planar[row, 4], planar[row, 5] = vx, vy, w
        motion[row, PATH_X], motion[row, PATH_Y], motion[row, ROTATION] = vx * dt, vy * dt, w * dt
        # squared: one root for all
        longest = max(longest, vx * dt * (vx * dt) + vy * dt * (vy * dt))
        cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        u, v = bodies[row, CENTRE_X], bodies[row, CENTRE_Y]
        motion[row, MIDDLE_X] = planar[row, 0] + cos * u - sin * v
        motion[row, MIDDLE_Y] = planar[row, 1] + sin * u + cos * v
    return wrong if wrong < 0.0 else math.sqrt(longest)


@inlined
def _accelerated(
    planar: Floats, row: int, x: float, y: float, torque: float, body: Floats, dt: float
) -> tuple[float, float, float]:
    """Return the velocities of a body after a force, a torque and the friction of the floor."""
    vx, vy = planar[row, 3] + x / body[MASS] * dt, planar[row, 4] + y / body[MASS] * dt
    w = planar[row, 5] + torque / body[INERTIA] * dt
    if body[BRAKE] > 0.0:
        # along the motion, whatever its direction: Coulomb friction has one size
        kept = _kept(math.hypot(vx, vy), body[BRAKE] * dt)
        vx, vy, w = vx * kept, vy * kept, w * _kept(abs(w), body[TURN_BRAKE] * dt)
    return vx, vy, w


@inlined
def _kept(speed: float, braked: float) -> float:
    """Return the share of a speed that braking leaves."""
    return 0.0 if speed <= braked else 1.0 - braked / speed


@compiled
def list_pairs(
    middles: Floats, shapes: Floats, layers: Ints, grid: Floats, fixed: Lists, margin: float, pairs: Ints
) -> int:
    """Write the pairs of shapes that are nearer than `margin` and share a layer of height.

    Args:
        middles: Where the bodies are, shape (n, 2).
        shapes: Moving ones come first, shape (s, 8).
        layers: Heights that each takes up, one bit for each layer, shape (s,).
        grid: Lower left corner, cells per metre, columns and lines of cells, shape (5,).
        fixed: Fixed shapes by cell.
        margin: [m].
        pairs: Written as far as there is room: moving shape first, shape (room, 2).

    Returns:
        The number of pairs, which may be more than there is room for.
    """
    # the table has moving shapes first; how many is found here, so that no number can disagree with it
    moving = 0
    while moving < shapes.shape[0] and shapes[moving, OWNER] >= 0.0:
        moving += 1
    start, order, cells = _sorted(middles, shapes[:moving], grid)
    columns, lines = int(grid[3]), int(grid[4])
    count = 0
    for k in range(moving):
        column, line = cells[k] % columns, cells[k] // columns
        # cells are as wide as two reaches and the margin: what may touch is in one of nine
        for cell_y in range(max(line - 1, 0), min(line + 2, lines)):
            for cell in range(cell_y * columns + max(column - 1, 0), cell_y * columns + min(column + 2, columns)):
                for at in range(start[cell], start[cell + 1]):
                    # each pair once, from the lower row
                    shares = order[at] > k and layers[k] & layers[order[at]] != 0
                    if shares and _are_near(middles, shapes[k], shapes[order[at]], margin):
                        count = _note(pairs, count, k, order[at])
        for at in range(fixed[0][cells[k]], fixed[0][cells[k] + 1]):
            partner = fixed[1][at]
            if layers[k] & layers[partner] != 0 and _is_near_fixed(middles, shapes[k], shapes[partner], margin):
                count = _note(pairs, count, k, partner)
    return count


@inlined
def _are_near(middles: Floats, first: Floats, second: Floats, margin: float) -> bool:
    """Return whether moving shapes of two bodies are near each other."""
    i, j, room = int(first[OWNER]), int(second[OWNER]), first[REACH] + second[REACH] + margin
    dx, dy = middles[i, 0] - middles[j, 0], middles[i, 1] - middles[j, 1]
    return bool(i != j and dx * dx + dy * dy < room * room)


@inlined
def _is_near_fixed(middles: Floats, moving: Floats, fixed: Floats, margin: float) -> bool:
    """Return whether a moving shape is near a fixed one."""
    i = int(moving[OWNER])
    return bool(distance(middles[i, 0] - fixed[X], middles[i, 1] - fixed[Y], fixed) < moving[REACH] + margin)


@compiled
def list_fixed(shapes: Floats, first: int, grid: Floats, around: float, cells: Ints, listed: Ints) -> int:
    """Write in which cells bodies may meet which fixed shapes.

    Args:
        shapes: Shape (s, 8).
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
        shape = shapes[k]
        wide, tall = half_extents(shape)
        # bodies look into their own cell alone, so fixed shapes are listed as far around as a body reaches
        wide, tall = around + wide, around + tall
        for line in range(_cell(shape[Y] - tall, grid, 1), _cell(shape[Y] + tall, grid, 1) + 1):
            for column in range(_cell(shape[X] - wide, grid, 0), _cell(shape[X] + wide, grid, 0) + 1):
                if count < cells.size:
                    cells[count], listed[count] = line * int(grid[3]) + column, k
                count += 1
    return count


@compiled
def _sorted(middles: Floats, shapes: Floats, grid: Floats) -> tuple[Ints, Ints, Ints]:
    """Return where the shapes of each cell begin, the shapes by cell, and the cell of each shape."""
    count = shapes.shape[0]
    cells, order = np.empty(count, np.int64), np.empty(count, np.int64)
    start = np.empty(int(grid[3]) * int(grid[4]) + 1, np.int64)
    for k in range(count):
        i = int(shapes[k, OWNER])
        cells[k] = _cell(middles[i, 1], grid, 1) * int(grid[3]) + _cell(middles[i, 0], grid, 0)
    sort_by_cell(cells, start, order)
    return start, order, cells


@inlined
def _cell(place: float, grid: Floats, axis: int) -> int:
    """Return the column (axis 0) or line (axis 1) of a place."""
    return clamped((place - grid[axis]) * grid[2], int(grid[3 + axis]))


@inlined
def _note(pairs: Ints, count: int, first: int, second: int) -> int:
    """Write a pair if there is room; return how many there are now."""
    if count < pairs.shape[0]:
        pairs[count, 0], pairs[count, 1] = first, second
    return count + 1
