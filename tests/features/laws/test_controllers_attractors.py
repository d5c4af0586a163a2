"""Heading dynamics: what attracts, what repels, and how far it reaches."""

import math

import numpy as np
import pytest
from controllers_standin import SINGLE
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.laws.attractors import attract, decide, openness, repel

BEARINGS = SINGLE.bearings
FORCES = {"spread": SINGLE.spread, "radius": 0.25, "strength": 5.0, "decay": 0.4}


def one_obstacle(place: int, gap: float) -> np.ndarray:
    gaps = np.full((1, 11), np.inf)
    gaps[0, place] = gap
    return gaps


@given(st.floats(-math.pi, math.pi))
def test_the_wanted_direction_attracts_from_everywhere(bearing: float) -> None:
    turn = attract(np.array([bearing]), 1.6)[0]
    assert turn * bearing >= 0.0
    assert abs(turn) <= 1.6


def test_straight_behind_is_no_place_to_rest() -> None:
    assert abs(attract(np.array([math.pi, -math.pi]), 1.6)).tolist() == [1.6, 1.6]


def test_the_robot_turns_away_from_an_obstacle() -> None:
    left, right = (repel(one_obstacle(place, 0.3), BEARINGS, **FORCES)[0] for place in (7, 3))
    assert left < 0.0 < right
    assert left == pytest.approx(-right)


def test_what_is_nearer_repels_more_and_what_is_not_there_not_at_all() -> None:
    forces = [abs(repel(one_obstacle(6, gap), BEARINGS, **FORCES)[0]) for gap in (0.1, 0.3, 1.0, np.inf)]
    assert forces == sorted(forces, reverse=True)
    assert forces[-1] == 0.0


def test_a_repeller_has_a_limited_range_of_angles() -> None:
    """The range is Gaussian: an obstacle abeam hardly matters, one ahead does."""
    ahead, abeam = (abs(repel(one_obstacle(place, 0.5), BEARINGS, **FORCES)[0]) for place in (6, 10))
    assert abeam < 0.05 * ahead


def test_an_obstacle_dead_ahead_is_passed_on_the_roomier_side() -> None:
    gaps = one_obstacle(5, 0.2)
    pushes = {"strength": 5.0, "decay": 0.4}
    assert repel(gaps, BEARINGS, **FORCES)[0] == 0.0
    gaps[0, 7] = 0.5
    assert decide(gaps, BEARINGS, wanted=np.zeros(1), **pushes)[0] < 0.0
    gaps[0, 3] = 0.3
    assert decide(gaps, BEARINGS, wanted=np.zeros(1), **pushes)[0] > 0.0


@pytest.mark.parametrize(("wanted", "sign"), [(0.5, 1.0), (-0.5, -1.0), (0.0, 1.0)])
def test_with_equal_room_the_wanted_side_decides_and_then_the_left(wanted: float, sign: float) -> None:
    turn = decide(one_obstacle(5, 0.2), BEARINGS, strength=5.0, decay=0.4, wanted=np.array([wanted]))[0]
    assert turn * sign > 0.0


def test_an_attractor_behind_an_obstacle_fades() -> None:
    wanted = np.array([BEARINGS[7]])
    open_ways = [
        openness(one_obstacle(7, gap), BEARINGS, wanted, spread=SINGLE.spread, enough=0.8)[0]
        for gap in (0.0, 0.4, 0.8, np.inf)
    ]
    assert open_ways == [0.0, 0.5, 1.0, 1.0]
    assert openness(one_obstacle(2, 0.0), BEARINGS, wanted, spread=SINGLE.spread, enough=0.8)[0] == 1.0
