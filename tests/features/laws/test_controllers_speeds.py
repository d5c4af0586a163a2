"""How fast: free way, braking, wheels; and what stuck robots do."""

import math

import numpy as np
import pytest
from controllers_standin import SINGLE, Arena, Box, Circle
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.laws import escaping
from coopsim.features.laws.speeds import brake, free_way, within_wheels

numbers = st.floats(-20.0, 20.0)


def test_the_free_way_ends_where_the_hull_would_touch() -> None:
    gaps = np.full((1, 11), np.inf)
    assert free_way(gaps, SINGLE.bearings, radius=0.25, margin=0.0)[0] == np.inf
    gaps[0, 5] = 0.6
    assert free_way(gaps, SINGLE.bearings, radius=0.25, margin=0.0)[0] == pytest.approx(0.6)
    assert free_way(gaps, SINGLE.bearings, radius=0.25, margin=0.1)[0] == pytest.approx(0.5)


def test_what_lies_beside_the_way_or_behind_does_not_end_it() -> None:
    gaps = np.full((1, 11), np.inf)
    gaps[0, [0, 1, 9, 10]] = 0.05
    assert free_way(gaps, SINGLE.bearings, radius=0.25, margin=0.05)[0] == np.inf


def test_a_robot_slows_as_the_way_gets_short() -> None:
    assert brake(np.array([0.3, 0.3]), np.array([np.inf, 0.1]), time=0.5).tolist() == [0.3, 0.2]


@given(numbers, numbers)
def test_both_wheels_can_follow_every_command(v: float, w: float) -> None:
    (speed, turn), *_ = within_wheels(np.array([v]), np.array([w]), half_track=0.18, fastest=0.5)
    assert abs(speed) + 0.18 * abs(turn) <= 0.5 + 1e-9
    assert speed * v >= 0.0
    assert turn * w >= 0.0


def advance(state: escaping.Escapes, seconds: float, **changes: object) -> escaping.Escapes:
    given = {
        "speeds": np.zeros(1),
        "wants": np.ones(1, bool),
        "gaps": np.full((1, 11), 0.1),
        "bearings": SINGLE.bearings,
        "way": np.zeros(1),
    } | changes
    for _ in range(round(seconds / 0.05)):
        state = escaping.advance(state, dt=0.05, **given)
    return state


def test_who_stands_for_long_though_it_wants_to_move_turns_to_where_there_is_room() -> None:
    gaps = np.full((1, 11), 0.1)
    gaps[0, :5] = 3.0
    early = advance(escaping.calm(1), escaping.PATIENCE - 0.2, gaps=gaps)
    assert not early.active[0]
    late = advance(early, 0.5, gaps=gaps)
    assert late.active[0]
    assert late.side[0] == -1.0


def test_who_found_room_drives_off_and_is_calm_again() -> None:
    stuck = advance(escaping.calm(1), escaping.PATIENCE + 0.2)
    free = advance(stuck, 0.05, way=np.full(1, 2.0))
    assert free.turning[0] == 0.0
    assert free.driving[0] > 0.0
    assert not advance(free, escaping.DRIVE + 0.1, speeds=np.full(1, 0.3)).active[0]


def test_who_finds_no_room_drives_off_all_the_same() -> None:
    stuck = advance(escaping.calm(1), escaping.PATIENCE + 0.2)
    assert advance(stuck, escaping.LONGEST_TURN).driving[0] > 0.0


@pytest.mark.parametrize("changes", [{"wants": np.zeros(1, bool)}, {"speeds": np.full(1, 0.2)}])
def test_who_moves_or_wants_nothing_is_not_stuck(changes: dict[str, object]) -> None:
    assert not advance(escaping.calm(1), 10.0, **changes).active[0]


def test_the_stand_in_measures_what_it_should() -> None:
    arena = Arena(np.array([[0.0, 0.0, 0.0]]), [Box(2.0, 0.0, 0.2, 2.0), Circle(0.0, 1.25, 0.5)])
    ranges = arena.ranges()[0]
    assert ranges[5] == pytest.approx(1.65)
    assert arena.smallest_gap() == pytest.approx(0.5)
    assert ranges[0] == SINGLE.reach
    turned = Arena(np.array([[0.0, 0.0, math.pi / 2]]), [Box(0.0, 2.0, 2.0, 0.2, math.pi)])
    assert turned.ranges()[0, 5] == pytest.approx(1.65)
