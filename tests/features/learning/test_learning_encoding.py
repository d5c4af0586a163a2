"""Observations and actions: what a learner sees of readings, and which commands its actions are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.learning.encoding import Acting, Encoder, Observed
from coopsim.features.learning.encoding_kernels import lengths_of

READINGS = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3)


def test_readings_are_divided_by_their_scale() -> None:
    seen = Observed("sonars", scale=4.0).of(np.array([[1.0, 2.0, 3.0]]))
    assert seen.tolist() == [[0.25, 0.5, 0.75]]


def test_columns_are_seen_in_their_own_order() -> None:
    observed = Observed("gps", columns=(2, 0))
    assert observed.of(np.array([[1.0, 2.0, 3.0]])).tolist() == [[3.0, 1.0]]
    assert observed.width(3) == 2


@given(st.floats(-20.0, 20.0))
def test_an_angle_is_seen_without_a_jump(angle: float) -> None:
    observed = Observed("target", columns=(0,), is_angle=True)
    seen = observed.of(np.array([[angle]]))
    assert observed.width(1) == seen.shape[-1] == 2
    assert seen == pytest.approx(observed.of(np.array([[angle + 2.0 * math.pi]])), abs=1e-12)


def test_each_robot_sees_the_slots_of_its_own() -> None:
    readings = np.arange(12.0).reshape(2, 6)
    assert Observed("target", own=3).of(readings).tolist() == [[0.0, 1.0, 2.0], [9.0, 10.0, 11.0]]
    assert Observed("target", columns=(1,), own=3).of(readings).tolist() == [[1.0], [10.0]]


def test_slots_of_a_batch_are_those_of_each_of_its_worlds() -> None:
    readings = np.arange(24.0).reshape(2, 2, 6)
    observed = Observed("target", own=3)
    assert observed.of(readings).tolist() == [observed.of(world).tolist() for world in readings]


@given(READINGS)
def test_observations_are_numbers_from_minus_one_to_one(readings: list[float]) -> None:
    seen = Encoder([Observed("gps", scale=10.0)]).restart({"gps": np.array([readings])})
    assert seen.dtype == np.float32
    assert np.abs(seen).max() <= 1.0
    assert seen == pytest.approx(np.clip(np.array([readings]) / 10.0, -1.0, 1.0), rel=1e-6)


def test_modules_follow_each_other_as_the_task_lists_them() -> None:
    readings = {"gps": np.array([[0.1]]), "sonars": np.array([[0.2, 0.3]])}
    seen = Encoder([Observed("sonars"), Observed("gps")]).restart(readings)
    assert seen == pytest.approx(np.array([[0.2, 0.3, 0.1]]))


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_that_divides_nothing_is_refused(scale: float) -> None:
    with pytest.raises(BadArgument, match="sonars: expected a scale above 0"):
        Observed("sonars", scale=scale)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadArgument, match="gps has 3 readings, and column 3 is asked for"):
        Observed("gps", columns=(0, 3)).width(3)


def test_actions_are_the_range_of_a_command() -> None:
    acting = Acting(low=(-0.5, 0.0), high=(0.5, 2.0))
    values = acting.values(np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]))
    assert values.tolist() == [[-0.5, 0.0], [0.0, 1.0], [0.5, 2.0]]


def test_an_action_beyond_its_range_is_clipped() -> None:
    acting = Acting(low=(-0.5,), high=(0.5,))
    assert acting.values(np.array([[-7.0], [1.5]])).tolist() == [[-0.5], [0.5]]


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_an_action_that_is_no_finite_number_is_refused(wrong: float) -> None:
    with pytest.raises(BadArgument):
        Acting().values(np.array([[0.0, wrong]]))


def test_too_many_actions_are_refused() -> None:
    with pytest.raises(BadArgument):
        Acting().values(np.zeros((1, 3)))


@pytest.mark.parametrize("columns", [(), (1, 2), (2, 0)])
def test_observations_have_the_bits_of_the_arithmetic_of_numpy(columns: tuple[int, ...]) -> None:
    # a part of longer rows, as readings of a batch are
    readings = np.random.default_rng(1).normal(0.0, 2.0, (5, 4, 9))[:, :, 2:6]
    readings[1, 2] = math.nan, math.inf, -math.inf, -0.0
    observed = Observed("gps", columns=columns, scale=3.0)
    seen = Encoder([Observed("gps", columns=(3,), is_angle=True), observed]).advance({"gps": readings})
    expected = np.clip((readings[..., list(columns) or slice(None)] / 3.0).astype(np.float32), -1.0, 1.0)
    assert seen[..., 2:].tobytes() == expected.tobytes()
    assert seen[0, 0, :2] == pytest.approx([math.cos(readings[0, 0, 3]), math.sin(readings[0, 0, 3])])
    assert Encoder([observed]).advance({"gps": readings[0]}).tobytes() == expected[0].tobytes()


def test_actions_have_the_bits_of_the_arithmetic_of_numpy() -> None:
    actions = np.random.default_rng(2).normal(0.0, 1.0, (6, 3, 3))
    acting = Acting(low=(-0.3, 0.1), high=(0.7, 2.0), messages=1)
    low, high = np.array(acting.low), np.array(acting.high)
    expected = low + (high - low) * (0.5 * (np.clip(actions[..., :2], -1.0, 1.0) + 1.0))
    assert acting.values(actions).tobytes() == expected.tobytes()
    assert acting.values(actions.astype(np.float32)).shape == (6, 3, 2)
    actions[4, 1, 2] = math.inf  # a message, too, has to be a number
    with pytest.raises(BadArgument, match=r"the action at \(4, 1, 2\) is inf"):
        acting.values(actions)


@pytest.mark.parametrize(("low", "high"), [((0.0,), (1.0, 2.0)), ((0.0, 1.0), (1.0,)), ((0.0,), (math.nan,))])
def test_a_range_whose_ends_do_not_fit_is_refused(low: tuple[float, ...], high: tuple[float, ...]) -> None:
    with pytest.raises(BadArgument, match="set_velocity: expected as many finite values at -1 as at 1"):
        Acting(low=low, high=high)


def test_lengths_have_the_bits_of_norms() -> None:
    vectors = np.random.default_rng(3).normal(0.0, 5.0, (7, 5, 3))
    assert lengths_of(vectors).tobytes() == np.linalg.norm(vectors[..., :2], axis=-1).tobytes()
