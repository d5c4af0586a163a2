"""Durations in constant memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.simulation.histogram import Histogram


@given(st.integers(0, 2**62))
def test_a_duration_is_known_to_a_sixteenth_of_itself(ns) -> None:
    histogram = Histogram()
    histogram.add(ns)
    assert histogram.quantile(0.5) == pytest.approx(ns, rel=1 / 16)


def test_short_durations_are_exact_and_negative_ones_are_0() -> None:
    for ns, expected in ((0, 0), (1, 1), (15, 15), (-7, 0)):
        histogram = Histogram()
        histogram.add(ns)
        assert histogram.quantile(1.0) == expected


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=200), st.floats(0.01, 1.0))
def test_a_quantile_is_that_of_the_sorted_list(durations, share) -> None:
    histogram = Histogram()
    for ns in durations:
        histogram.add(ns)
    rank = next(k for k in range(1, len(durations) + 1) if k >= share * len(durations))
    assert histogram.quantile(share) == pytest.approx(sorted(durations)[rank - 1], rel=1 / 16)
    assert histogram.count == len(durations)


def test_a_histogram_grows_no_larger_however_many_durations_come() -> None:
    histogram = Histogram()
    before = len(histogram._slots)
    for ns in range(0, 10**6, 97):
        histogram.add(ns)
    assert len(histogram._slots) == before


def test_nothing_has_no_quantile() -> None:
    assert Histogram().quantile(0.5) is None
