"""Formations, who takes which place, and the routes of whole squads."""

import itertools
import math

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.laws.planning import (
    FORMATIONS,
    PlanningGrid,
    assign,
    offsets,
    plan_squad,
    printed_offsets,
    rectangle,
    turned_offsets,
)
from coopsim.geometry import Floats


def gaps(places: Floats) -> Floats:
    """Return the distance of each place from its nearest neighbour [m]."""
    table = np.hypot(*(places[:, np.newaxis] - places[np.newaxis]).transpose(2, 0, 1))
    np.fill_diagonal(table, np.inf)
    nearest: Floats = table.min(axis=1)
    return nearest


@pytest.mark.parametrize("name", sorted(FORMATIONS))
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 10, 60])
def test_neighbours_of_every_formation_stand_as_far_apart_as_asked(name: str, count: int) -> None:
    places = offsets(name, count, 0.8)
    assert places.shape == (count, 2)
    if count > 1:
        assert gaps(places) == pytest.approx(np.full(count, 0.8))


def test_a_line_is_side_by_side_a_wedge_has_its_tip_ahead_and_the_inverse_behind() -> None:
    assert offsets("line", 3, 1.0).tolist() == [[0.0, 1.0], [0.0, 0.0], [0.0, -1.0]]
    assert offsets("wedge", 5, 1.0)[:, 0].max() == 0.0
    assert offsets("inverse_wedge", 5, 1.0)[:, 0].min() == 0.0


def test_a_half_circle_is_open_towards_what_lies_ahead() -> None:
    places = offsets("half_circle", 5, 1.0)
    assert places[:, 0].max() == pytest.approx(0.0, abs=1e-12)
    assert np.degrees(np.arctan2(*places[[0, -1]].T[::-1])) == pytest.approx([90.0, -90.0])


def test_places_turn_with_the_squad() -> None:
    line = offsets("line", 3, 1.0)
    assert turned_offsets(line, math.pi / 2) == pytest.approx(np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    ("name", "count", "spacing"), [("ring", 3, 1.0), ("line", 0, 1.0), ("line", 3, 0.0), ("line", 3, math.nan)]
)
def test_what_is_no_formation_is_refused(name: str, count: int, spacing: float) -> None:
    with pytest.raises(BadArgument):
        offsets(name, count, spacing)
    with pytest.raises(BadArgument):
        printed_offsets("wedge", 3, 1.0)


def test_an_assignment_is_the_best_of_all() -> None:
    noise = np.random.default_rng(3)
    robots, places = noise.uniform(-5, 5, (5, 2)), noise.uniform(-5, 5, (5, 2))
    best = min(
        sum(math.dist(robots[i], places[place]) for i, place in enumerate(order))
        for order in itertools.permutations(range(5))
    )
    taken = assign(robots, places)
    assert sorted(taken.tolist()) == list(range(5))
    assert sum(math.dist(robots[i], places[place]) for i, place in enumerate(taken)) == pytest.approx(best)


def hall() -> PlanningGrid:
    """Return a hall with a wall that leaves a way of 2 m at each end."""
    grid = PlanningGrid.covering((-10.0, -10.0), (10.0, 10.0), 0.1)
    grid.block_polygon(rectangle(0.0, 0.0, 0.0, 0.5, 16.0), 0.3)
    return grid


@pytest.mark.parametrize("formation", sorted(FORMATIONS))
def test_a_squad_goes_around_a_wall_and_stands_in_formation_at_the_goal(formation: str) -> None:
    grid, noise = hall(), np.random.default_rng(7)
    robots = noise.uniform((-9, -3), (-6, 3), (6, 2))
    route = plan_squad(grid, robots, (7.0, 0.0), formation, 0.6, heading=0.0)
    assert route is not None
    assert route.points.shape == (6, len(route.turns), 2)
    assert route.turns[-1].tolist() == [7.0, 0.0]
    assert not grid.is_blocked(route.points).any()
    wanted = offsets(formation, 6, 0.6)[route.places] + (7.0, 0.0)
    assert route.points[:, -1] == pytest.approx(wanted)
    assert sorted(route.places.tolist()) == list(range(6))


def test_a_squad_without_a_way_has_no_route() -> None:
    grid = PlanningGrid.covering((-10.0, -10.0), (10.0, 10.0), 0.1)
    grid.block_polygon(rectangle(0.0, 0.0, 0.0, 0.5, 30.0))
    assert plan_squad(grid, np.array([(-5.0, 0.0), (-5.0, 1.0)]), (5.0, 0.0), "line", 0.5) is None


@pytest.mark.parametrize("formation", sorted(FORMATIONS))
@pytest.mark.parametrize("goal", [(9.6, 9.6), (9.6, -9.6), (-9.6, 0.0)])
def test_robots_have_ends_of_their_own_where_there_is_no_room_for_the_formation(
    formation: str, goal: tuple[float, float]
) -> None:
    grid, noise = hall(), np.random.default_rng(8)
    grid.block_outside(rectangle(0.0, 0.0, 0.0, 20.0, 20.0), 0.3)
    robots = noise.uniform((-9, -3), (-6, 3), (8, 2))
    route = plan_squad(grid, robots, goal, formation, 0.8)
    assert route is not None
    ends = route.points[:, -1]
    assert gaps(ends).min() >= 0.7 * 0.8
    assert np.hypot(*(ends - goal).T).max() < 8 * 0.8
    assert not grid.is_blocked(ends).any()


def test_robots_end_together_where_there_is_room_for_one_alone() -> None:
    grid = PlanningGrid.covering((-1.0, -1.0), (1.0, 1.0), 0.1)
    grid.block_outside(rectangle(0.0, 0.0, 0.0, 0.4, 0.4))
    route = plan_squad(grid, np.array([(-0.1, 0.0), (0.1, 0.0)]), (0.0, 0.0), "line", 0.8)
    assert route is not None
    assert not grid.is_blocked(route.points).any()
