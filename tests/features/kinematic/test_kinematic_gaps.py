"""Gaps between circles and boxes: distances, directions and places, however both lie."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coopsim.features.kinematic.gaps import gap_between
from coopsim.geometry import Floats
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y

PLACE = st.floats(-3.0, 3.0)
HALVES = st.floats(0.05, 1.0)


def shape(x: float, y: float, half: float, width: float = 0.0, turn: float = 0.0) -> Floats:
    """Return a box of half sizes, or a circle without a width."""
    row = np.zeros(6)
    row[[X, Y, COS, SIN, HALF, HALF_WIDTH]] = x, y, math.cos(turn), math.sin(turn), half, width
    return row


SHAPE = st.builds(shape, PLACE, PLACE, HALVES, st.one_of(st.just(0.0), HALVES), st.floats(-math.pi, math.pi))


def gap(a: Floats, b: Floats) -> tuple[float, Floats]:
    normal = np.empty(4)
    return gap_between(a, b, normal), normal


def border(row: Floats) -> Floats:
    """Return many points on the border of a shape, shape (n, 2)."""
    if row[HALF_WIDTH] == 0.0:
        angles = np.linspace(0.0, 2.0 * math.pi, 1441)
        points = row[HALF] * np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        share = np.linspace(-1.0, 1.0, 361)
        ones = np.ones_like(share)
        sides = [(share, ones), (share, -ones), (ones, share), (-ones, share)]
        points = np.concatenate([np.column_stack([row[HALF] * u, row[HALF_WIDTH] * v]) for u, v in sides])
    turned: Floats = points @ np.array([[row[COS], row[SIN]], [-row[SIN], row[COS]]]) + row[[X, Y]]
    return turned


@pytest.mark.parametrize(
    ("a", "b", "distance", "normal"),
    [
        (shape(0, 0, 0.5), shape(2, 0, 0.5), 1.0, (1.0, 0.0, 1.0, 0.0)),
        (shape(0, 0, 0.5), shape(0.6, 0, 0.5), -0.4, (1.0, 0.0, 0.3, 0.0)),
        (shape(0, 0, 0.5), shape(0, -2, 1.0, 0.5), 1.0, (0.0, -1.0, 0.0, -1.0)),
        (shape(0, 0, 1.0, 0.5), shape(3, 0, 1.0, 0.5), 1.0, (1.0, 0.0, 1.5, None)),
        (shape(0, 0, 1.0, 0.5), shape(0, 0.8, 1.0, 0.5), -0.2, (0.0, 1.0, 0.0, 0.4)),
        (shape(0, 0, 0.5), shape(0, 0, 0.5), -1.0, (-1.0, 0.0, 0.0, 0.0)),  # any direction, the same in each run
    ],
)
def test_gaps_that_are_known(a: Floats, b: Floats, distance: float, normal: tuple[float | None, ...]) -> None:
    found_distance, found_normal = gap(a, b)
    assert found_distance == pytest.approx(distance)
    for value, expected in zip(found_normal, normal, strict=True):
        if expected is not None:
            assert value == pytest.approx(expected, abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(SHAPE, SHAPE)
def test_a_gap_is_the_least_distance_of_points_of_both(a: Floats, b: Floats) -> None:
    distance, normal = gap(a, b)
    assert math.hypot(normal[0], normal[1]) == pytest.approx(1.0)
    if distance > 0.0:
        points, targets = border(a), border(b)
        least = min(float(np.hypot(*(targets - point).T).min()) for point in points[::4])
        assert least == pytest.approx(distance, abs=0.05)
        assert least >= distance - 1e-9


@settings(max_examples=150, deadline=None)
@given(SHAPE, SHAPE)
def test_both_see_the_same_gap_from_opposite_sides(a: Floats, b: Floats) -> None:
    forth, back = gap(a, b), gap(b, a)
    assert forth[0] == pytest.approx(back[0], abs=1e-9)
    if forth[0] > 1e-6:
        assert forth[1][:2] == pytest.approx(-back[1][:2], abs=1e-5)


# so near that the reciprocal of the distance is no number
@example(np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0]), np.array([0.0, 2.2e-311, 1.0, 0.0, 1.0, 0.0]), 1.0)
@settings(max_examples=100, deadline=None)
@given(SHAPE, SHAPE, st.floats(1e-6, 2.0))
def test_moved_apart_along_its_direction_the_gap_grows_by_the_way(a: Floats, b: Floats, way: float) -> None:
    distance, normal = gap(a, b)
    moved = b.copy()
    moved[[X, Y]] += way * normal[:2]
    assert gap(a, moved)[0] == pytest.approx(distance + way, abs=1e-6)
