"""`sphere`: quadrotors keep places on a sphere.

python -m coopsim.features.laws.sphere --robots q1 q2 q3 --z 5 --radius 3.5

Source: SwarmSimX, Fig. 3 (quadrotors in formation on a spherical surface).
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import options
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, need_modules, one_type
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Quadrotors keep places on a sphere, which may turn; nobody comes near another one."
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))  # the golden angle spreads points evenly over a sphere


@dataclass(frozen=True, slots=True)
class SphereParameters:
    """Parameters of the law `sphere`."""

    x: float = setting(0.0, "m", -1e4, 1e4, "of its middle")
    y: float = setting(0.0, "m", -1e4, 1e4, "of its middle")
    z: float = setting(5.0, "m", 0.0, 1e4, "of its middle, above the floor")
    radius: float = setting(3.5, "m", 0.1, 1e3, "of the sphere")
    turn: float = setting(0.0, "rad/s", -1.0, 1.0, "rate at which it turns about the upright axis")
    tolerance: float = setting(0.3, "m", 0.01, 10.0, "a robot is there when it is so near to its place")


PARAMETERS = parameters_of(SphereParameters)


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


def turned_places(points: Floats, law: SphereParameters, seconds: float) -> Floats:
    """Return where points on the unit sphere are after a time, shape (n, 3) [m]."""
    cos, sin = math.cos(law.turn * seconds), math.sin(law.turn * seconds)
    turned = np.column_stack([cos * points[:, 0] - sin * points[:, 1], sin * points[:, 0] + cos * points[:, 1]])
    points_on_sphere: Floats = np.array([law.x, law.y, law.z]) + law.radius * np.column_stack([turned, points[:, 2]])
    return points_on_sphere


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive quadrotors until the run ends; return the exit code."""
    chosen = options.parser("sphere", _SUMMARY, PARAMETERS).parse_args(arguments)
    tuned = Tuned("sphere", options.chosen(chosen, SphereParameters, PARAMETERS), PARAMETERS)
    return drive("sphere", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, tuned))


def _make_law(sim: Client, stepper: Stepper, tuned: Tuned[SphereParameters]) -> Law:
    need_modules(stepper, *NEEDS["sphere"].modules)
    kind = one_type(stepper, "quadrotors that surround the same sphere must be of one type")
    tuned.offer(sim, stepper.robots)
    takes, clock, law = stepper.layout.types[kind].takes, Clock(sim), tuned.at(0)
    begins = np.array([sim.world.get(robot).pose[:3] for robot in stepper.robots])
    points = spread(len(begins))
    points = points[shared_out(points, (begins - (law.x, law.y, law.z)) / law.radius)]
    seconds, were_there = 0.0, False

    def decide(seen: Readings) -> Floats:
        nonlocal seconds, were_there
        law = tuned.at(seen.tick)
        seconds += clock.elapsed(seen.tick)
        wanted = turned_places(points, law, seconds)
        away = np.linalg.norm(seen.pose.position - wanted, axis=1)
        if not were_there and (away <= law.tolerance).all():
            were_there = True
            sys.stdout.write(f"sphere: {len(away)} at their places, tick {seen.tick}\n")
        return takes.filled(len(wanted), potentials=dict(zip("xyz", wanted.T, strict=True)))

    return decide


if __name__ == "__main__":
    sys.exit(main())
