"""View of cameras that look one way and not through things."""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.contract import SensingWorld
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.angles import wrapped


def visible(world: SensingWorld, rows: Ints, limits: Floats, places: Floats, seen_bodies: Ints) -> NDArray[np.bool_]:
    """Return which places are seen, shape (n, k).

    Args:
        world: Where bodies are and what hides them.
        rows: Bodies that look, shape (n,).
        limits: Reach [m], field of view [rad], whether things hide what is behind them; shape (3, n).
        places: Where they look, shape (n, k, 2) [m].
        seen_bodies: Body that is looked at, -1 = none, shape (n, k).
    """
    seen = np.empty(seen_bodies.shape, np.bool_)
    _within(world.bodies.planar, rows, limits, places, seen)
    some = np.flatnonzero(limits[2])
    if some.size == rows.size:
        world.sight_lines(rows, places, seen_bodies, seen)
    elif some.size:
        part = seen[some]
        world.sight_lines(rows[some], places[some], seen_bodies[some], part)
        seen[some] = part
    return seen


def positions_of(world: SensingWorld, targets: Floats, robots: Ints) -> tuple[Floats, Ints]:
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
def _fill(planar: Floats, bodies: Ints, targets: Floats, robots: Ints, places: Floats, seen_bodies: Ints) -> None:
    m = targets.shape[0]
    for i in range(robots.shape[0]):
        for k in range(m):
            seen_bodies[i, k], places[i, k, 0], places[i, k, 1] = -1, targets[k, 0], targets[k, 1]
        for k in range(robots.shape[1]):
            body = bodies[robots[i, k]] if robots[i, k] >= 0 else -1
            seen_bodies[i, m + k] = body
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
            bearing = wrapped(math.atan2(dy, dx) - heading)
            seen[i, k] = distance <= reach and (
                abs(bearing) <= half or limits[1, i] >= 2.0 * math.pi or distance == 0.0
            )
