"""Drag over a tick in closed form, for devices: what they push with is held for it while speeds change.

By the speed at the beginning of a tick drag lags by half of it: a fall of a second is 6.6 mm off at 20 ms, and with
`mean_drag` less than 0.1 mm.
"""

import math

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels import compiled

_THIN = 1e-4  # drag times tick by mass, below which the closed form has no digits left


@compiled
def mean_share(drag: float, mass: float, dt: float) -> float:
    """Return by how much the mean speed of a tick is ahead of that at its beginning, for each m/s2 of gain then [s].

    In closed form: with k = drag / mass, the mean of v(t) = v_inf + (v_0 - v_inf) exp(-k t).
    """
    x = drag * dt / mass
    if x < _THIN:
        return dt * (0.5 - x / 6.0)
    return dt * (x - 1.0 + math.exp(-x)) / (x * x)


@compiled
def _mean_shares(drags: Floats, masses: Floats, dt: float) -> Floats:
    """Return `mean_share` of each body, shape (n,)."""
    shares = np.empty(masses.size)
    for i in range(masses.size):
        shares[i] = mean_share(drags[i], masses[i], dt)
    return shares


def mean_drag(drag: float | Floats, speeds: Floats, forces: Floats, masses: Floats, dt: float) -> Floats:
    """Return the drag on bodies that acts in the mean over a tick, shape (n, 3) [N]; a device adds it to its wrenches.

    It is exact where drag grows with the speed. Where it grows with the square, `drag` times the speed at the beginning
    is the coefficient that holds for the tick.

    Args:
        drag: Of each body, or of all, at least 0 [N s/m].
        speeds: Through the air at the beginning of the tick, shape (n, 3) [m/s].
        forces: Everything else that acts, gravity too unless the body stands, shape (n, 3) [N].
        masses: Shape (n,) [kg].
        dt: Tick [s].
    """
    drags = np.broadcast_to(np.asarray(drag, np.float64), masses.shape)
    ahead, ways = _mean_shares(drags, masses, dt)[:, np.newaxis], drags[:, np.newaxis]
    drag_of_tick: Floats = -ways * (speeds + ahead * (forces - ways * speeds) / masses[:, np.newaxis])
    return drag_of_tick
