"""Pairs of normal deviates, drawn eight at once, against the library's logarithm, cosine and sine."""

import math

import numpy as np
import pytest

from coopsim.kernels import compiled
from coopsim.kernels.deviates import ROOM, TABLES, draw
from coopsim.kernels.lanes import LANES


@compiled
def drawn(units, angles):
    room, unclear = np.empty((ROOM, units.size + LANES)), np.empty(units.size + LANES, np.int64)
    room[0, : units.size], room[1, : units.size] = units, angles
    draw(units.size, TABLES, room, unclear)
    return room[:2, : units.size].copy()


def of_library(units, angles):
    radii = [math.sqrt(-2.0 * math.log(unit)) for unit in units]
    return np.array(
        [
            [radius * math.cos(angle) for radius, angle in zip(radii, angles, strict=True)],
            [radius * math.sin(angle) for radius, angle in zip(radii, angles, strict=True)],
        ]
    )


def near(numbers, steps=40):
    """Return numbers and those that are up to so many last digits beside them."""
    numbers = np.array(numbers)
    return (numbers.view(np.int64)[:, None] + np.arange(-steps, steps + 1)).ravel().view(np.float64)


@pytest.mark.parametrize("seed", range(4))
def test_every_bit_of_many_pairs_is_the_library_s(seed) -> None:
    generator = np.random.default_rng(seed)
    units = (generator.integers(0, 2**53, 50_000) + 1.0) * 2.0**-53
    angles = 2.0 * math.pi * ((generator.integers(0, 2**53, 50_000) + 1.0) * 2.0**-53)
    assert drawn(units, angles).tobytes() == of_library(units, angles).tobytes()


def test_bits_are_equal_where_logarithms_and_angles_are_hard() -> None:
    """At powers of 2, at the ends of tables and steps, near 1, and where a cosine or a sine is almost 0."""
    powers = [2.0**-k for k in range(54)]
    units = near([*powers, *(math.sqrt(0.5) * power for power in powers), *(k / 64 for k in range(40, 64))])
    units = np.concatenate([units[units <= 1.0], 1.0 - 2.0 ** -np.arange(1.0, 54.0), [2.0**-53, 1.0]])
    angles = near([*(0.25 * math.pi * k for k in range(1, 9)), *((k + 0.5) / 32 for k in range(200)), 2.0**-52, 1e-9])
    angles = angles[angles <= 2.0 * math.pi]
    size = max(units.size, angles.size)
    units, angles = np.resize(units, size), np.resize(angles, size)
    assert drawn(units, angles).tobytes() == of_library(units, angles).tobytes()


def test_few_pairs_leave_what_lies_behind_them_alone() -> None:
    for count in range(LANES + 2):
        units, angles = np.linspace(0.1, 1.0, count), np.linspace(6.0, 0.1, count)
        assert drawn(units, angles).tobytes() == of_library(units, angles).reshape(2, count).tobytes()
