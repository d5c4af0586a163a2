"""How long and how far."""

from collections.abc import Mapping

import numpy as np

from coopsim.metrics.arrays import RunArrays


def time(run: RunArrays) -> float:
    """Simulated time from the first record to the last [s]."""
    return run.duration


def path_length(run: RunArrays) -> Mapping[str, float] | None:
    """Way of the robots: mean, and of the one that went farthest [m]."""
    if not run.robots:
        return None
    steps = [np.hypot(*np.diff(run.places(robot), axis=0).T) for robot in run.robots]
    ways = [float(np.nansum(each)) for each in steps]
    return {"mean": float(np.mean(ways)), "max": max(ways)}


def energy(run: RunArrays) -> float | None:
    """The least energy that drives took to move the robots: all rises of their kinetic energies [J]."""
    if not run.robots:
        return None
    total = 0.0
    for robot in run.robots:
        speeds = (run.twists(robot)[:, :3] ** 2).sum(axis=1)
        rises = np.diff(0.5 * run.entities[robot].mass * speeds)
        total += float(rises[rises > 0.0].sum())
    return total
