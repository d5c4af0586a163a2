"""Where robots were, relative to one another and to everything else."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from coopsim.geometry import Bools
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.formations import formation_errors
from coopsim.metrics.gaps import gaps

_MOST = 30
"""Of more robots not all pairs are looked at."""
_FREE = 1.0
_FREE_FOR = 5.0


def formation_error(run: RunArrays) -> Mapping[str, float] | None:
    """How far the robot that is farthest from its place in a formation is from it: mean, largest, RMS, RMS if free [m].

    Free is a formation when nothing else was within a metre of any of its robots for five seconds.
    """
    errors = [
        formation_errors(np.stack([run.places(robot) for robot in each.robots], axis=1), each.places)
        for each in run.formations
    ]
    found = np.concatenate(errors) if errors else np.zeros(0)
    is_free = np.concatenate([_free(run, each.robots) for each in run.formations] or [np.zeros(0, np.bool_)])
    free = found[np.isfinite(found) & is_free]
    found = found[np.isfinite(found)]
    if not found.size:
        return None
    values = {"mean": found.mean(), "max": found.max(), "rms": np.sqrt((found**2).mean())}
    return {**values, "free_rms": np.sqrt((free**2).mean())} if free.size else values


def _free(run: RunArrays, robots: tuple[str, ...]) -> Bools:
    """Return when a formation is free, shape (k,)."""
    is_near = gaps(run, robots, with_each_other=False).least < _FREE
    last = np.maximum.accumulate(np.where(is_near, run.times, -np.inf))
    free: Bools = run.times - last > _FREE_FOR
    return free


def clearance(run: RunArrays) -> float | None:
    """Smallest gap between a robot and anything else, from hull to hull, seen from above [m]."""
    least = gaps(run, run.robots).least
    return float(np.nanmin(least)) if np.isfinite(least).any() else None


def contacts(run: RunArrays) -> float | None:
    """How often a robot came to touch something."""
    return gaps(run, run.robots).contacts if run.robots else None


def distance(run: RunArrays) -> Mapping[str, float] | None:
    """Distance between robots, from middle to middle: smallest and largest [m]."""
    if not 2 <= len(run.robots) <= _MOST:
        return None
    ways = [run.places(robot) for robot in run.robots]
    apart = [np.hypot(*(one - other).T) for one, other in combinations(ways, 2)]
    return {"min": float(np.nanmin(apart)), "max": float(np.nanmax(apart))}
