"""The law of `sphere`: robots that fly spread over a sphere, which may turn.

Source: SwarmSimX, Fig. 3 (quadrotors in formation on a spherical surface).
"""

import math
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.interfaces import parameters_of, setting

_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Where the sphere is."""

    x: float = setting(0.0, "m", -1e4, 1e4, "of its middle")
    y: float = setting(0.0, "m", -1e4, 1e4, "of its middle")
    z: float = setting(5.0, "m", 0.0, 1e4, "of its middle, above the floor")
    radius: float = setting(3.5, "m", 0.1, 1e3, "of the sphere")
    turn: float = setting(0.0, "rad/s", -1.0, 1.0, "rate at which it turns about the upright axis")
    tolerance: float = setting(0.3, "m", 0.01, 10.0, "a robot is there when it is so near to its place")


PARAMETERS = parameters_of(Surrounding)


def spread(count: int) -> Floats:
    """Return points on a sphere of radius 1, evenly spread, from the top down, shape (n, 3).

    Source: Gonzalez, "Measurement of areas on a sphere using Fibonacci and latitude-longitude lattices" (2010).
    """
    k = np.arange(count)
    z = 1.0 - (2.0 * k + 1.0) / count
    level = np.sqrt(1.0 - z * z)
    return np.column_stack([level * np.cos(_GOLDEN * k), level * np.sin(_GOLDEN * k), z])


def shared_out(points: Floats, begins: Floats) -> Ints:
    """Return which point each robot takes: from the top down each point takes the nearest robot, seen from above.

    Args:
        points: On the sphere, from the top down, shape (n, 3).
        begins: Where the robots are, in the frame of the sphere and its radius, shape (n, 3).
    """
    taken, is_free = np.empty(len(points), np.int64), np.ones(len(points), np.bool_)
    for place, point in enumerate(points):
        away = np.where(is_free, np.hypot(*(begins[:, :2] - point[:2]).T), np.inf)
        robot = int(away.argmin())
        taken[robot], is_free[robot] = place, False
    return taken


def turned_places(points: Floats, law: Surrounding, seconds: float) -> Floats:
    """Return where points on the unit sphere are after a time, shape (n, 3) [m]."""
    cos, sin = math.cos(law.turn * seconds), math.sin(law.turn * seconds)
    turned = np.column_stack([cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]])
    found: Floats = np.array([law.x, law.y, law.z]) + law.radius * np.column_stack([turned, points[:, 2]])
    return found
