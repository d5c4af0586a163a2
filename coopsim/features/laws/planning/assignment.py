"""Assignment of places, so that all together drive the shortest way.

Source: swarm gaming, section 4.3 ("based on minimal distance").
"""

import numpy as np

from coopsim.geometry import Floats, Ints


def assign(robots: Floats, places: Floats) -> Ints:
    """Return the place of each robot: the sum of distances is smallest.

    Args:
        robots: Positions, shape (n, 2) [m].
        places: At least as many, shape (m, 2) [m].
    """
    from scipy.optimize import linear_sum_assignment

    gaps = np.hypot(*(robots[:, np.newaxis] - places[np.newaxis]).transpose(2, 0, 1))
    taken = linear_sum_assignment(gaps)[1]
    return np.asarray(taken, np.int64)
