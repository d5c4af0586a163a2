"""Paths around what is in the way, their turn points, and plans for targets that move."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.laws.planning import PlanningGrid, find_path, is_clear, rectangle, replanned, turn_points
from coopsim.geometry import Floats

GOAL = (4.0, 0.0)


def walled(gap: float = 1.0) -> PlanningGrid:
    """Return a hall with a wall across it that is open at its upper end."""
    grid = PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)
    grid.block_polygon(rectangle(0.0, -gap / 2, 0.0, 0.4, 10.0 - gap), 0.2)
    return grid


def length(path: Floats) -> float:
    """Return the length of a path [m]."""
    return float(np.hypot(*np.diff(path, axis=0).T).sum())


def test_a_path_goes_around_a_wall_and_ends_where_it_should() -> None:
    grid = walled()
    path = find_path(grid, (-4.0, 0.0), GOAL)
    assert path is not None
    assert path[0].tolist() == [-4.0, 0.0]
    assert path[-1].tolist() == list(GOAL)
    assert not grid.is_blocked(path).any()


def test_turn_points_are_few_seen_from_each_other_and_the_way_is_hardly_longer_than_the_shortest() -> None:
    grid = walled()
    path = find_path(grid, (-4.0, 0.0), GOAL)
    assert path is not None
    turns = turn_points(grid, path)
    whole = np.vstack((path[:1], turns))
    assert len(turns) <= 6
    assert all(is_clear(grid, begin, end) for begin, end in itertools.pairwise(whole))
    corner = np.hypot(4.0 - 0.4, 4.2) * 2 + 0.8
    assert length(whole) <= 1.05 * corner


def test_where_nothing_is_in_the_way_the_goal_is_the_only_turn_point() -> None:
    grid = PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)
    path = find_path(grid, (-4.0, -3.0), GOAL)
    assert path is not None
    assert turn_points(grid, path).tolist() == [list(GOAL)]


def test_there_is_no_path_where_there_is_none() -> None:
    assert find_path(walled(gap=0.0), (-4.0, 0.0), GOAL) is None
    grid = walled()
    grid.blocked[:] = True
    assert find_path(grid, (-4.0, 0.0), GOAL) is None


def test_who_stands_in_a_wall_begins_beside_it() -> None:
    path = find_path(walled(), (0.1, 0.0), GOAL)
    assert path is not None
    assert path[0][0] == pytest.approx(0.45)


def test_for_a_target_that_moved_only_the_end_of_the_path_is_new() -> None:
    grid = walled()
    path = find_path(grid, (-4.0, 0.0), GOAL)
    assert path is not None
    new = replanned(grid, path, (4.0, 1.0), 2.0)
    assert new is not None
    assert new[-1].tolist() == [4.0, 1.0]
    same = int(np.argmax((path[: len(new)] != new[: len(path)]).any(axis=1)))
    assert np.hypot(*(path[same] - (4.0, 1.0))) <= 2.5
    assert same > len(path) // 2
    assert not grid.is_blocked(new).any()


def test_a_target_behind_a_wall_is_planned_for_anew() -> None:
    grid = walled()
    path = find_path(grid, (-4.0, 0.0), (-0.8, -3.0))
    assert path is not None
    new = replanned(grid, path, (0.8, -3.0), 1.0)
    assert new is not None
    assert new[-1].tolist() == [0.8, -3.0]
    assert not grid.is_blocked(new).any()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(-4.0, 4.0), st.floats(-4.0, 4.0), st.floats(0.1, 1.2)), max_size=8))
def test_no_path_ever_crosses_what_is_blocked(discs: list[tuple[float, float, float]]) -> None:
    grid = PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)
    for x, y, radius in discs:
        grid.block_disc(x, y, radius)
    path = find_path(grid, (-4.9, -4.9), (4.9, 4.9))
    if path is not None:
        turns = np.vstack((path[:1], turn_points(grid, path)))
        assert all(is_clear(grid, begin, end) for begin, end in itertools.pairwise(turns))
