"""Gaps between rectangles: those that cross without a corner in one another are no gap."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_metrics_pieces import part

from coopsim.geometry import Floats
from coopsim.metrics import ArrayPart, RunArrays
from coopsim.metrics.gaps import _Body, _edges, _measure, gaps
from coopsim.state import PlacedVisual

Rectangle = tuple[float, float, float, float, float]
"""x, y [m], heading [rad], length, width [m]."""
rectangles = st.tuples(
    st.floats(-3.0, 3.0),
    st.floats(-3.0, 3.0),
    st.floats(-math.pi, math.pi),
    st.floats(0.05, 4.0),
    st.floats(0.05, 4.0),
)


def body(rectangle: Rectangle) -> _Body:
    x, y, heading, length, width = rectangle
    pose = np.array([[x, y, 0.0, math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)]])
    return _Body(pose, "box", (length, width, 1.0))


def corners(rectangle: Rectangle) -> Floats:
    x, y, heading, length, width = rectangle
    local = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) * (length / 2, width / 2)
    turn = np.array([[math.cos(heading), -math.sin(heading)], [math.sin(heading), math.cos(heading)]])
    return np.asarray(local @ turn.T + (x, y))


def expected_gap(one: Rectangle, other: Rectangle) -> float:
    """Return how far the origin is from the convex hull of all differences of corners."""
    points = (corners(one)[:, None] - corners(other)[None]).reshape(-1, 2)
    bearings = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    widest = np.diff(np.append(bearings, bearings[0] + 2.0 * math.pi)).max()
    if widest <= math.pi:  # in no half-plane: the origin lies inside
        return 0.0
    least = np.inf
    for begin in points:
        ways = points - begin
        lengths = np.maximum((ways**2).sum(axis=1), 1e-300)
        along = np.clip(-(ways @ begin) / lengths, 0.0, 1.0)
        least = min(least, float(np.hypot(*(begin + along[:, None] * ways).T).min()))
    return least


@pytest.mark.parametrize("turn", [0.0, 0.4, math.pi / 2])
def test_bars_that_cross_as_a_plus_sign_touch(turn: float) -> None:
    along, across = (0.0, 0.0, turn, 4.0, 0.2), (0.3, 0.1, turn + math.pi / 2, 4.0, 0.2)
    assert body(along).gap(body(across))[0] == 0.0


@given(rectangles, rectangles)
def test_a_gap_is_the_distance_of_the_hulls_whichever_comes_first(one: Rectangle, other: Rectangle) -> None:
    gap = body(one).gap(body(other))[0]
    assert gap == pytest.approx(expected_gap(one, other), abs=1e-9)
    assert body(other).gap(body(one))[0] == pytest.approx(gap, abs=1e-12)


def test_who_stands_in_a_notch_has_the_gap_to_its_edges() -> None:
    notch = (-1.5, -1.5, 1.5, -1.5, 1.5, 1.5, 0.5, 1.5, 0.5, -0.5, -0.5, -0.5, -0.5, 1.5, -1.5, 1.5)
    upright = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    visual = PlacedVisual("polygon", (3.0, 3.0, 0.5), upright, (0.5, 0.5, 0.5), "", "", "", notch)
    turned = math.sqrt(0.5)
    poses = np.array([[4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, turned, 0.0, 0.0, turned]])
    robot = _Body(np.array([[4.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0]] * 2), "cylinder", (0.4, 0.4, 0.3))
    edges = list(_edges(poses, visual))
    least = np.min([robot.gap(edge) for edge in edges], axis=0)
    # deep in the notch first; then that is turned away, and an edge runs through the robot
    assert len(edges) == 8
    assert least == pytest.approx([0.3, 0.0])
    assert all(edge.is_level_with(robot).all() for edge in edges)


def spread(chance: np.random.Generator, names: str, side: float) -> ArrayPart:
    """Return a part of a run in which robots of a square drift by 0.2 m at most."""
    run = part(chance, names, len(names), 0.0)
    begins = chance.uniform(0.0, side, (1, len(names), 2))
    run.poses[:, :, :2] = begins + chance.uniform(0.0, 0.2, (len(run.poses), len(names), 2))
    return run


@pytest.mark.parametrize("side", [1.0, 3.0, 12.0])
@pytest.mark.parametrize("with_each_other", [True, False])
def test_who_is_left_out_since_it_is_always_far_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, side: float, with_each_other: bool
) -> None:
    """A crowd has millions of pairs; half of the robots come when half of the time is over."""
    chance = np.random.default_rng(round(side))
    run = RunArrays([spread(chance, "abcdefgh", side), spread(chance, "abcdefghijklmnop", side)])
    measured: list[_Body] = []

    def measure(one: _Body, *values: Any) -> None:
        measured.append(one)
        _measure(one, *values)

    monkeypatch.setattr("coopsim.metrics.gaps._measure", measure)
    near = gaps(run, tuple("abcmop"), with_each_other=with_each_other)
    few = len(measured)
    monkeypatch.setattr(_Body, "limit", lambda _body, _least: math.inf)
    every = gaps(run, tuple("abcmop"), with_each_other=with_each_other)
    assert near.least.tobytes() == every.least.tobytes()
    assert near.contacts == every.contacts
    assert (near.touching_first, near.touching_last) == (every.touching_first, every.touching_last)
    assert len(measured) - few == 75 - 15 * (not with_each_other)
    assert side == 1.0 or few < len(measured) - few
