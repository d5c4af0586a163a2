"""Drag over a tick: what a device is given is the mean of what acts."""

import math

import numpy as np
import pytest

from coopsim.features.space.drag import mean_drag, mean_share


@pytest.mark.parametrize("drag", [1e-9, 1e-3, 0.3, 40.0])
def test_drag_over_a_tick_is_the_mean_of_what_acts(drag: float) -> None:
    speed, force, mass, dt = 3.0, -5.0, 2.0, 0.05
    fine, mean = 1e-6, 0.0
    for _ in range(round(dt / fine)):  # by the middles of fine steps
        middle = speed + 0.5 * fine * (force - drag * speed) / mass
        mean -= drag * middle * fine / dt
        speed += fine * (force - drag * middle) / mass
    got = mean_drag(drag, np.array([[3.0, 0.0, 0.0]]), np.array([[-5.0, 0.0, 0.0]]), np.array([mass]), dt)
    assert got[0, 0] == pytest.approx(mean, rel=1e-6)
    assert got[0, 1:].tolist() == [0.0, 0.0]


def test_each_body_may_have_a_drag_of_its_own_and_none_is_none() -> None:
    speeds = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -2.0, 0.0]])
    got = mean_drag(np.array([0.0, 0.5, 0.5]), speeds, np.zeros((3, 3)), np.array([1.0, 1.0, 4.0]), 0.02)
    assert got[0].tolist() == [0.0, 0.0, 0.0]
    assert -0.5 < got[1, 0] < -0.49
    assert 0.99 < got[2, 1] < 1.0


def test_a_tick_without_drag_is_ahead_by_half_of_it() -> None:
    assert mean_share(0.0, 1.0, 0.02) == pytest.approx(0.01)
    # both forms meet where one ends
    low, high = (mean_share(0.005 * (1.0 + part), 1.0, 0.02) for part in (-1e-9, 1e-9))
    assert low == pytest.approx(high, rel=1e-7)
    assert math.isfinite(mean_share(1e9, 1.0, 0.02))
