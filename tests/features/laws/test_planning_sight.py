"""Lines of sight on a grid."""

import numpy as np
import pytest

from coopsim.features.laws.planning import PlanningGrid, find_path, is_clear
from coopsim.features.laws.planning.sight import sees
from coopsim.geometry import Floats, Ints


def meets(line: Floats, cell: Ints, margin: float) -> bool:
    """Return whether a line, x0, y0, x1 and y1, meets the square of a cell that is smaller by a margin all around."""
    begin, way = line[:2], line[2:] - line[:2]
    low, high = cell[::-1] + margin, cell[::-1] + 1.0 - margin
    with np.errstate(divide="ignore", invalid="ignore"):
        first, last = np.sort(((low - begin) / way, (high - begin) / way), axis=0)
    along = way != 0.0
    stands = np.all((low <= begin) & (begin <= high) | along)
    return bool(stands and max([0.0, *first[along]]) <= min([1.0, *last[along]]))


def test_a_line_is_clear_exactly_where_it_crosses_no_blocked_cell() -> None:
    noise = np.random.default_rng(3)
    verdicts = set()
    lines = noise.uniform((0.0, 0.0, 0.0, 0.0), (9.0, 8.0, 9.0, 8.0), (3000, 4))
    lines[::3] = np.floor(lines[::3]) + 0.5  # through corners, and along rows and columns
    for line in lines:
        blocked = noise.random((8, 9)) < 0.15
        cells = np.argwhere(blocked)
        if any(meets(line, cell, 1e-9) for cell in cells):
            assert not sees(blocked, *line)
        elif not any(meets(line, cell, -1e-9) for cell in cells):
            assert sees(blocked, *line)
        verdicts.add(sees(blocked, *line))
    assert verdicts == {True, False}


@pytest.mark.parametrize("corner", [(0, 1), (1, 0)])
def test_a_line_past_the_corner_of_a_blocked_cell_is_not_clear(corner: tuple[int, int]) -> None:
    blocked = np.zeros((2, 2), np.bool_)
    assert sees(blocked, 0.5, 0.5, 1.5, 1.5)
    blocked[corner] = True
    assert not sees(blocked, 0.5, 0.5, 1.5, 1.5)


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


def test_on_a_large_map_the_shortest_way_leads_through_a_passage_of_one_cell() -> None:
    grid = PlanningGrid.covering((0.0, 0.0), (40.0, 40.0), 0.1)
    wall = np.zeros(grid.blocked.shape, np.bool_)
    wall[:, 200:203] = True
    grid = PlanningGrid(grid.low, grid.cell, wall)
    assert find_path(grid, (5.0, 5.0), (35.0, 5.0)) is None
    wall[[30, *range(200, 204)], :] = False
    narrow = find_path(PlanningGrid(grid.low, grid.cell, wall), (5.0, 5.0), (35.0, 5.0))
    assert narrow is not None
    assert narrow[:, 1].max() < 5.1
