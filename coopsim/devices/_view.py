"""View of cameras that look one way and not through things."""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.contract import SensingWorld
from coopsim.geometry import Floats, Ints
from coopsim.interfaces.target import WHOLE
from coopsim.kernels import compiled

_SLACK = 1e-9  # what rounding may add to the square of a distance that is exactly the reach


def look(world: SensingWorld, rows: Ints, limits: Floats, places: Floats, others: Ints) -> NDArray[np.bool_]:
    """Return which places are seen, shape (n, k).

    Args:
        world: Where bodies are and what hides them.
        rows: Bodies that look, shape (n,).
        limits: Reach [m], field of view [rad], whether things hide what is behind them; shape (3, n).
        places: Where they look, shape (n, k, 2) [m].
        others: Body that is looked at, -1 = none, shape (n, k).
    """
    seen = np.empty(others.shape, np.bool_)
    _within(world.bodies.planar, rows, limits, places, seen)
    some = np.flatnonzero(limits[2])
    if some.size == rows.size:
        world.sight_lines(rows, places, others, seen)
    elif some.size:
        part = seen[some]
        world.sight_lines(rows[some], places[some], others[some], part)
        seen[some] = part
    return seen


def nearest_seen(world: SensingWorld, rows: Ints, limits: Floats, out: Ints) -> None:
    """Write the nearest robots that are seen, as indices into `robot_names`, -1 where there are no more.

    Args:
        world: Where robots are.
        rows: Bodies that look, shape (n,).
        limits: As `look` takes them.
        out: Shape (n, slots).
    """
    is_free = (limits[1] >= WHOLE) & (limits[2] == 0.0)
    free, waiting, slots = np.flatnonzero(is_free), np.flatnonzero(~is_free), 2 * out.shape[1]
    if free.size:
        nearest = np.empty((free.size, out.shape[1]), np.int64)
        world.nearest_robots(rows[free], limits[0, free], nearest)
        out[free] = nearest
    while waiting.size:
        # mostly all of them, and then nothing needs to be copied
        whole = waiting.size == rows.size
        lookers, bounds = (rows, limits) if whole else (rows[waiting], limits[:, waiting])
        occupants, kept = np.empty((waiting.size, slots), np.int64), np.empty((waiting.size, out.shape[1]), np.int64)
        _nearest_ahead(world.bodies.planar, world.robot_bodies, lookers, bounds, occupants)
        places, occupied = places_of(world, world.target_positions[:0], occupants)
        _keep(occupants, look(world, lookers, bounds, places, occupied), kept)
        out[waiting] = kept
        # those that see too few of the near ones look farther
        waiting = waiting[(kept[:, -1] < 0) & (occupants[:, -1] >= 0)]
        slots *= 4


def places_of(world: SensingWorld, targets: Floats, robots: Ints) -> tuple[Floats, Ints]:
    """Return where targets and robots are, shape (n, m + k, 2), and their bodies, -1 = none, shape (n, m + k).

    Args:
        world: Where bodies are.
        targets: The same for all, shape (m, 3) [m].
        robots: Indices into `robot_names`, shape (n, k); -1 = infinitely far.
    """
    shape = (robots.shape[0], targets.shape[0] + robots.shape[1])
    places, occupied = np.empty((*shape, 2)), np.empty(shape, np.int64)
    _fill(world.bodies.planar, world.robot_bodies, targets, robots, places, occupied)
    return places, occupied


@compiled
def blank(seen: NDArray[np.bool_], reach: Floats, out: Floats) -> None:
    """Write (reach, 0, 0) into the slots of what is not seen, shape (n, 3 k)."""
    for i in range(seen.shape[0]):
        for k in range(seen.shape[1]):
            if not seen[i, k]:
                out[i, 3 * k], out[i, 3 * k + 1], out[i, 3 * k + 2] = reach[i], 0.0, 0.0


@compiled
def _fill(planar: Floats, bodies: Ints, targets: Floats, robots: Ints, places: Floats, others: Ints) -> None:
    m = targets.shape[0]
    for i in range(robots.shape[0]):
        for k in range(m):
            others[i, k], places[i, k, 0], places[i, k, 1] = -1, targets[k, 0], targets[k, 1]
        for k in range(robots.shape[1]):
            body = bodies[robots[i, k]] if robots[i, k] >= 0 else -1
            others[i, m + k] = body
            places[i, m + k, 0] = planar[body, 0] if body >= 0 else math.inf
            places[i, m + k, 1] = planar[body, 1] if body >= 0 else math.inf


@compiled
def _within(planar: Floats, rows: Ints, limits: Floats, places: Floats, seen: NDArray[np.bool_]) -> None:
    """Write what lies within reach and field of view."""
    for i in range(rows.size):
        x, y, heading = planar[rows[i], 0], planar[rows[i], 1], planar[rows[i], 2]
        reach, half = limits[0, i], 0.5 * limits[1, i]
        for k in range(places.shape[1]):
            dx, dy = places[i, k, 0] - x, places[i, k, 1] - y
            distance = math.sqrt(dx * dx + dy * dy)
            bearing = (math.atan2(dy, dx) - heading + math.pi) % (2.0 * math.pi) - math.pi
            seen[i, k] = distance <= reach and (
                abs(bearing) <= half or limits[1, i] >= 2.0 * math.pi or distance == 0.0
            )


@compiled
def _nearest_ahead(planar: Floats, robots: Ints, rows: Ints, limits: Floats, found: Ints) -> None:
    """Write the nearest robots within reach and field of view, equally near ones by index, -1 = no more."""
    most = found.shape[1]
    squares = np.empty(most)
    for i in range(rows.size):
        pose = planar[rows[i]]
        c, s, reach = math.cos(pose[2]), math.sin(pose[2]), limits[0, i] * limits[0, i] * (1.0 + _SLACK)
        # a little more than the field, since `_within` has the last word
        edge = math.cos(0.5 * limits[1, i]) - _SLACK if limits[1, i] < 2.0 * math.pi else -2.0
        count = 0
        for j in range(robots.size):
            dx, dy = planar[robots[j], 0] - pose[0], planar[robots[j], 1] - pose[1]
            square = dx * dx + dy * dy
            if square > reach or robots[j] == rows[i] or (count == most and square >= squares[most - 1]):
                continue
            if dx * c + dy * s < edge * math.sqrt(square):
                continue
            place = min(count, most - 1)
            while place > 0 and square < squares[place - 1]:
                squares[place], found[i, place] = squares[place - 1], found[i, place - 1]
                place -= 1
            squares[place], found[i, place] = square, j
            count = min(count + 1, most)
        found[i, count:] = -1


@compiled
def _keep(found: Ints, seen: NDArray[np.bool_], kept: Ints) -> None:
    """Write the first robots of each row that are seen, -1 where there are no more."""
    for i in range(found.shape[0]):
        count = 0
        for k in range(found.shape[1]):
            if seen[i, k] and found[i, k] >= 0 and count < kept.shape[1]:
                kept[i, count] = found[i, k]
                count += 1
        kept[i, count:] = -1
