"""Distances between robots and squads of a match, compiled: every look needs all of them.

Squads are lists of rows that lie one after the other, `members`; those of squad k begin at `starts[k]`.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Bools, Floats, Ints
from coopsim.kernels import compiled

Squads: TypeAlias = tuple[Ints, Ints]
"""`members`, shape (m,), and `starts`, shape (squads + 1,)."""
LOW_X, LOW_Y, HIGH_X, HIGH_Y, SPEED_X, SPEED_Y, MIDDLE_X, MIDDLE_Y = range(8)
"""Columns of spans: the box around who takes part, its mean velocity, and the middle of who obeys."""
SPAN_WIDTH = MIDDLE_Y + 1  # the last column and one


def lined_up(squads: Sequence[Sequence[int]]) -> Squads:
    """Return the rows of squads for kernels."""
    return np.array([row for squad in squads for row in squad], np.int64), np.cumsum([0, *map(len, squads)])


@compiled
def measure_spans(
    squads: Squads, positions: Floats, velocities: Floats, masks: tuple[Bools, Bools], out: Floats
) -> None:
    """Write the span of each squad, shape (squads, SPAN_WIDTH); nobody has a box from infinity to minus infinity.

    Args:
        squads: Who is in which.
        positions: Of all robots, shape (n, 2) [m].
        velocities: Shape (n, 2) [m/s].
        masks: Who takes part, and who obeys, shape (n,) each.
        out: The middle is of those who obey, else of those who take part, else of all.
    """
    members, starts = squads
    alive, obeying = masks
    for k in range(starts.size - 1):
        out[k, LOW_X:HIGH_X], out[k, HIGH_X:SPEED_X], out[k, SPEED_X:] = math.inf, -math.inf, 0.0
        first, last, count, standing, following = starts[k], starts[k + 1], 0.0, False, False
        for at in range(first, last):
            row = members[at]
            standing, following = standing or alive[row], following or obeying[row]
            if alive[row]:
                count += 1.0
                for axis in range(2):
                    out[k, LOW_X + axis] = min(out[k, LOW_X + axis], positions[row, axis])
                    out[k, HIGH_X + axis] = max(out[k, HIGH_X + axis], positions[row, axis])
                    out[k, SPEED_X + axis] += velocities[row, axis]
        total = 0.0
        for at in range(first, last):
            row = members[at]
            if obeying[row] if following else (alive[row] or not standing):
                total += 1.0
                for axis in range(2):
                    out[k, MIDDLE_X + axis] += positions[row, axis]
        for axis in range(2):
            out[k, SPEED_X + axis] /= max(count, 1.0)
            out[k, MIDDLE_X + axis] /= max(total, 1.0)


@compiled
def find_enemies(positions: Floats, players: Ints, alive: Bools, out: tuple[Ints, Floats]) -> None:
    """Write the row of the enemy that is nearest to each robot that takes part, and how far away that is, (n,) each.

    Args:
        positions: Of all robots, shape (n, 2) [m].
        players: Whose each is, shape (n,).
        alive: Who takes part, shape (n,).
        out: Of several that are as near the first one, -1 where there is none; and infinity [m].
    """
    nearest, gaps = out
    for i in range(nearest.size):
        nearest[i], gaps[i] = -1, math.inf
        if not alive[i]:
            continue
        for j in range(nearest.size):
            if alive[j] and players[j] != players[i]:
                x, y = positions[i, 0] - positions[j, 0], positions[i, 1] - positions[j, 1]
                gap = math.sqrt(x * x + y * y)
                if gap < gaps[i]:
                    nearest[i], gaps[i] = j, gap


@compiled
def is_seen(place: tuple[float, float], pair: tuple[int, int], bodies: tuple[Floats, Floats, Floats]) -> bool:
    """Return whether no robot and no wall is between a place and the middle of a robot.

    Args:
        place: Where a robot is, or would be [m].
        pair: Rows of that robot and of the one that is looked at.
        bodies: See `aim`.
    """
    (x, y), (i, j) = place, pair
    positions, radii, walls = bodies
    u, v = positions[j, 0] - x, positions[j, 1] - y
    square = u * u + v * v
    for k in range(radii.size):
        a, b = positions[k, 0] - x, positions[k, 1] - y
        along, across = a * u + b * v, a * v - b * u
        if k not in (i, j) and 0.0 < along < square and across * across < radii[k] * radii[k] * square:
            return False
    for k in range(walls.shape[0]):
        p, q = walls[k, 0] - x, walls[k, 1] - y
        r, s = walls[k, 2] - x, walls[k, 3] - y
        first, second = p * v - q * u, r * v - s * u
        if (first < 0.0) != (second < 0.0):
            share = first / (first - second)
            along = (p + share * (r - p)) * u + (q + share * (s - q)) * v
            if 0.0 < along < square:
                return False
    return True


@compiled
def aim(
    bodies: tuple[Floats, Floats, Floats],
    players: Ints,
    masks: tuple[Bools, Bools],
    ranges: Floats,
    out: tuple[Ints, Bools],
) -> None:
    """Write the row of the enemy that each armed robot aims at, and whether it sees that one, shape (n,) each.

    Args:
        bodies: Positions of all robots, shape (n, 2), their radii, shape (n,), and ends of walls, shape (m, 4) [m].
        players: Whose each is, shape (n,).
        masks: Who takes part, and who has a shot left, shape (n,) each.
        ranges: Of their shooters, shape (n,) [m].
        out: The nearest enemy within range that is seen, else the nearest within range, -1 = none; of several that are
            as near the first one. Robots that are out hide others, too.
    """
    positions = bodies[0]
    alive, armed = masks
    aims, sees = out
    for i in range(aims.size):
        aims[i], sees[i], hidden, best = -1, False, -1.0, math.inf
        while alive[i] and armed[i] and not sees[i]:
            nearest, least = -1, math.inf
            for j in range(aims.size):
                if alive[j] and players[j] != players[i]:
                    x, y = positions[i, 0] - positions[j, 0], positions[i, 1] - positions[j, 1]
                    gap = math.sqrt(x * x + y * y)
                    if hidden < gap <= ranges[i] and gap < least:
                        nearest, least = j, gap
            if nearest < 0:
                break
            sees[i], hidden = is_seen((positions[i, 0], positions[i, 1]), (i, nearest), bodies), least
            if sees[i] or best == math.inf:
                aims[i], best = nearest, least


@compiled
def first_meetings(
    rows: Ints,
    squads: Squads,
    motion: tuple[Floats, Floats, Floats],
    limits: tuple[float, float],
    out: Floats,
) -> None:
    """Write when robots come too near to those of each squad [s], infinity for never, and how far away that is [m].

    Args:
        rows: Who drives, shape (k,).
        squads: Those of the others that take part.
        motion: Positions and velocities, shape (n, 2) each, and radii, shape (n,).
        limits: How far into the future it looks [s], and the margin between robots [m].
        out: Shape (squads, 2).
    """
    members, starts = squads
    positions, velocities, radii = motion
    ahead, margin = limits
    for k in range(starts.size - 1):
        out[k, 0] = out[k, 1] = math.inf
        for i in rows:
            for at in range(starts[k], starts[k + 1]):
                j = members[at]
                x, y = positions[j, 0] - positions[i, 0], positions[j, 1] - positions[i, 1]
                u, v = velocities[j, 0] - velocities[i, 0], velocities[j, 1] - velocities[i, 1]
                when = -(x * u + y * v) / max(u * u + v * v, 1e-9)
                if 0.0 < when < out[k, 0]:
                    far = min(when, ahead)
                    if math.hypot(x + far * u, y + far * v) < radii[i] + radii[j] + margin:
                        out[k, 0], out[k, 1] = when, math.hypot(x, y)


@compiled
def overlapping(positions: Floats, squares: Floats, overlaps: Bools) -> None:
    """Write which robots are nearer to another one than the square root of `squares`, shape (n, n), to shape (n,)."""
    overlaps[:] = False
    for i in range(overlaps.size):
        for j in range(i):
            x, y = positions[i, 0] - positions[j, 0], positions[i, 1] - positions[j, 1]
            if x * x + y * y < squares[i, j]:
                overlaps[i] = overlaps[j] = True
