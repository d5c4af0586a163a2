"""The laws at work on a kinematic stand-in with the robots' sonars, real obstacles and wheels that take time."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from controllers_standin import SINGLE, Arena, Box, Circle, walls

from coopsim.features.laws import escaping
from coopsim.features.laws.formation_law import (
    FormationDecision,
    FormationLaw,
    FormationParameters,
    FormationPerception,
)
from coopsim.features.laws.formation_shapes import shape
from coopsim.features.laws.wander import WanderParameters, wander

ON_THE_WAY: list[Circle | Box] = [Circle(-1.0, 0.4, 0.3), Box(2.2, -0.35, 0.6, 0.6, 0.4), Circle(4.0, 0.9, 0.3)]


def current_formation(name: str, robots: int, x: float) -> np.ndarray:
    poses = np.zeros((robots, 3))
    poses[:, :2] = shape(name, robots, 0.8).places + np.array([x, 0.0])
    return poses


def drive(
    arena: Arena,
    name: str,
    target: tuple[float, float],
    seconds: float,
    *,
    until: Callable[[FormationDecision], bool] | None = None,
) -> list[FormationDecision]:
    """Drive a formation until it is done, or `until` says so; return all decisions."""
    law = FormationParameters(shape=name)
    robots = len(arena.poses)
    law_of_team = FormationLaw(SINGLE, law, shape(name, robots, 0.8), escaping.calm(robots))
    dt, decisions = 0.0, []
    while arena.time < seconds:
        decision = law_of_team.decide(arena.view(target), dt)
        decisions.append(decision)
        if decision.is_done or (until and until(decision)):
            break
        dt = arena.hold(decision.commands)
    return decisions


def test_a_triangle_reaches_the_target_without_touching_anything() -> None:
    """C-80: formation, obstacles, target."""
    arena = Arena(current_formation("triangle", 3, -4.0), ON_THE_WAY)
    decisions = drive(arena, "triangle", (5.5, 0.0), 60.0)
    assert decisions[-1].is_done
    assert arena.time >= 25.0
    assert arena.closest > 0.02
    assert np.hypot(*(arena.poses[0, :2] - [5.5, 0.0])) <= 0.3


def test_the_formation_breaks_at_an_obstacle_and_comes_back() -> None:
    """C-80: by breaking formation, returning to their position after the obstacles are surpassed."""
    arena = Arena(current_formation("triangle", 3, -3.0), [Circle(0.5, 0.3, 0.4)])
    decisions = drive(arena, "triangle", (5.0, 0.0), 60.0)
    disorder = np.array([decision.disorder.max() for decision in decisions])
    worst = int(disorder.argmax())
    assert disorder[: worst // 4].max() < 0.1
    assert disorder[worst] > 0.25
    assert disorder[-40:].max() < 0.1
    assert decisions[-1].is_done
    assert arena.closest > 0.02


@pytest.mark.parametrize(("name", "robots"), [("line", 3), ("column", 4), ("vee", 5), ("triangle", 1)])
def test_every_shape_keeps_its_places_where_nothing_is_in_the_way(name: str, robots: int) -> None:
    arena = Arena(current_formation(name, robots, -2.0))
    decisions = drive(arena, name, (3.0, 0.0), 40.0)
    assert decisions[-1].is_done
    assert max(decision.disorder.max() for decision in decisions) < 0.15
    assert arena.closest > 0.2


@pytest.mark.parametrize("name", ["line", "vee"])
def test_other_shapes_pass_obstacles_too(name: str) -> None:
    arena = Arena(current_formation(name, 3, -4.0), ON_THE_WAY)
    assert drive(arena, name, (5.5, 0.0), 70.0)[-1].is_done
    assert arena.closest > 0.02


def test_robots_that_stand_anyhow_form_up_on_the_way() -> None:
    poses = np.array([[-3.0, 0.0, 0.0], [-4.5, -1.5, 1.0], [-4.0, 1.8, -1.5]])
    arena = Arena(poses)
    assert drive(arena, "triangle", (5.0, 1.0), 60.0)[-1].is_done
    assert arena.closest > 0.02


def test_a_target_behind_the_robots_is_reached_too() -> None:
    arena = Arena(current_formation("triangle", 3, 0.0))
    assert drive(arena, "triangle", (-6.0, 1.0), 60.0)[-1].is_done
    assert arena.closest > 0.02


def test_without_seeing_the_target_the_leader_waits() -> None:
    arena = Arena(current_formation("triangle", 3, 0.0))
    view = arena.view((5.0, 0.0))
    blind = FormationPerception(view.ranges, np.full(2, np.nan), view.mates, view.motion)
    law = FormationParameters()
    decision = FormationLaw(SINGLE, law, shape("triangle", 3, 0.8), escaping.calm(3)).decide(blind, 0.01)
    assert decision.commands.tolist() == [[0.0, 0.0]] * 3
    assert decision.distance == math.inf
    assert not decision.is_done


def test_a_follower_that_sees_nobody_stands_and_the_leader_waits_for_it() -> None:
    arena = Arena(current_formation("triangle", 3, 0.0))
    view = arena.view((5.0, 0.0))
    mates = view.mates.copy()
    mates[2], mates[:, 2] = np.nan, np.nan
    law = FormationParameters()
    lost = FormationPerception(view.ranges, view.goal, mates, view.motion)
    decision = FormationLaw(SINGLE, law, shape("triangle", 3, 0.8), escaping.calm(3)).decide(lost, 0.01)
    assert decision.disorder[2] == math.inf
    assert decision.commands[2].tolist() == [0.0, 0.0]
    assert 0.0 < decision.commands[0, 0] < 0.5 * law.speed


def test_no_command_is_more_than_the_wheels_can_do() -> None:
    arena = Arena(current_formation("vee", 5, -2.0), [Circle(0.0, 0.1, 0.3)])
    for decision in drive(arena, "vee", (3.0, 0.0), 12.0):
        v, w = decision.commands.T
        assert (np.abs(v) + 0.18 * np.abs(w) <= 0.5 + 1e-9).all()


def test_the_same_start_gives_the_same_run() -> None:
    ends = []
    for _ in range(2):
        arena = Arena(current_formation("triangle", 3, -2.0), [Circle(0.0, 0.0, 0.3)])
        drive(arena, "triangle", (3.0, 0.0), 8.0)
        ends.append(arena.poses.tobytes())
    assert ends[0] == ends[1]


def wander_about(arena: Arena, seconds: float) -> np.ndarray:
    law = WanderParameters()
    escapes, dt, path = escaping.calm(len(arena.poses)), 0.0, [arena.poses.copy()]
    while arena.time < seconds:
        commands, escapes = wander(
            arena.ranges(), arena.motion[:, 0], time=arena.time, dt=dt, body=SINGLE, law=law, escapes=escapes
        )
        dt = arena.hold(commands)
        path.append(arena.poses.copy())
    return np.array(path)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_wandering_robots_touch_neither_walls_nor_obstacles_nor_one_another(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = np.array([[-2.0, -2.0], [2.0, 2.0], [-2.0, 2.0], [2.0, -2.0]]) + random.normal(0.0, 0.2, (4, 2))
    poses = np.column_stack([corners, random.uniform(-3.0, 3.0, 4)])
    arena = Arena(poses, [*walls(6.0), Circle(0.0, 0.0, 0.3), Box(0.2, 1.6, 0.6, 0.4, 0.5)])
    path = wander_about(arena, 60.0)
    assert arena.closest > 0.0
    travelled = np.hypot(*np.diff(path[:, :, :2], axis=0).transpose(2, 0, 1)).sum(axis=0)
    assert (travelled > 5.0).all()


def test_a_robot_in_a_dead_end_gets_out() -> None:
    dead_end = [Box(1.0, 0.6, 3.0, 0.2), Box(1.0, -0.6, 3.0, 0.2), Box(2.6, 0.0, 0.2, 1.4)]
    arena = Arena(np.array([[-0.2, 0.0, 0.0]]), [*walls(8.0), *dead_end])
    path = wander_about(arena, 30.0)[:, 0]
    inside = int(path[:, 0].argmax())
    assert path[inside, 0] > 1.5
    assert path[inside:, 0].min() < -1.0
    assert arena.closest > 0.0
