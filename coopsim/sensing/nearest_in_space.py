"""The nearest robots around each robot in space."""

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.sensing.nearest import search


@compiled
def nearest_in_space(poses: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, out: Ints) -> None:
    """Write the nearest other robots by distance of their bases, equal ones by index, -1 where there are no more.

    Args:
        poses: Where the bodies are, shape (m, 7).
        robots: Body row of each robot, shape (r,).
        rows: Bodies that look, shape (n,).
        owners: Bodies of the robots that they are parts of, which do not find themselves, shape (n,).
        reach: Farthest distance, shape (n,) [m].
        out: Indices of robots, nearest first, shape (n, slots).
    """
    places, own = np.empty((robots.size, 3)), np.empty((rows.size, 3))
    for axis in range(3):
        for j in range(robots.size):
            places[j, axis] = poses[robots[j], axis]
        for i in range(rows.size):
            own[i, axis] = poses[rows[i], axis]
    search(places, robots, own, owners, reach, out)
