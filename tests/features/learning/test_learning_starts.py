"""Starts of worlds by chance: what a rule permits, who stands apart, and that the seed decides it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.learning.starts import StartRule, Starts, solids_of
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation

SEEDS = range(40)


@pytest.fixture(scope="module")
def scene() -> tuple[RunSpec, tuple]:
    spec = load("formation")
    return spec, tuple(Simulation(spec).scene.bodies)


def starts(scene, *rules: StartRule) -> Starts:
    return Starts(*scene, rules)


def test_without_rules_everything_begins_where_the_file_puts_it(scene) -> None:
    start_places = starts(scene)
    assert start_places.is_fixed
    places = start_places.draw(SEEDS)
    assert (places == places[0]).all()
    robots = scene[0].scenario.robots
    assert places[0, : len(robots), :2].tolist() == [list(robot.position[:2]) for robot in robots]


@settings(deadline=None, max_examples=20)
@given(st.floats(0.0, 2.0), st.floats(0.0, 3.0))
def test_nobody_begins_farther_away_or_turned_more_than_the_rule_says(scene, distance: float, angle: float) -> None:
    start_places = starts(scene, StartRule(distance=distance, angle=angle))
    begin, places = starts(scene).draw([0])[0], start_places.draw(SEEDS)
    count = len(start_places.robots)
    away = np.hypot(*np.moveaxis(places[:, :count, :2] - begin[:count, :2], -1, 0))
    turned = np.abs((places[:, :count, 2] - begin[:count, 2] + np.pi) % (2.0 * np.pi) - np.pi)
    assert away.max() <= distance + 1e-9
    assert turned.max() <= angle + 1e-9
    assert (places[:, count:] == begin[count:]).all()


def test_the_same_seed_is_the_same_start_in_any_company(scene) -> None:
    start_places = starts(scene, StartRule(area=(-3.0, -3.0, 3.0, 3.0)))
    together = start_places.draw([5, 6, 7])
    assert start_places.draw([6])[0].tolist() == together[1].tolist()
    assert together[0].tolist() != together[1].tolist()
    assert start_places.draw([-1])[0].tolist() == start_places.draw([2**64 - 1])[0].tolist()


def test_robots_stand_apart_from_each_other_and_from_what_stands_around(scene) -> None:
    start_places = starts(scene, StartRule(area=(-2.0, -2.0, 2.0, 2.0)))
    places = start_places.draw(range(200))[:, : len(start_places.robots), :2]
    apart = np.linalg.norm(places[:, :, np.newaxis] - places[:, np.newaxis], axis=-1)
    assert apart[:, ~np.eye(places.shape[1], dtype=bool)].min() > 0.5


def test_the_last_rule_that_names_a_robot_counts(scene) -> None:
    name = scene[0].scenario.robots[0].name
    start_places = starts(scene, StartRule(area=(-3.0, -3.0, 3.0, 3.0)), StartRule(names=(name,)))
    places = start_places.draw(SEEDS)
    assert (places[:, 0] == places[0, 0]).all()
    assert np.ptp(places[:, 1, 0]) > 1.0


def test_the_scenario_of_a_world_begins_at_its_places(scene) -> None:
    start_places = starts(scene, StartRule(area=(-3.0, -3.0, 3.0, 3.0)))
    places = start_places.draw([3])[0]
    spec = start_places.spec(places)
    for robot, (x, y, theta) in zip(spec.scenario.robots, places.tolist(), strict=False):
        assert robot.position[:2] == (x, y)
        assert robot.orientation[2] == theta
    assert replace(spec.scenario, robots=(), targets=()) == replace(scene[0].scenario, robots=(), targets=())
    assert start_places.headings(places)[:, :2].tolist() == places[: len(start_places.robots), :2].tolist()


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"area": (1.0, 2.0)}, "a start area has x and y of two corners, got 2 numbers"),
        ({"area": (0.0, 0.0, math.nan, 1.0)}, "finite numbers"),
        ({"distance": -0.1}, "a distance that is not negative"),
        ({"distance": math.inf}, "finite numbers"),
        ({"angle": math.nan}, "finite numbers"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(rule: dict, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        StartRule(**rule)


def test_a_name_that_nothing_has_is_refused_with_those_that_there_are(scene) -> None:
    with pytest.raises(BadArgument, match="nothing that starts is called 'nobody'; known: robot1"):
        starts(scene, StartRule(names=("nobody",), distance=1.0))


def test_what_stands_around_are_boxes_and_circles_without_the_robots(scene) -> None:
    names = [body.name for body in scene[1]]
    assert len(solids_of(scene[1], names)) == 0
    solids = solids_of(scene[1], starts(scene).robots)
    assert solids.shape[1] == 6
    assert np.hypot(solids[:, 2], solids[:, 3]) == pytest.approx(1.0)
