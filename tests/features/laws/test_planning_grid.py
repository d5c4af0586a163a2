"""Shapes in grids: what they block, what keeps clear, what lies outside."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.laws.planning import DiscLayer, PlanningGrid, find_path, rectangle


def grid() -> PlanningGrid:
    """Return ten by ten metres around the origin."""
    return PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)


def test_a_disc_blocks_the_cells_whose_middles_it_covers() -> None:
    cells = grid()
    cells.block_disc(1.0, -2.0, 0.5)
    rows, columns = np.nonzero(cells.blocked)
    middles = cells.middles(np.column_stack((rows, columns)))
    gaps = np.hypot(middles[:, 0] - 1.0, middles[:, 1] + 2.0)
    assert gaps.max() <= 0.5
    assert cells.blocked.sum() == pytest.approx(math.pi * 0.25 / 0.01, rel=0.1)


DISCS = st.sets(
    st.tuples(st.floats(-7.0, 7.0), st.floats(-7.0, 7.0), st.sampled_from([0.1, 0.45, 2.5, 30.0])), max_size=12
)


@given(st.lists(DISCS, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_discs_come_and_go_as_if_each_map_were_drawn_anew(steps: list[set[tuple[float, float, float]]]) -> None:
    usual = grid()
    usual.block_polygon(rectangle(0.0, 0.0, 0.3, 4.0, 1.0))
    before, layer = usual.blocked.copy(), DiscLayer(usual)
    for discs in steps:
        anew = PlanningGrid(usual.low, usual.cell, before.copy())
        for disc in discs:
            anew.block_disc(*disc)
        current = layer.map_with(discs)
        assert (current.blocked == anew.blocked).all()
        current.blocked[:] = True  # a map is its user's own
    assert (usual.blocked == before).all()


@pytest.mark.parametrize("heading", [0.0, 0.3, 1.2])
def test_a_turned_box_is_larger_by_what_keeps_clear_of_it(heading: float) -> None:
    cells = grid()
    cells.block_polygon(rectangle(0.0, 0.0, heading, 4.0, 1.0), 0.5)
    area = 4.0 * 1.0 + 2.0 * 0.5 * (4.0 + 1.0) + math.pi * 0.25
    assert cells.blocked.sum() * 0.01 == pytest.approx(area, rel=0.05)
    along = np.array([math.cos(heading), math.sin(heading)])
    assert cells.is_blocked([2.4 * along]).all()
    assert not cells.is_blocked([2.7 * along]).any()


def test_a_polygon_that_is_not_convex_keeps_its_bay_free() -> None:
    cells = grid()
    cells.block_polygon([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)])
    assert cells.is_blocked([(0.5, 2.5), (2.5, 2.5), (1.5, 0.5)]).all()
    assert not cells.is_blocked([(1.5, 2.0), (-0.5, 1.0), (1.5, 3.5)]).any()


def test_outside_of_a_border_everything_is_blocked_and_so_is_what_is_near_to_it() -> None:
    cells = grid()
    cells.block_outside(rectangle(0.0, 0.0, 0.0, 8.0, 6.0), 0.5)
    assert cells.is_blocked([(4.2, 0.0), (3.7, 0.0), (0.0, -2.8), (9.0, 0.0)]).all()
    assert not cells.is_blocked([(3.3, 0.0), (0.0, 2.3)]).any()


def test_the_nearest_free_cell_is_found_wherever_it_is() -> None:
    cells = grid()
    cells.block_polygon(rectangle(0.0, 0.0, 0.0, 6.0, 4.0))
    cell = cells.nearest_free(0.0, 1.5)
    assert cell is not None
    x, y = cells.middles([cell])[0]
    assert (abs(x) < 0.2, y) == (True, pytest.approx(2.05))
    cells.blocked[:] = True
    assert cells.nearest_free(0.0, 0.0) is None


@pytest.mark.parametrize(("high", "cell"), [((5.0, -5.0), 0.1), ((5.0, 5.0), 0.0), ((5.0, 5.0), 1e-4)])
def test_a_grid_without_cells_or_with_too_many_is_refused(high: tuple[float, float], cell: float) -> None:
    with pytest.raises(BadArgument, match="grid has"):
        PlanningGrid.covering((-5.0, -5.0), high, cell)


def test_several_borders_are_one_field_where_they_touch_and_blocked_where_they_do_not() -> None:
    grid = PlanningGrid.covering((0.0, 0.0), (6.0, 4.0), 0.1)
    west, east = [(0, 0), (3, 0), (3, 4), (0, 4)], [(3, 1), (6, 1), (6, 3), (3, 3)]
    grid.block_outside_all([west, east], 0.3)
    inside = [(1.0, 1.0), (3.0, 2.0), (5.5, 2.0)]
    assert not grid.is_blocked(inside).any()
    outside = [(5.0, 0.5), (5.0, 3.5), (0.1, 2.0), (5.9, 2.0), (2.9, 3.5), (4.0, 1.1)]
    assert grid.is_blocked(outside).all()
    apart = PlanningGrid.covering((0.0, 0.0), (6.0, 4.0), 0.1)
    apart.block_outside_all([west, [(3.5, 1), (6, 1), (6, 3), (3.5, 3)]], 0.3)
    assert apart.is_blocked([(3.2, 2.0), (2.9, 2.0), (3.6, 2.0)]).all()
    assert find_path(apart, (1.0, 2.0), (5.0, 2.0)) is None
    assert find_path(grid, (1.0, 2.0), (5.0, 2.0)) is not None
