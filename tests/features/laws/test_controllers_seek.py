"""The law of `seek` on the kinematic stand-in: walls hide the target."""

import numpy as np
import pytest
from controllers_standin import SINGLE, Arena, Box, Circle, walls

from coopsim.features.laws import escaping
from coopsim.features.laws.seek import Search, SeekParameters, seek

TARGET = np.array([[3.0, 3.0]])


def goals(arena: Arena) -> np.ndarray:
    """Return distance, angle and whether the target is seen past the obstacles, shape (n, 3)."""
    polar = arena.polar(TARGET)[:, 0]
    origins = arena.poses[:, np.newaxis, :2]
    ways = (TARGET - origins) / polar[:, :1, np.newaxis]
    for obstacle in arena.obstacles:
        polar[obstacle.cast(origins, ways)[:, 0] < polar[:, 0], 2] = 0.0
    polar[polar[:, 2] == 0.0, :2] = 20.0, 0.0
    return polar


def search(arena: Arena, seconds: float, **changes: float) -> Search:
    law, n = SeekParameters(**changes), len(arena.poses)
    escapes, dt = escaping.calm(n), 0.0
    while True:
        decision, escapes = seek(
            arena.ranges(), arena.motion[:, 0], goals(arena),
            time=arena.time, dt=dt, body=SINGLE, law=law, escapes=escapes,
        )  # fmt: skip
        if decision.is_there.all() or arena.time >= seconds:
            return decision
        dt = arena.hold(decision.commands)


def test_a_target_in_sight_is_driven_to() -> None:
    arena = Arena(np.array([[-3.0, -3.0, 2.0]]), walls(9.0))
    assert search(arena, 60.0).is_there.all()
    assert 0.7 < np.hypot(*(arena.poses[0, :2] - TARGET[0])) <= 1.0
    assert arena.time < 40.0
    assert arena.closest > 0.0


def test_an_obstacle_on_the_way_is_passed() -> None:
    arena = Arena(np.array([[-3.0, -3.0, 0.8]]), [*walls(9.0), Circle(0.0, 0.2, 0.5)])
    assert search(arena, 90.0).is_there.all()
    assert arena.closest > 0.0


def test_a_hidden_target_is_found_by_wandering() -> None:
    hiding = Box(1.2, 1.5, 3.0, 0.2, -0.8)
    arena = Arena(np.array([[-3.0, -2.0, 1.0], [-1.0, -3.5, -2.0]]), [*walls(9.0), hiding])
    assert not goals(arena)[:, 2].any()
    assert search(arena, 300.0).is_there.all()
    assert arena.closest > 0.0


def test_robots_that_are_there_stand_still_and_the_others_come() -> None:
    arena = Arena(np.array([[2.5, 2.6, 0.0], [-2.0, -2.0, 0.0]]), walls(9.0))
    decision = search(arena, 0.0)
    assert decision.is_there.tolist() == [True, False]
    assert decision.commands[0].tolist() == [0.0, 0.0]
    assert np.abs(decision.commands[1]).max() > 0.0


def test_without_seeing_anything_a_robot_wanders() -> None:
    arena = Arena(np.array([[0.0, 0.0, 0.0]]), [*walls(9.0), Box(1.5, 1.5, 4.0, 0.2, -0.8)])
    decision = search(arena, 0.0)
    assert not decision.is_there.any()
    assert decision.commands[0, 0] > 0.1


@pytest.mark.parametrize("tolerance", [0.3, 2.0])
def test_a_robot_is_there_within_the_tolerance(tolerance) -> None:
    arena = Arena(np.array([[-2.0, 0.0, 0.0]]), walls(9.0))
    assert search(arena, 60.0, tolerance=tolerance).is_there.all()
    assert 0.6 * tolerance < np.hypot(*(arena.poses[0, :2] - TARGET[0])) <= tolerance
