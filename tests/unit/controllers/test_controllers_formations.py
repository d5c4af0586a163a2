"""Shapes, places and who watches whom."""

import math
from dataclasses import replace

import numpy as np
import pytest
from controllers_standin import Arena
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.controllers.body import Body
from coopsim.controllers.following import (
    gives_way,
    headings_of_leader,
    hide_mates,
    places_seen,
    turned,
    ways_to_places,
)
from coopsim.controllers.formation import watch_lists
from coopsim.controllers.shapes import DIRECT, NAMES, shape
from coopsim.errors import BadArgument


def test_three_robots_form_an_equilateral_triangle() -> None:
    """Three robots, triangle."""
    places = shape("triangle", 3, 0.8).places
    sides = [np.hypot(*(places[a] - places[b])) for a, b in ((0, 1), (1, 2), (2, 0))]
    assert sides == pytest.approx([0.8, 0.8, 0.8])
    assert (places[1:, 0] < 0.0).all()


def test_five_robots_form_an_inverted_v() -> None:
    """The leader in front, two robots on each side behind it."""
    places = shape("vee", 5, 1.0).places
    assert places[:, 0].tolist() == pytest.approx([0.0, *[-math.sqrt(0.5)] * 2, *[-math.sqrt(2.0)] * 2])
    assert places[:, 1].tolist() == pytest.approx([0.0, 0.7071, -0.7071, 1.4142, -1.4142], abs=1e-4)


def test_lines_stand_abreast_and_columns_one_behind_the_other() -> None:
    assert shape("line", 4, 1.0).places.tolist() == [[0, 0], [0, 1], [0, -1], [0, 2]]
    assert shape("column", 4, 1.0).places.tolist() == [[0, 0], [-1, 0], [-2, 0], [-3, 0]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("robots", [1, 2, 3, 9, 10, 30])
def test_neighbours_keep_the_spacing_in_every_shape(name: str, robots: int) -> None:
    places = shape(name, robots, 0.7).places
    gaps = np.hypot(*(places[:, np.newaxis] - places).transpose(2, 0, 1)) + 10.0 * np.eye(robots)
    assert gaps.min(initial=10.0) == pytest.approx(0.7 if robots > 1 else 10.0)


def test_no_robot_is_followed_by_more_than_can_be_watched() -> None:
    for name in NAMES:
        formation = shape(name, 40, 1.0)
        assert np.bincount(formation.parents[1:]).max() <= DIRECT + 2
        assert (formation.parents[1:] < np.arange(1, 40)).all()
        watched = watch_lists(formation)
        assert all(len(each) == DIRECT for each in watched)
        assert all(int(formation.parents[robot]) in watched[robot] for robot in range(1, 40))


def test_an_unknown_shape_is_refused() -> None:
    known = "triangle, line, column, vee, open_vee, circle, custom"
    with pytest.raises(BadArgument, match=f"shape must be one of {known}, got 'square'"):
        shape("square", 3, 1.0)


def test_a_vee_opens_to_the_front_where_it_is_said_to() -> None:
    assert shape("open_vee", 5, 1.0).places.tolist() == (shape("vee", 5, 1.0).places * [-1.0, 1.0]).tolist()


def test_a_circle_has_its_middle_a_radius_ahead_of_its_leader() -> None:
    places = shape("circle", 10, 0.9).places
    radius = 0.45 / math.sin(math.pi / 10)
    assert np.hypot(places[:, 0] - radius, places[:, 1]) == pytest.approx(radius)
    assert places[0].tolist() == [0.0, 0.0]
    assert places[1:3, 1].tolist() == pytest.approx([0.9 * math.cos(math.pi / 10), -0.9 * math.cos(math.pi / 10)])


def test_places_of_ones_own_are_counted_in_spacings_from_the_leader() -> None:
    assert shape("custom", 3, 0.5, "-1 2, -3 -4").places.tolist() == [[0, 0], [-0.5, 1.0], [-1.5, -2.0]]
    assert shape("custom", 1, 0.5).places.tolist() == [[0, 0]]
    for wrong in ("", "1 2", "1 2 3 4 5 6", "1 2 x 4", "1 2 nan 4"):
        with pytest.raises(BadArgument, match="x and y of each of the 2 followers"):
            shape("custom", 3, 0.5, wrong)


poses = st.lists(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3)), min_size=3, max_size=6, unique_by=lambda it: it[:2]
)


@settings(max_examples=50)
@given(poses)
def test_robots_know_the_leaders_heading_from_bearings_alone(places: list[tuple[float, float, float]]) -> None:
    arena = Arena(np.array(places))
    mates = arena.view((0.0, 0.0)).mates
    parents = np.maximum(np.arange(len(places)) - 1, 0)
    off = headings_of_leader(mates, parents) - (arena.poses[0, 2] - arena.poses[:, 2])
    assert np.cos(off) == pytest.approx(np.ones(len(places)), abs=1e-6)


@settings(max_examples=50)
@given(poses)
def test_who_goes_its_way_is_in_its_place(places: list[tuple[float, float, float]]) -> None:
    arena = Arena(np.array(places))
    formation = shape("triangle", len(places), 0.8)
    direction = 0.4
    ways = ways_to_places(arena.view((0.0, 0.0)).mates, formation, direction - arena.poses[:, 2])
    there = arena.poses[:, :2] + turned(ways, arena.poses[:, 2])
    wanted = arena.poses[0, :2] + turned(formation.places, np.full(len(places), direction))
    assert there == pytest.approx(wanted, abs=1e-6)


def test_who_is_not_seen_is_not_known() -> None:
    sightings = np.array([[[1.0, 0.0, 1.0], [20.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [1.0, math.pi / 2, 1.0]]])
    seen = places_seen(sightings, np.array([[1, 1], [0, -1]]), 2)
    assert seen[0, 1].tolist() == [1.0, 0.0]
    assert np.isnan(seen[1, 0]).all()


def test_sonars_that_see_a_teammate_are_passed_over_and_obstacles_are_not() -> None:
    body = Body(radius=0.25, half_track=0.18, fastest=0.5, bearings=np.array([-0.5, 0.0, 0.5]), reach=3.0)
    mates = np.full((2, 2, 2), np.nan)
    mates[0, 1] = (1.0, 0.0)
    gaps = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert hide_mates(gaps, mates, body=body, slack=0.1).tolist() == [[np.inf, np.inf, np.inf], [0.5, 0.5, 0.5]]
    aside = np.array([-1.0, 0.0, 1.0])
    assert hide_mates(gaps, mates, body=replace(body, bearings=aside), slack=0.1)[0].tolist() == [0.5, np.inf, 0.5]
    nearer = np.array([[0.5, 0.2, 0.5], [0.5, 0.5, 0.5]])
    assert hide_mates(nearer, mates, body=body, slack=0.1)[0, 1] == 0.2


def test_of_two_that_block_each_other_the_later_one_backs_off() -> None:
    mates = np.full((3, 3, 2), np.nan)
    mates[1, 2] = mates[2, 1] = (0.6, 0.0)
    both, none = np.array([False, True, True]), np.zeros(3, np.bool_)
    assert gives_way(mates, both, radius=0.25, room=0.4).tolist() == [False, False, True]
    assert not gives_way(mates, none, radius=0.25, room=0.4).any()
    assert not gives_way(2.0 * mates, both, radius=0.25, room=0.4).any()
    mates[2, 0] = (-0.6, 0.0)
    assert not gives_way(mates, both, radius=0.25, room=0.4).any()
