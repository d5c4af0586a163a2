"""Fans of rays: which are even, what lies within them, and how many distances are kept of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.sensing.ray_fan import (
    COUNT,
    DX,
    EACH,
    FAN,
    FIRST,
    HULL,
    PER_RADIAN,
    PER_RAY,
    RAY_COS,
    RAY_SIN,
    SIZE,
    keep_per_sector,
    rays_of,
    widest_bearing,
)


@given(st.lists(st.floats(-6.0, 6.0), min_size=1, max_size=40))
def test_rays_point_to_their_bearings_and_are_filled_up_by_rays_of_length_0(bearings: list[float]) -> None:
    rays = rays_of(np.array(bearings))
    # vectors take eight rays; what follows in the last row has room, too, however few rays there are
    assert rays.shape[1] == max(-(-len(bearings) // 8) * 8, 16)
    assert rays[RAY_COS, : len(bearings)] == pytest.approx(np.cos(bearings))
    assert rays[RAY_SIN, : len(bearings)] == pytest.approx(np.sin(bearings))
    filled = rays[: DX + 2, len(bearings) :]
    assert not filled.any()
    assert (rays[FAN, FIRST], rays[FAN, COUNT]) == (bearings[0], len(bearings))


@pytest.mark.parametrize(("first", "last", "count"), [(-1.0, 1.0, 25), (0.5, 2.5, 41), (-3.0, -1.0, 101)])
def test_evenly_spaced_rays_are_a_fan_with_so_many_per_radian(first: float, last: float, count: int) -> None:
    rays = rays_of(np.linspace(first, last, count))
    assert rays[FAN, PER_RADIAN] == pytest.approx((count - 1) / (last - first))


@pytest.mark.parametrize(
    "bearings",
    [
        np.linspace(-1.0, 1.0, 23),  # too few: each is compared with every shape
        np.linspace(1.0, -1.0, 30),
        np.linspace(-7.0, 7.0, 60),  # would meet itself
        np.linspace(-1.0, 1.0, 30) ** 3,
        np.concatenate((np.linspace(-1.0, 1.0, 29), [1.1])),
    ],
)
def test_few_backward_wide_and_uneven_rays_are_no_fan(bearings: np.ndarray) -> None:
    assert rays_of(bearings)[FAN, PER_RADIAN] == 0.0


@given(st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=20))
def test_no_ray_lies_beyond_the_widest_bearing(bearings: list[float]) -> None:
    cosine, sine = widest_bearing(np.array(bearings))
    widest = math.atan2(sine, cosine)
    assert all(abs(math.remainder(bearing, math.tau)) <= widest + 1e-9 for bearing in bearings)
    assert any(abs(math.remainder(bearing, math.tau)) == pytest.approx(widest, abs=1e-9) for bearing in bearings)


def test_a_fan_around_a_round_body_keeps_one_distance_per_sector() -> None:
    rays = rays_of(np.linspace(-1.0, 1.0, 30))
    keep_per_sector(rays, 30, 10)
    assert (rays[FAN, EACH], rays[FAN, SIZE], rays[FAN, PER_RAY]) == (3.0, 16.0, pytest.approx(1.0 / 3.0))


def test_where_hulls_differ_every_distance_is_kept() -> None:
    rays = rays_of(np.linspace(-1.0, 1.0, 30))
    rays[HULL, 7] = 0.2
    keep_per_sector(rays, 30, 10)
    assert (rays[FAN, EACH], rays[FAN, SIZE]) == (0.0, 32.0)
