"""Lines of sight on a grid."""

import numpy as np
import pytest

from coopsim.planning import PlanningGrid, find_path, is_clear
from coopsim.planning.sight import sees


def test_a_line_is_clear_exactly_where_every_half_cell_of_it_is_free() -> None:
    noise = np.random.default_rng(3)
    blocked = noise.random((20, 30)) < 0.05
    found = set()
    for x0, y0, x1, y1 in noise.uniform((0.0, 0.0, 0.0, 0.0), (30.0, 20.0, 30.0, 20.0), (200, 4)):
        along = np.arange(2 + int(2.0 * np.hypot(x1 - x0, y1 - y0))) / (1 + int(2.0 * np.hypot(x1 - x0, y1 - y0)))
        x, y = (x0 + (x1 - x0) * along).astype(int), (y0 + (y1 - y0) * along).astype(int)
        is_free = not blocked[y, x].any()
        assert sees(blocked, x0, y0, x1, y1) is is_free
        found.add(is_free)
    assert found == {True, False}


@pytest.mark.parametrize("end", [(-0.1, 5.0), (5.0, -0.1), (30.0, 5.0), (5.0, 20.0)])
def test_what_lies_outside_is_not_seen(end: tuple[float, float]) -> None:
    assert not sees(np.zeros((20, 30), np.bool_), 5.0, 5.0, *end)


def test_a_goal_that_is_seen_is_reached_in_a_straight_line() -> None:
    grid = PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)
    grid.block_disc(0.0, 3.0, 1.0)
    path = find_path(grid, (-4.0, -1.0), (4.0, 0.5))
    assert path is not None
    np.testing.assert_array_equal(path[[0, -1]], [(-4.0, -1.0), (4.0, 0.5)])
    slopes = np.diff(path, axis=0)
    np.testing.assert_allclose(slopes, np.broadcast_to(slopes[0], slopes.shape), atol=1e-12)
    assert is_clear(grid, path[0], path[-1])


def test_a_large_map_is_searched_with_larger_cells_first_and_then_finds_passages_of_one_cell() -> None:
    grid = PlanningGrid.covering((0.0, 0.0), (40.0, 40.0), 0.1)
    grid.block_polygon([(20.0, -1.0), (20.2, -1.0), (20.2, 41.0), (20.0, 41.0)])
    assert find_path(grid, (5.0, 5.0), (35.0, 5.0)) is None
    grid.blocked[30, :] = False
    grid._weights = grid._halved = None
    narrow = find_path(grid, (5.0, 5.0), (35.0, 5.0))
    assert narrow is not None
    assert not grid.is_blocked(narrow).any()
    grid.blocked[200:204, :] = False
    grid._weights = grid._halved = None
    wide = find_path(grid, (5.0, 5.0), (35.0, 5.0))
    assert wide is not None
    assert wide[:, 1].max() > 20.0
