"""Noise as a pure function of (seed, robot, device, tick, index).

There is no random state to save, and adding a robot changes no other noise. A number is made by hashing its
coordinates, as counter-based generators do.

Source: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); the mixing function is the
finaliser of SplitMix64 (G. Steele et al., OOPSLA 2014); normal deviates by Box and Muller (1958).
"""

import math
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.kernels import compiled, inlined
from coopsim.kernels.deviates import ROOM, TABLES, draw
from coopsim.kernels.lanes import LANES
from coopsim.kernels.parts import in_parts
from coopsim.kernels.sequence import TICK, KernelCall
from coopsim.kernels.threads import THREADS

Keys = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
# shifts of SplitMix64's finalizer; 53 bits, all that a double holds, are left after 11
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_PAIRS = 64  # of numbers that are computed together
MANY = 40_000
"""Numbers from which on several cores are faster: they take 200 to 400 us, and to wake a thread up to 50."""
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


@inlined
def _group(width: int) -> tuple[int, int]:
    """Return how many pairs of numbers a row has, and how many rows are computed together."""
    pairs = (width + 1) // 2
    return pairs, max(1, _PAIRS // max(pairs, 1))


@inlined
def _begin(start: np.uint64, place: int, pairs: int, room: Floats) -> None:
    """Write what `draw` makes the first pairs of a stream of, from one place on."""
    for k in range(pairs):
        room[0, place + k], room[1, place + k] = _unit(start, 2 * k), 2.0 * math.pi * _unit(start, 2 * k + 1)


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
    pairs, group = _group(width)
    room, unclear = np.empty((ROOM, group * pairs + LANES)), np.empty(group * pairs + LANES, np.int64)
    for first in range(0, n, group):
        last, place = min(first + group, n), 0
        for i in range(first, last):
            if sigma[i] != 0.0:
                _begin(_start(keys[i], tick), place, pairs, room)
                place += pairs
        draw(place, TABLES, room, unclear)
        place = 0
        for i in range(first, last):
            if sigma[i] != 0.0:
                for j in range(width):
                    out[i, j] += sigma[i] * room[j & 1, place + (j >> 1)]
                place += pairs


@compiled
def normal(keys: Keys, tick: int, out: Floats) -> None:
    """Write normal deviates of mean 0 and variance 1, shape (n, k); the same ones that `add_noise` scales."""
    n, width = out.shape
    pairs, group = _group(width)
    room, unclear = np.empty((ROOM, group * pairs + LANES)), np.empty(group * pairs + LANES, np.int64)
    for first in range(0, n, group):
        last = min(first + group, n)
        for i in range(first, last):
            _begin(_start(keys[i], tick), (i - first) * pairs, pairs, room)
        draw((last - first) * pairs, TABLES, room, unclear)
        for i in range(first, last):
            for j in range(width):
                out[i, j] = room[j & 1, (i - first) * pairs + (j >> 1)]


def normal_calls(keys: Keys, out: Floats) -> tuple[KernelCall, ...]:
    """Return what `normal` comes to in each tick, shared by threads where there are many numbers."""

    def part(first: int, last: int) -> tuple[Any, ...]:
        return keys[first:last], TICK, out[first:last]

    return in_parts(normal, keys.size, THREADS.sharing(out.size, MANY), part)


@compiled
def uniform(keys: Keys, tick: int, out: Floats) -> None:
    """Write numbers spread evenly over (0, 1], shape (n, k)."""
    n, width = out.shape
    for i in range(n):
        start = _start(keys[i], tick)
        for j in range(width):
            out[i, j] = _unit(start, j)
