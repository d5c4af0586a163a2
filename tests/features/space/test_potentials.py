"""Velocities that keep robots in a formation in space: attraction of a place, and pushes of what is near."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.models.frames import quaternion_matrix
from coopsim.features.space.devices.potentials import drive
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.geometry import Floats
from coopsim.interfaces import columns

COLUMN = columns(POTENTIALS)
GAIN, FASTEST, SAFE, PUSH = 0.8, 2.0, 1.5, 0.3
LEVEL = (1.0, 0.0, 0.0, 0.0)
NUMBERS = st.floats(-1.0, 1.0)


def velocity(
    goal: tuple[float, ...] = (0.0, 0.0, 0.0),
    neighbours: tuple[tuple[float, ...], ...] = (),
    rays: tuple[tuple[float, tuple[float, ...]], ...] = (),
    orientation: tuple[float, ...] = LEVEL,
    moving: tuple[float, ...] = (0.0, 0.0, 0.0),
    damping: float = 0.0,
) -> Floats:
    """Return the velocity of a robot at the origin that moves; a ray is a distance and a direction in its own frame."""
    table = np.zeros((len(COLUMN), 1))
    for name, value in {"gain": GAIN, "max_speed": FASTEST, "safe": SAFE, "push": PUSH, "damping": damping}.items():
        table[getattr(COLUMN, name)] = value
    places = np.array([[(*place, math.hypot(*place)) for place in neighbours]]).reshape(1, -1)
    ranges = np.array([[distance for distance, _ in rays]]).reshape(1, -1)
    directions = np.array([direction for _, direction in rays]).ravel()
    out = np.full((1, 4), np.nan)
    where = np.zeros((1, 3)), np.array([orientation]), np.array([moving])
    drive(np.array([goal]), where, (places, ranges, directions), table, out)
    assert out[0, 3] == 0.0
    return np.asarray(out[0, :3])


def test_a_robot_goes_to_its_place_the_slower_the_nearer_it_is() -> None:
    assert velocity((1.0, -0.5, 0.25)) == pytest.approx([GAIN, -0.5 * GAIN, 0.25 * GAIN])
    assert velocity((30.0, 40.0, 0.0)) == pytest.approx([0.6 * FASTEST, 0.8 * FASTEST, 0.0])
    assert velocity().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("place", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])
def test_a_neighbour_that_is_near_pushes_it_straight_away(place: tuple[float, ...]) -> None:
    assert velocity(neighbours=(place,)) == pytest.approx(-PUSH * (SAFE - 1.0) * np.array(place))


def test_who_is_beyond_the_safe_distance_or_nobody_pushes_nobody() -> None:
    assert velocity(neighbours=((SAFE, 0.0, 0.0), (0.0, 0.0, 0.0))).tolist() == [0.0, 0.0, 0.0]
    assert velocity(rays=((SAFE, (1.0, 0.0, 0.0)),)).tolist() == [0.0, 0.0, 0.0]


def test_damping_counts_a_neighbour_as_nearer_by_the_speed_towards_it() -> None:
    """The push is that of a distance that is shorter by damping times closing speed."""
    for speed, away in ((0.0, 1.4), (1.0, 0.8), (0.5, 1.1), (-1.0, 1.4)):
        pushed = velocity(neighbours=((0.0, 1.4, 0.0),), moving=(3.0, speed, 0.0), damping=0.6)
        assert pushed == pytest.approx([0.0, -PUSH * (SAFE / away - 1.0), 0.0])
    far = ((0.0, 0.0, SAFE + 0.5),)
    assert velocity(neighbours=far, moving=(0.0, 0.0, 1.0), damping=0.5)[2] == 0.0  # just as far as `safe`
    assert velocity(neighbours=far, moving=(0.0, 0.0, 1.0), damping=0.6)[2] < 0.0
    assert velocity(neighbours=far, moving=(0.0, 0.0, 1.0)).tolist() == [0.0, 0.0, 0.0]


def test_nobody_comes_nearer_than_a_tenth_of_a_metre_by_damping() -> None:
    fast = velocity(neighbours=((0.3, 0.0, 0.0),), moving=(50.0, 0.0, 0.0), damping=1.0)
    assert fast == pytest.approx([-2.0 * FASTEST, 0.0, 0.0])


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_what_a_ray_meets_pushes_along_the_ray_however_the_robot_is_turned(
    turn: tuple[float, ...], direction: tuple[float, ...]
) -> None:
    size, length = math.hypot(*turn), math.hypot(*direction)
    if size < 0.1 or length < 0.1:
        return
    w, x, y, z = (part / size for part in turn)
    ray = np.array(direction) / length
    pushed = velocity(rays=((1.0, tuple(ray)),), orientation=(w, x, y, z))
    assert pushed == pytest.approx(-PUSH * (SAFE - 1.0) * (quaternion_matrix(np.array([w, x, y, z])) @ ray), abs=1e-9)


def test_pushes_add_up_to_twice_the_largest_speed_at_most() -> None:
    wall = tuple((1e-3, (1.0, 0.1 * k, 0.0)) for k in range(5))
    assert math.hypot(*velocity(rays=wall)) == pytest.approx(2.0 * FASTEST)


@pytest.mark.parametrize("goal", [(math.nan, 0.0, 0.0), (0.0, math.inf, 0.0)])
def test_a_place_that_is_no_number_lets_it_stay(goal: tuple[float, ...]) -> None:
    assert velocity(goal).tolist() == [0.0, 0.0, 0.0]
