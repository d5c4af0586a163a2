"""By how much squads that come towards each other step aside, and to which side."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.features.games.logic.avoiding import InboundSquad, mitigation_vectors

EAST = np.array([1.0, 0.0])


@dataclass
class Robot:
    index: int
    radius: float


def vectors(
    own: list[float], their: list[float], radii: tuple[float, float] = (0.2, 0.2), *, comes: bool = True
) -> Any:
    """Return by what robots that drive east step aside, where robots are at these y."""
    heights = [*own, *their]
    robots: list[Any] = [Robot(row, radii[row >= len(own)]) for row in range(len(heights))]
    view: Any = SimpleNamespace(model=SimpleNamespace(positions=np.array([(0.0, y) for y in heights])))
    inbound = InboundSquad(robots[len(own) :], 2.0, comes)
    return [vector.tolist() for vector in mitigation_vectors(robots[: len(own)], inbound, EAST, view)]


def test_two_robots_head_on_each_step_half_of_the_way_to_their_own_right() -> None:
    first, second = vectors([0.0], [0.0])
    assert first[0] == second[0] == 0.0
    assert first[1] < 0.0 < second[1]
    assert first[1] == -second[1]


def test_who_stands_is_passed_by_twice_as_much() -> None:
    moving, standing = vectors([0.0], [0.0]), vectors([0.0], [0.0], comes=False)
    assert standing[0][1] == pytest.approx(2.0 * moving[0][1])


@pytest.mark.parametrize("radii", [(0.2, 0.6), (0.6, 0.2)])
def test_larger_robots_need_more_room_whoever_has_them(radii: tuple[float, float]) -> None:
    small = vectors([0.0], [0.0], comes=False)[0][1]
    assert vectors([0.0], [0.0], radii, comes=False)[0][1] == pytest.approx(small - 0.4)


def test_the_largest_robot_of_a_squad_counts() -> None:
    robots: list[Any] = [Robot(0, 0.1), Robot(1, 0.5), Robot(2, 0.2)]
    view: Any = SimpleNamespace(model=SimpleNamespace(positions=np.zeros((3, 2))))
    mixed = mitigation_vectors(robots[:2], InboundSquad(robots[2:], 2.0, False), EAST, view)[0]
    assert mixed.tolist() == pytest.approx(vectors([0.0], [0.0], (0.5, 0.2), comes=False)[0])


def test_the_left_is_better_where_it_is_much_nearer() -> None:
    left, right = vectors([1.0], [0.0], comes=False)
    assert left[1] > 0.0 > right[1]
    assert left[1] < -right[1]
