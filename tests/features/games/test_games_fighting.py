"""Squads that have met: each robot goes to a place of its own from which it sees an enemy."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from coopsim.features.games.logic.bots import make_bot
from coopsim.features.games.logic.fighting import FightSquad
from coopsim.features.games.logic.firing import firing_place
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.nearness import is_seen
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.ways import joined
from coopsim.features.laws.planning import PlanningGrid
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

RANGE, RADIUS = 2.5, 0.15
NOWHERE = np.full((4, 2), np.nan)


def searched(places: Floats, ends: Floats, grid: PlanningGrid, part: int = 1) -> Floats | None:
    """Return where robot 0 shoots at robot 1 from, None where it cannot."""
    bodies = places, np.full(len(places), RADIUS), np.empty((0, 4))
    field, place = (grid.parts, np.array((*grid.low, grid.cell)), part), np.empty(2)
    return place if firing_place((0, np.array([1])), RANGE, bodies, ends, field, place) else None


@pytest.fixture
def grid() -> PlanningGrid:
    return PlanningGrid.covering((-6.0, -6.0), (6.0, 6.0), 0.1)


@pytest.fixture
def places() -> Floats:
    """A robot, its enemy, and two more: one that hides the enemy, one far away."""
    return np.array([(-4.0, 0.0), (0.0, 0.0), (-1.0, 0.0), (5.0, 5.0)])


def test_a_place_to_shoot_is_within_range_and_sees_the_enemy(grid: PlanningGrid, places: Floats) -> None:
    spot = searched(places, NOWHERE, grid)
    assert spot is not None
    assert float(np.hypot(*(spot - places[1]))) < RANGE
    assert is_seen((spot[0], spot[1]), (0, 1), (places, np.full(4, RADIUS), np.empty((0, 4))))
    assert abs(spot[1]) > 0.1  # straight ahead somebody stands between


def test_who_comes_from_far_away_stops_on_the_farthest_ring_around_the_enemy(
    grid: PlanningGrid, places: Floats
) -> None:
    place = searched(places, NOWHERE, grid)
    assert place is not None
    assert float(np.hypot(*(place - places[1]))) == pytest.approx(0.9 * RANGE)


def test_places_are_apart_from_where_others_stand_and_go(grid: PlanningGrid, places: Floats) -> None:
    first = searched(places, NOWHERE, grid)
    assert first is not None
    ends = NOWHERE.copy()
    ends[3] = first
    second = searched(places, ends, grid)
    assert second is not None
    assert float(np.hypot(*(second - first))) > 1.0
    ends[3] = 5.0, 5.0
    again = searched(places, ends, grid)
    assert again is not None
    assert again.tolist() == first.tolist()


def test_no_place_is_where_no_way_leads(grid: PlanningGrid, places: Floats) -> None:
    grid.block_polygon([(-3.0, -6.0), (-2.8, -6.0), (-2.8, 6.0), (-3.0, 6.0)])
    assert np.unique(grid.parts).tolist() == [0, 1, 2]
    near_part, far_part = int(grid.parts[grid.cell_of(-4.0, 0.0)]), int(grid.parts[grid.cell_of(0.0, 0.0)])
    assert near_part != far_part
    assert searched(places, NOWHERE, grid, near_part) is None
    assert searched(places, NOWHERE, grid, far_part) is not None


def test_parts_of_a_map_follow_what_is_drawn_into_it(grid: PlanningGrid) -> None:
    assert np.unique(grid.parts).tolist() == [1]
    grid.block_disc(0.0, 0.0, 1.0)
    assert grid.parts[grid.cell_of(0.0, 0.0)] == 0


def test_who_is_too_near_to_something_first_leaves_it(grid: PlanningGrid) -> None:
    grid.block_polygon([(-2.0, -1.0), (2.0, -1.0), (2.0, 1.0), (-2.0, 1.0)])
    begin = np.array([-0.05, 0.95])
    way = joined(grid, begin, np.array([(0.0, -3.0)]))
    assert way[0] == pytest.approx((-0.05, 1.05))
    assert not grid.is_blocked(way).any()


@pytest.fixture
def match() -> Iterator[Match]:
    server = LocalServer(Simulation(load("death_match")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        match.observe(stepper.step({}))
        yield match


def met(match: Match, gap: float) -> Match:
    """Bring the robots of the first player in a line, those of the others in one before it."""
    model = match.model
    first = next(iter(model.players()))
    counts = dict.fromkeys((True, False), 0)
    for robot in model.roster.robots:
        side = robot.player == first
        model.positions[robot.index] = 0.0 if side else gap, 1.2 * counts[side] - 2.0
        counts[side] += 1
    match.view = replace(match.view)  # what follows from places is found anew
    return match


def test_a_squad_that_attacks_fights_whom_it_meets(match: Match) -> None:
    intelligence = next(iter(match.intelligences.values()))
    enemy = next(squad for squad in match.model.squads.values() if squad.player != intelligence.squad.player)
    fight = FightSquad()
    intelligence.accept(SquadOrder(intelligence.squad.name, "attack", enemy.name))
    assert not fight.wants(intelligence, met(match, 9.0).view)
    assert not intelligence.is_fighting(match.view)
    view = met(match, 5.5).view
    assert fight.wants(intelligence, view)
    assert intelligence.is_fighting(view)
    commands = fight.act(intelligence, view)
    assert [command.robot for command in commands] == [robot.name for robot in intelligence.squad.alive]
    ends = np.array([intelligence.ways[command.robot][-1] for command in commands])
    gaps = np.hypot(*(ends[:, np.newaxis] - ends).transpose(2, 0, 1)) + 9.0 * np.eye(len(ends))
    assert gaps.min() > 0.8
    assert not fight.wants(intelligence, view)  # they are on their way


def test_orders_about_anything_else_are_carried_out_before_enemies(match: Match) -> None:
    intelligence = next(iter(match.intelligences.values()))
    intelligence.accept(SquadOrder(intelligence.squad.name, "go_to", "", (1.0, 1.0)))
    assert not FightSquad().wants(intelligence, met(match, 5.5).view)
    assert not intelligence.is_fighting(match.view)


def test_squads_of_a_computer_player_do_not_all_attack_the_same_enemy() -> None:
    server = LocalServer(Simulation(load("battle")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        match.observe(stepper.step({}))
        easy, normal = (make_bot("west", level) for level in ("easy", "normal"))
        assert {order.verb for order in normal.orders(match.model, "death_match")} == {"stop"}  # others may come first
        for _ in range(110):
            seen = stepper.step({})
        match.observe(seen)
        for bot in (easy, normal):
            orders = bot.orders(match.model, "death_match")
            assert len({order.subject for order in orders}) == len(orders) == 6
