"""Errors that wander: first-order Gauss-Markov processes and random walks, advanced exactly over any time.

Source: IEEE Std 952-1997, appendix B; a Gauss-Markov process of deviation s and correlation time T keeps the share
exp(-t / T) of itself over a time t.
"""

import math
from typing import Final

import numpy as np

from coopsim.devices.noise import Keys, normal, uniform
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

PEAK: Final = 0.6176
"""Peak of the Allan deviation of a Gauss-Markov process by its standard deviation; at 1.89 correlation times."""
# any odd words do: they keep the uses of a robot's key apart
_WANDER, _WALK = np.uint64(0x3D4D51C2D82B14B1), np.uint64(0x8CB92BA72F3D8DD7)
_OUTAGE = np.uint64(0x71B5C8D40E93A62F)
"""Make the keys of errors that wander, and of outages, others than those of noise."""


@compiled
def wander(rows: Ints, keys: Keys, tick: int, elapsed: Floats, correlations: Floats, errors: Floats) -> None:
    """Advance Gauss-Markov processes of variance 1, which are stationary from the first call on.

    Args:
        rows: Robots whose errors go on, shape (k,).
        keys: What makes the noise of each robot its own, shape (n,).
        tick: Number of the tick.
        elapsed: Time since the last call, infinite = there was none, shape (n,) [s].
        correlations: Correlation time of the processes of each robot, shape (n,) [s].
        errors: Changed in place, shape (n, c).
    """
    deviates, key = np.empty((1, errors.shape[1])), np.empty(1, np.uint64)
    for i in rows:
        key[0] = keys[i] ^ _WANDER
        normal(key, tick, deviates)
        kept = math.exp(-elapsed[i] / correlations[i])
        renewed = math.sqrt(1.0 - kept * kept)
        for k in range(errors.shape[1]):
            errors[i, k] = kept * errors[i, k] + renewed * deviates[0, k]


@compiled
def walk(rows: Ints, keys: Keys, tick: int, elapsed: Floats, growths: Floats, errors: Floats) -> None:
    """Advance random walks, which begin at 0.

    Args:
        rows: Robots whose errors go on, shape (k,).
        keys: What makes the noise of each robot its own, shape (n,).
        tick: Number of the tick.
        elapsed: Time since the last call, infinite = there was none, shape (n,) [s].
        growths: Standard deviation after a second, shape (n, c).
        errors: Changed in place, shape (n, c).
    """
    deviates, key = np.empty((1, errors.shape[1])), np.empty(1, np.uint64)
    for i in rows:
        key[0] = keys[i] ^ _WALK
        normal(key, tick, deviates)
        spread = math.sqrt(elapsed[i]) if elapsed[i] < math.inf else 0.0
        for k in range(errors.shape[1]):
            errors[i, k] += spread * growths[i, k] * deviates[0, k]


@compiled
def pass_time(rows: Ints, now: Floats, dt: float, clock: Floats, elapsed: Floats) -> None:
    """Write the time that passed for some robots since the last call, infinite where there was none.

    Args:
        rows: Robots, shape (k,).
        now: Clocks of a timed device in its first column, shape (n, ...) [ns]; without columns time goes on by `dt`.
        dt: Length of the tick [s].
        clock: Time of the last call, 0 = there was none, in its first column; changed in place [ns].
        elapsed: Written, shape (n,) [s].
    """
    is_timed = now.shape[1] > 0
    for i in rows:
        elapsed[i] = math.inf if clock[i, 0] == 0.0 else dt
        if is_timed:
            if clock[i, 0] > 0.0:
                elapsed[i] = (now[i, 0] - clock[i, 0]) * 1e-9
            clock[i, 0] = now[i, 0]
        else:
            clock[i, 0] = 1.0


@compiled
def black_out(rows: Ints, keys: Keys, times: Floats, lengths: Floats, shares: Floats, chances: Floats) -> None:
    """Clear the chance of what is measured during an outage.

    Time is cut into pieces of the length of an outage; a share of the pieces, drawn for each by itself, is one.

    Args:
        rows: Robots that measure, shape (k,).
        keys: What makes the noise of each robot its own, shape (n,).
        times: Of their clocks, shape (k,) [s].
        lengths: Of a piece, shape (n,) [s].
        shares: Of the pieces that are outages, shape (n,).
        chances: Chance of each measurement to be lost only if it is this small, shape (k,).
    """
    luck, key = np.empty((1, 1)), np.empty(1, np.uint64)
    for k in range(rows.size):
        i = rows[k]
        if shares[i] > 0.0:
            key[0] = keys[i] ^ _OUTAGE
            uniform(key, int(times[k] / lengths[i]), luck)
            if luck[0, 0] <= shares[i]:
                chances[k] = 0.0
