"""Control laws know what cars and omnidirectional robots can do."""

import math
from dataclasses import replace

import numpy as np
import pytest
from controllers_standin import SINGLE

from coopsim.features.laws.body import sonar_bearings
from coopsim.features.laws.going import sliding
from coopsim.features.laws.speeds import drivable

CAR = replace(SINGLE, sharpest=2.0, bearings=sonar_bearings(16, math.radians(337.5)))
FREE = np.full((1, 16), np.inf)


def gaps(**near: float) -> np.ndarray:
    ranges = FREE.copy()
    for side, gap in near.items():
        middle = {"ahead": 0.0, "behind": math.pi}[side]
        away = np.abs(np.angle(np.exp(1j * (CAR.bearings - middle))))
        ranges[0, away < 0.5] = gap
    return ranges


def test_two_wheels_may_turn_on_the_spot() -> None:
    commands = np.array([[0.0, 1.0]])
    assert drivable(commands, FREE, replace(SINGLE, bearings=CAR.bearings)) is commands


def test_a_car_turns_no_sharper_than_it_can() -> None:
    assert drivable(np.array([[0.2, 3.0]]), FREE, CAR)[0] == pytest.approx([0.2, 0.4])
    assert drivable(np.array([[-0.2, 3.0]]), FREE, CAR)[0] == pytest.approx([-0.2, 0.4])
    assert drivable(np.array([[0.2, 0.1]]), FREE, CAR)[0] == pytest.approx([0.2, 0.1])


@pytest.mark.parametrize(
    ("near", "v"), [({"ahead": 0.05}, -0.2), ({"behind": 0.05}, 0.2), ({"ahead": 0.05, "behind": 0.05}, 0.0)]
)
def test_a_car_that_should_turn_where_it_stands_creeps_to_where_room_is(near, v: float) -> None:
    turned = drivable(np.array([[0.0, 1.0]]), gaps(**near), CAR)[0]
    assert turned == pytest.approx([v, abs(v) * 2.0])


def test_a_car_backs_off_where_the_room_ahead_is_less_than_its_narrowest_circle() -> None:
    assert drivable(np.array([[0.2, 1.0]]), gaps(ahead=0.3), CAR)[0] == pytest.approx([-0.2, 0.4])
    assert drivable(np.array([[0.2, 1.0]]), gaps(ahead=2.0), CAR)[0] == pytest.approx([0.2, 0.4])


def test_a_car_at_rest_stays() -> None:
    assert drivable(np.zeros((1, 2)), FREE, CAR)[0].tolist() == [0.0, 0.0]


def test_velocities_of_the_world_become_those_of_robots_that_slide() -> None:
    poses = np.array([[0.0, 0.0, math.pi / 2]])
    assert sliding(np.array([[1.0, 2.0]]), poses)[0] == pytest.approx([2.0, 0.0, -1.0])
