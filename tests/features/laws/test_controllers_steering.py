"""The last step of a law: speeds that leave time to stop, and turns before driving."""

import numpy as np
import pytest
from controllers_standin import SINGLE
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.laws.escaping import calm
from coopsim.features.laws.steering import head_for, steer


def commanded(wanted: float, turn: float, way: float, turning: float = 0.0, side: float = 1.0) -> tuple[float, float]:
    escapes = calm(1)
    escapes.turning[:], escapes.side[:] = turning, side
    v, w = steer(np.array([wanted]), np.array([turn]), np.array([way]), escapes, SINGLE)[0].tolist()
    return v, w


@given(st.floats(0.0, 1.0), st.floats(0.0, 3.0))
def test_at_every_speed_there_are_six_tenths_of_a_second_to_stop(wanted: float, way: float) -> None:
    v, w = commanded(wanted, 0.0, way)
    assert 0.6 * v <= way + 1e-12
    assert v == pytest.approx(min(wanted, way / 0.6, SINGLE.fastest))
    assert w == 0.0


@given(st.floats(0.0, 2.0), st.floats(-9.0, 9.0))
def test_no_wheel_is_asked_for_more_than_it_can(wanted: float, turn: float) -> None:
    v, w = commanded(wanted, turn, 9.0)
    assert abs(v) + SINGLE.half_track * abs(w) <= SINGLE.fastest + 1e-9
    assert abs(w) == pytest.approx(min(abs(turn), SINGLE.fastest / SINGLE.half_track))


@pytest.mark.parametrize("side", [-0.8, 0.8])
def test_who_escapes_turns_on_the_spot_whatever_else_is_wanted(side: float) -> None:
    assert commanded(0.5, -0.3, 9.0, turning=1.0, side=side) == (0.0, side)


def test_a_goal_attracts_less_where_the_way_is_not_open_and_not_at_all_in_an_escape() -> None:
    count = len(SINGLE.bearings)
    escapes = calm(1)

    def turn(gap: float) -> float:
        gaps = np.full((1, count), gap)
        return float(head_for(np.array([0.5]), gaps, escapes, body=SINGLE, strength=1.0)[0])

    free, tight = turn(3.0), turn(0.05)
    assert free > 0.0
    assert 0.0 < tight < free
