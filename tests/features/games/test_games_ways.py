"""Ways of robots keep off what is in the way on every leg, not only at their points."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from coopsim.features.games.logic.avoiding import AvoidSquad
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.ways import clear_way
from coopsim.features.laws.planning import PlanningGrid, is_clear
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

PLACES = np.array([(2.43, -0.15), (1.77, 0.39), (1.81, 0.86), (-0.63, -2.43), (-0.17, -3.1), (-1.0, -1.86)])
SPEEDS = [(-0.26, -0.43), (0.23, -0.1), (-0.35, 0.36), (0.39, 0.31), (0.39, 0.31), (0.44, 0.23)]
WAYS = {"a1": [(0.0, -4.2)], "a2": [(2.25, 0.15), (2.25, -0.15), (-0.22, -3.43)], "a3": [(2.25, 0.15), (0.0, -4.2)]}
"""Squad a passes the end of the lake, at x = 2 m, and squad b comes from the other side."""


@pytest.fixture
def match() -> Iterator[Match]:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        match.observe(stepper.step({}))
        yield match


def test_every_leg_that_is_blocked_becomes_a_path_around() -> None:
    grid = PlanningGrid.covering((-5.0, -5.0), (5.0, 5.0), 0.1)
    grid.block_polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    way = np.array([(-3.0, 2.0), (3.0, -2.0), (3.0, -3.0)])
    detour = clear_way(grid, np.array([-3.0, -2.0]), way)
    legs = zip(np.vstack(([(-3.0, -2.0)], detour[:-1])), detour, strict=True)
    assert all(is_clear(grid, begin, end) for begin, end in legs)
    assert all((detour == point).all(axis=1).any() for point in way)
    assert clear_way(grid, np.array([-3.0, 3.0]), np.array([(3.0, 3.0)])).tolist() == [[3.0, 3.0]]


def test_a_squad_steps_aside_around_the_end_of_the_water_not_across_it(match: Match) -> None:
    view, intelligence, data = match.view, match.intelligences["a"], match.model
    data.positions = PLACES.copy()
    view.velocities[:], view.doing[:], view.steps[:] = SPEEDS, 12.0, 0.0
    intelligence.ways = {name: np.array(way) for name, way in WAYS.items()}
    avoid, grid, before = AvoidSquad(), view.field.grid(swims=False), dict(intelligence.ways)
    if avoid.wants(intelligence, view):
        avoid.act(intelligence, view)
    for name in ("a1", "a2", "a3"):
        points = np.vstack((data.position(data.robots[name]), intelligence.ways[name]))
        legs = pairwise(points)
        assert intelligence.ways[name] is before[name] or all(is_clear(grid, begin, end) for begin, end in legs)
