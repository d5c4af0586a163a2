"""Circles met by several rays at once, against the same formula for one ray."""

import math

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.sensing.ray_fan import BEST, DX, DY, rays_of
from coopsim.sensing.ray_quads import meet_noted

RADIUS = 0.18


def _plain(circles: Floats, noted: Ints, origin: Floats, rays: Floats) -> list[float]:
    """Return how far each ray is free."""
    nearest = []
    for dx, dy, far in zip(rays[DX].tolist(), rays[DY].tolist(), rays[BEST].tolist(), strict=True):
        best = far
        for x, y, radius in circles[:, noted].T.tolist():
            left, ahead, square = x - origin[0], y - origin[1], radius * radius
            off = left * dy - ahead * dx
            root = math.sqrt(square - off * off) if square - off * off >= 0.0 else math.nan
            t = left * dx + ahead * dy - root
            best = t if 0.0 <= t < best else best
            best = 0.0 if left * left + ahead * ahead <= square else best
        nearest.append(best)
    return nearest


@pytest.mark.parametrize("count", range(1, 26))
def test_each_ray_gets_the_bits_of_the_formula_for_one(count: int) -> None:
    random = np.random.default_rng(count)
    circles = np.stack([*random.uniform(-2.0, 2.0, (2, 50)), np.full(50, RADIUS)])
    for _ in range(20):
        origin, noted = random.uniform(-1.0, 1.0, 2), random.permutation(50)[: random.integers(0, 12)]
        rays = rays_of(random.uniform(-4.0, 4.0, count))
        rays[DX], rays[DY] = rays[0], rays[1]
        rays[BEST, :count] = random.uniform(0.1, 3.0, count)
        expected, untouched = _plain(circles, noted, origin, rays), np.delete(rays, BEST, axis=0)

        meet_noted((noted.ctypes.data, noted.size), (circles.ctypes.data, 50), origin[0], origin[1], rays)

        assert rays[BEST].tolist() == expected
        assert (np.delete(rays, BEST, axis=0) == untouched).all()


def test_from_inside_and_on_the_rim_of_a_circle_nothing_is_free() -> None:
    circles = np.array([[5.0, 0.1, RADIUS], [0.0, 0.0, 0.0], [RADIUS] * 3])
    for noted in (np.array([1]), np.array([2]), np.array([1, 0])):
        rays = rays_of(np.linspace(-1.5, 1.5, 11))
        rays[DX], rays[DY] = rays[0], rays[1]
        rays[BEST, :11] = 2.0

        meet_noted((noted.ctypes.data, noted.size), (circles.ctypes.data, 3), 0.0, 0.0, rays)

        assert not rays[BEST].any()
