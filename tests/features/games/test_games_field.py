"""Maps of a battlefield: what is in the way of whom."""

from dataclasses import replace

import numpy as np
import pytest
from viewer_scenes import row

from coopsim.client.scene import SceneView
from coopsim.features.games.logic.field import Battlefield
from coopsim.features.laws.planning import find_path
from coopsim.state import Visual

CLEARANCE = 0.2


def field(*walls: tuple[tuple[float, float], tuple[float, float]], posts=(), mass: float = 0.0) -> Battlefield:
    """Return a field with walls: the middle of each, and its length along x and y [m]."""
    rows = [
        row(f"wall{number}", at=(x, y, 0.0), size=(length, width, 1.0))
        for number, ((x, y), (length, width)) in enumerate(walls)
    ]
    scene = SceneView(1, 0, tuple(replace(wall, mass=mass) for wall in rows))
    return Battlefield(scene, CLEARANCE, posts)


def wall_with_door(width: float, shift: float) -> Battlefield:
    """Return a field that a wall divides along y, with a door of a width in it."""
    side = 60.0
    return field(((0.0, shift + 0.5 * (width + side)), (0.2, side)), ((0.0, shift - 0.5 * (width + side)), (0.2, side)))


@pytest.mark.parametrize("shift", [0.0, 0.03, 0.07, 0.11, 0.17])
def test_a_door_that_is_a_little_wider_than_a_robot_is_open(shift: float) -> None:
    grid = wall_with_door(2.0 * CLEARANCE + 0.22, shift).grid(swims=False)
    assert find_path(grid, (-2.0, 0.0), (2.0, 0.0)) is not None


def test_a_door_that_is_narrower_than_a_robot_is_closed() -> None:
    grid = wall_with_door(2.0 * CLEARANCE - 0.02, 0.0).grid(swims=False)
    assert find_path(grid, (-2.0, 0.0), (2.0, 0.0)) is None


def test_what_can_be_pushed_is_not_in_the_way() -> None:
    grid = field(((0.0, 0.0), (0.2, 60.0)), mass=2.0).grid(swims=False)
    assert not grid.is_blocked(np.zeros((1, 2))).any()


def test_devices_are_in_the_way_of_all() -> None:
    with_post = field(posts=((1.0, 1.0, 0.3),))
    for swims in (False, True):
        assert with_post.grid(swims=swims).is_blocked(np.array([(1.0, 1.0), (1.45, 1.0), (1.7, 1.0)])).tolist() == [
            True,
            True,
            False,
        ]


def test_circles_are_in_the_way_for_one_map_alone() -> None:
    open_field = field()
    around = open_field.grid_around(np.array([(0.0, 0.0, 0.5)]), swims=False)
    place = np.zeros((1, 2))
    assert around.is_blocked(place).all()
    assert not open_field.grid(swims=False).is_blocked(place).any()
    assert open_field.grid_around(np.empty((0, 3)), swims=False) is open_field.grid(swims=False)
    assert open_field.grid_around(np.array([(0.0, 0.0, 0.5)]), swims=False) is around


def test_walls_have_four_edges_each() -> None:
    walls = field(((1.0, 0.0), (2.0, 0.4))).walls
    assert walls.shape == (4, 4)
    assert sorted(np.unique(walls[:, 0]).tolist()) == pytest.approx([0.0, 2.0])


def test_without_a_border_nobody_is_outside() -> None:
    assert not field().outside(np.array([(99.0, 99.0)])).any()


def test_a_polygon_is_in_the_way_where_it_is_and_not_in_its_notch() -> None:
    notch = (-1.5, -1.5, 1.5, -1.5, 1.5, 1.5, 0.5, 1.5, 0.5, -0.5, -0.5, -0.5, -0.5, 1.5, -1.5, 1.5)
    visuals = (Visual("polygon", points=notch),)
    wall = row("harbour", "object", "polygon", at=(4.0, 0.0, 0.0), size=(3.0, 3.0, 0.5), visuals=visuals)
    battlefield = Battlefield(SceneView(1, 0, (replace(wall, mass=0.0),)), CLEARANCE, ())
    assert battlefield.grid(swims=False).is_blocked([(4.0, 1.0), (3.0, 1.0), (4.0, -1.0), (6.0, 0.0)]).tolist() == [
        False,
        True,
        True,
        False,
    ]
    assert len(battlefield.walls) == 8
