"""Noise as a pure function of (seed, robot, device, tick, index).

There is no random state to save, and adding a robot changes no other noise. A number is made by hashing its
coordinates, as counter-based generators do.

Source: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); the mixing function is the
finaliser of SplitMix64 (G. Steele et al., OOPSLA 2014); normal deviates by Box and Muller (1958).
"""

import math

import numpy as np
import xxhash
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.kernels import compiled

Keys = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
# shifts of SplitMix64's finalizer; 53 bits, all that a double holds, are left after 11
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_UNIT = 2.0**-53  # from 53 random bits to (0, 1]: the logarithm of 0 is never asked for


def noise_key(seed: int, robot: str, device: str) -> int:
    """Return what makes the noise of one device of one robot its own, 64 bits."""
    return xxhash.xxh3_64_intdigest(f"{seed}\0{robot}\0{device}".encode())


@compiled
def _mixed(bits: np.uint64) -> np.uint64:
    bits = (bits ^ (bits >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return bits ^ (bits >> _31)


@compiled
def _start(key: np.uint64, tick: int) -> np.uint64:
    return _mixed(key ^ _mixed(_GOLDEN * (np.uint64(tick) + _ONE)))


@compiled
def _unit(start: np.uint64, index: int) -> float:
    """Return number `index` of a stream, within (0, 1]."""
    bits = _mixed(start + _GOLDEN * (np.uint64(index) + _ONE))
    return (float(bits >> _11) + 1.0) * _UNIT


@compiled
def _pair(start: np.uint64, index: int) -> tuple[float, float]:
    """Return the normal deviates `index` and `index + 1` of a stream; `index` is even."""
    radius = math.sqrt(-2.0 * math.log(_unit(start, index)))
    angle = 2.0 * math.pi * _unit(start, index + 1)
    return radius * math.cos(angle), radius * math.sin(angle)


@compiled
def add_noise(out: Floats, keys: Keys, tick: int, sigma: Floats) -> None:
    """Add normal noise to each row of `out`; a row whose deviation is 0 stays as it is.

    Args:
        out: Shape (n, k), changed in place.
        keys: From `noise_key`, shape (n,).
        tick: Number of the tick.
        sigma: Standard deviation of each row, shape (n,).
    """
    n, width = out.shape
    for i in range(n):
        if sigma[i] == 0.0:
            continue
        start = _start(keys[i], tick)
        for j in range(0, width, 2):
            first, second = _pair(start, j)
            out[i, j] += sigma[i] * first
            if j + 1 < width:
                out[i, j + 1] += sigma[i] * second


@compiled
def normal(keys: Keys, tick: int, out: Floats) -> None:
    """Write normal deviates of mean 0 and variance 1, shape (n, k); the same ones that `add_noise` scales."""
    n, width = out.shape
    for i in range(n):
        start = _start(keys[i], tick)
        for j in range(0, width, 2):
            out[i, j], second = _pair(start, j)
            if j + 1 < width:
                out[i, j + 1] = second


@compiled
def uniform(keys: Keys, tick: int, out: Floats) -> None:
    """Write numbers spread evenly over (0, 1], shape (n, k)."""
    n, width = out.shape
    for i in range(n):
        start = _start(keys[i], tick)
        for j in range(width):
            out[i, j] = _unit(start, j)
