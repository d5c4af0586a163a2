"""Shapes, places and who watches whom."""

import math

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.laws.formation import watch_lists
from coopsim.features.laws.formation_shapes import DIRECT, NAMES, shape


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
        assert all(len(leaders) == DIRECT for leaders in watched)
        assert all(int(formation.parents[robot]) in watched[robot] for robot in range(1, 40))


def test_an_unknown_shape_is_refused() -> None:
    shapes = "triangle, line, column, vee, open_vee, circle, custom"
    with pytest.raises(BadArgument, match=f"shape must be one of {shapes}, got 'square'"):
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
