"""The nearest robots of a crowd: the same as by a look at every pair, however they stand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.geometry import Floats, Ints
from coopsim.sensing.nearest import nearest, nearest_in_space

FEW, MANY = 20, 200  # below and above the number from which a grid is used


def by_every_pair(places: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, slots: int) -> list[list[int]]:
    """Return robots by distance, equal ones by number, -1 where there are no more."""
    listed = []
    for row, owner, farthest in zip(rows, owners, reach, strict=True):
        away = ((places[robots] - places[row]) ** 2).sum(axis=1)
        order = np.lexsort((np.arange(robots.size), away))
        near = [int(j) for j in order if robots[j] != owner and away[j] <= farthest**2]
        listed.append((near + [-1] * slots)[:slots])
    return listed


def in_the_plane(places: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, slots: int) -> list[list[int]]:
    planar, out = np.zeros((len(places), 6)), np.full((rows.size, slots), 99, np.int64)
    planar[:, :2] = places[:, :2]
    nearest(planar, robots, rows, owners, reach, out)
    listed: list[list[int]] = out.tolist()
    return listed


def in_space(places: Floats, robots: Ints, rows: Ints, owners: Ints, reach: Floats, slots: int) -> list[list[int]]:
    poses, out = np.zeros((len(places), 7)), np.full((rows.size, slots), 99, np.int64)
    poses[:, :3] = places
    nearest_in_space(poses, robots, rows, owners, reach, out)
    listed: list[list[int]] = out.tolist()
    return listed


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, FEW, MANY]),
    st.floats(0.1, 30.0),
    st.integers(1, 9),
    st.sampled_from([(10.0, 10.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 10.0), (0.0, 0.0, 0.0), (1.0, 1000.0, 1.0)]),
)
def test_whoever_stands_wherever_is_found_as_by_a_look_at_every_pair(
    seed: int, count: int, reach: float, slots: int, size: tuple[float, float, float]
) -> None:
    random = np.random.default_rng(seed)
    places = random.uniform(-0.5, 0.5, (count + 3, 3)) * size
    places = np.round(places, 1)  # so that some are equally far away
    robots = np.sort(random.permutation(count + 3)[:count])
    rows = random.permutation(count + 3)[: min(count + 3, 12)]
    reaches = np.full(rows.size, reach)
    given_all = robots, rows, rows.copy(), reaches, slots
    flat = places * (1.0, 1.0, 0.0)
    assert in_the_plane(places, *given_all) == by_every_pair(flat, *given_all)
    assert in_space(places, *given_all) == by_every_pair(places, *given_all)


@pytest.mark.parametrize("count", [FEW, MANY])
def test_a_part_of_a_robot_does_not_find_its_own_robot(count: int) -> None:
    places = np.zeros((count + 1, 3))
    places[:count, 0] = np.arange(count)
    places[count, 0] = 5.1  # an arm of robot 5
    robots, reach = np.arange(count), np.array([1.5])
    for look in (in_the_plane, in_space):
        assert look(places, robots, np.array([count]), np.array([5]), reach, 3) == [[6, 4, -1]]
        assert look(places, robots, np.array([count]), np.array([count]), reach, 3) == [[5, 6, 4]]


@pytest.mark.parametrize("count", [FEW, MANY])
def test_one_that_is_far_astray_or_nowhere_changes_nothing_for_the_others(count: int) -> None:
    places = np.zeros((count, 3))
    places[:, 0] = 0.5 * np.arange(count)
    places[3] = 1e7, -1e7, 0.0
    places[7] = np.nan
    robots, rows = np.arange(count), np.array([0, 5])
    for look in (in_the_plane, in_space):
        assert look(places, robots, rows, rows.copy(), np.full(2, 1.6), 4) == [[1, 2, -1, -1], [4, 6, 2, 8]]


def test_heights_count_in_space_alone() -> None:
    places = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 5.0), (3.0, 0.0, 0.0)])
    everything = np.arange(3), np.array([0]), np.array([0]), np.array([10.0]), 2
    assert in_the_plane(places, *everything) == [[1, 2]]
    assert in_space(places, *everything) == [[2, 1]]


@pytest.mark.parametrize("count", [FEW, MANY])
def test_who_is_exactly_as_far_away_as_one_sees_is_seen(count: int) -> None:
    places = np.zeros((count, 3))
    places[:, 0] = np.arange(count)
    for look in (in_the_plane, in_space):
        assert look(places, np.arange(count), np.array([0]), np.array([0]), np.array([2.0]), 4) == [[1, 2, -1, -1]]


@pytest.mark.parametrize("count", [FEW, MANY])
@pytest.mark.parametrize("reach", [1.0, 30.0])
def test_whatever_slots_held_before_changes_nothing(count: int, reach: float) -> None:
    random = np.random.default_rng(5)
    robots, slots = np.arange(count), 7
    planar, poses = np.zeros((count, 6)), np.zeros((count, 7))
    held = np.full((count, slots), -1, np.int64)
    held_in_space, places = held.copy(), np.zeros((count, 3))
    for turn in range(12):
        places = places + random.normal(0.0, 0.1, (count, 3))
        if turn % 4 == 0:
            places = random.uniform(-5.0, 5.0, (count, 3))
        planar[:, :2], poses[:, :3] = places[:, :2], places
        if turn in (5, 6):
            # other robots than there are, several times the same, itself
            held[:] = random.integers(-3, count + 3, (count, slots))
            held[::2] = held[::2, :1]
            held_in_space[:] = np.arange(count)[:, None]
        nearest(planar, robots, robots, robots, np.full(count, reach), held)
        nearest_in_space(poses, robots, robots, robots, np.full(count, reach), held_in_space)
        asked = robots, robots, robots, np.full(count, reach), slots
        assert held.tolist() == by_every_pair(places * (1.0, 1.0, 0.0), *asked)
        assert held_in_space.tolist() == by_every_pair(places, *asked)
