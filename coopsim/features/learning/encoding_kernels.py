"""Kernels of observations and actions, each one pass over all worlds where NumPy makes several.

Each number has the bits that NumPy's arithmetic gives it: one policy sees the same in a batch, and on a robot.
"""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.kernels import compiled_for_threads

_HIGHEST, _LOWEST = np.float32(1.0), np.float32(-1.0)
"""Every number of an observation lies between these, so that spaces are finite."""


@compiled_for_threads
def write_scaled(seen: Floats, scale: float, first: int, observations: NDArray[np.float32]) -> None:
    """Write numbers, divided and clipped to -1 and 1, among those of observations; what is no number stays so.

    Args:
        seen: Readings of robots, shape (worlds, robots, n), anywhere in memory.
        scale: What they are divided by.
        first: Column of the first of them in the observations.
        observations: Shape (worlds, robots, numbers).
    """
    for world in range(seen.shape[0]):
        for robot in range(seen.shape[1]):
            for k in range(seen.shape[2]):
                number = np.float32(seen[world, robot, k] / scale)
                number = min(number, _HIGHEST)
                observations[world, robot, first + k] = max(number, _LOWEST)


@compiled_for_threads
def write_values(actions: Floats, low: Floats, high: Floats, values: Floats) -> bool:
    """Write what actions are as values of a command; those beyond -1 and 1 are clipped.

    Args:
        actions: Shape (robots, numbers); numbers behind those of the command are only looked at.
        low: Values at -1, shape (n,).
        high: Values at +1, shape (n,).
        values: Shape (robots, n).

    Returns:
        Whether all actions are finite.
    """
    is_finite = True
    for robot in range(actions.shape[0]):
        for k in range(actions.shape[1]):
            is_finite &= math.isfinite(actions[robot, k])
        for k in range(low.size):
            action = min(max(actions[robot, k], -1.0), 1.0)
            values[robot, k] = low[k] + (high[k] - low[k]) * (0.5 * (action + 1.0))
    return is_finite


def lengths_of(vectors: Floats) -> Floats:
    """Return the lengths of plane vectors, shape (..., 2), with the bits of `np.linalg.norm`, which takes longer."""
    x, y = vectors[..., 0], vectors[..., 1]
    lengths: Floats = np.sqrt(x * x + y * y)
    return lengths
