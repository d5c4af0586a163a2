"""Angles within a turn, and arrays that a kernel hands on uncounted."""

import math

import numpy as np
import pytest

from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.angles import wrapped
from coopsim.kernels.native import borrowed, keep


@compiled
def _wrap(angles: Floats, out: Floats) -> None:
    for k in range(angles.size):
        out[k] = wrapped(angles[k])


@pytest.mark.parametrize("largest", [1e-300, 3.2, 7.0, 1e3, 1e18])
def test_an_angle_within_a_turn_has_the_bits_of_the_remainder(largest: float) -> None:
    quarters = np.arange(-20, 21) * (math.pi / 2)
    edges = np.concatenate([quarters, np.nextafter(quarters, 99.0), np.nextafter(quarters, -99.0), [0.0, -0.0]])
    angles = np.concatenate([np.random.default_rng(1).uniform(-largest, largest, 5000), edges])
    out = np.empty(angles.size)
    _wrap(angles, out)
    by_remainder = [(angle + math.pi) % (2.0 * math.pi) - math.pi for angle in angles.tolist()]
    assert out.tobytes() == np.array(by_remainder).tobytes()


def test_what_is_no_angle_stays_so() -> None:
    out = np.empty(3)
    _wrap(np.array([math.nan, math.inf, -math.inf]), out)
    assert np.isnan(out).all()


@compiled
def _double(numbers: Floats) -> None:
    for k in range(numbers.size):
        numbers[k] *= 2.0


@compiled
def _sum_of_doubles(numbers: Floats) -> float:
    own = numbers.copy()
    lent = borrowed(own)
    for _ in range(1000):
        _double(lent)
        # memory that is given back too early would be used for these
        bystander = np.full(numbers.size, -1.0)
        lent[:] = 0.5 * lent + 0.0 * bystander
    _double(lent[1:])
    total = lent.sum()
    keep(own)
    return float(total)


def test_a_borrowed_array_is_the_array_itself_and_stays_until_it_is_no_longer_kept() -> None:
    numbers = np.arange(5.0)
    assert _sum_of_doubles(numbers) == 20.0
    assert numbers.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
