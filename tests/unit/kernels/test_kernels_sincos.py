"""Compiled helpers against the library's functions."""

import numpy as np
import pytest

from coopsim.geometry import Floats
from coopsim.kernels import compiled, sincos


@compiled
def _apply(angles: Floats, sines: Floats, cosines: Floats) -> None:
    sincos(angles, sines, cosines)


def _both(angles: Floats) -> tuple[Floats, Floats]:
    sines, cosines = np.empty(angles.size), np.empty(angles.size)
    _apply(angles, sines, cosines)
    return sines, cosines


@pytest.mark.parametrize("largest", [1e-9, 1.0, 100.0, 1e6])
def test_sine_and_cosine_are_those_of_the_library(largest: float) -> None:
    quarters = np.arange(-9, 10) * np.pi / 4
    angles = np.concatenate([np.random.default_rng(1).uniform(-largest, largest, 20_000), quarters, [0.0, -0.0]])
    sines, cosines = _both(angles)
    assert np.abs(sines - np.sin(angles)).max() < 3e-16
    assert np.abs(cosines - np.cos(angles)).max() < 3e-16


def test_an_absurd_angle_gives_numbers_within_one_and_none_gives_none() -> None:
    sines, cosines = _both(np.array([1e18, -1e300, np.inf, np.nan]))
    assert np.abs(sines[:3]).max() <= 1.0
    assert np.abs(cosines[:3]).max() <= 1.0
    assert np.isnan([sines[3], cosines[3]]).all()
