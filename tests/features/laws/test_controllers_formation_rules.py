"""What robots in formation make of what they see: places, teammates, who goes first; the same when compiled."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from controllers_standin import SINGLE, Arena, Circle
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.laws import escaping, formation
from coopsim.features.laws.formation_compiled import RULES
from coopsim.features.laws.formation_law import (
    PLAIN,
    FormationLaw,
    FormationParameters,
    FormationPerception,
    FormationRules,
    positions_seen,
)
from coopsim.features.laws.formation_rules import FormationPlan
from coopsim.features.laws.formation_shapes import Shape, shape
from coopsim.features.laws.steering_rules import STOOD, TURNS, hide_mates
from coopsim.geometry import Floats

Poses = list[tuple[float, float, float]]
poses = st.lists(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3)), min_size=3, max_size=6, unique_by=lambda it: it[:2]
)


def plan_of(view: FormationPerception, formation: Shape, stood: float = 0.0) -> FormationPlan:
    escapes = escaping.calm(len(formation.parents))
    escapes = replace(escapes, still=np.full(len(formation.parents), stood))
    return FormationLaw(SINGLE, FormationParameters(), formation, escapes).plan(view, 0.0)


def turned(vectors: Floats, angles: Floats) -> Floats:
    x, y = vectors.T
    return np.column_stack([np.cos(angles) * x - np.sin(angles) * y, np.sin(angles) * x + np.cos(angles) * y])


def view_of(mates: Floats, *, goal: tuple[float, float] = (5.0, 0.0)) -> FormationPerception:
    """Return what robots see that stand among nothing but these teammates."""
    count = len(mates)
    return FormationPerception(np.full((count, 11), SINGLE.reach), np.array(goal), mates, np.zeros((count, 2)))


@settings(max_examples=50)
@given(poses)
def test_robots_know_the_leaders_heading_from_bearings_alone(places: Poses) -> None:
    arena = Arena(np.array(places))
    chain = replace(shape("line", len(places), 0.8), parents=np.maximum(np.arange(len(places)) - 1, 0))
    off = np.array(plan_of(arena.view((0.0, 0.0)), chain).headings) - (arena.poses[0, 2] - arena.poses[:, 2])
    assert np.cos(off) == pytest.approx(np.ones(len(places)), abs=1e-6)


@settings(max_examples=50)
@given(poses)
def test_who_goes_its_way_is_in_its_place(places: Poses) -> None:
    arena, formation = Arena(np.array(places)), shape("triangle", len(places), 0.8)
    view = arena.view((0.4, 0.3))
    direction = view.goal[1] + arena.poses[0, 2]
    goals = arena.poses[:, :2] + turned(np.array(plan_of(view, formation).ways), arena.poses[:, 2])
    wanted = arena.poses[0, :2] + turned(formation.places, np.full(len(places), direction))
    assert goals == pytest.approx(wanted, abs=1e-6)


def test_who_is_not_seen_is_not_known() -> None:
    sightings = np.array([[[1.0, 0.0, 1.0], [20.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [1.0, math.pi / 2, 1.0]]])
    seen = positions_seen(sightings.reshape(2, -1), np.array([[1.0, 1.0], [0.0, -1.0]]), np.array([0, 1, -1]))
    assert seen[0, 1].tolist() == [1.0, 0.0]
    assert np.isnan(seen[1, 0]).all()


def gaps_of(ranges: list[float], mate: tuple[float, float], bearings: list[float]) -> list[float]:
    """Return the gaps of a robot that sees one teammate."""
    body = replace(SINGLE, bearings=np.array(bearings))
    simple_namespace = SimpleNamespace(ranges=[ranges], mates=[[mate]], rays=body.rays.tolist(), numbers=body)
    plan = SimpleNamespace(gaps=[[0.0] * len(ranges)])
    hide_mates(0, simple_namespace, plan, 0.1)
    return plan.gaps[0]


def test_sonars_that_see_a_teammate_are_passed_over_and_obstacles_are_not() -> None:
    ahead, around, gaps = (1.0, 0.0), [-0.5, 0.0, 0.5], [0.5, 0.5, 0.5]
    assert gaps_of(gaps, ahead, around) == [np.inf, np.inf, np.inf]
    assert gaps_of(gaps, (math.nan, math.nan), around) == gaps
    assert gaps_of(gaps, ahead, [-1.0, 0.0, 1.0]) == [0.5, np.inf, 0.5]
    assert gaps_of([0.5, 0.2, 0.5], ahead, around)[1] == 0.2


def all_hidden(gaps: Floats, mates: Floats, slack: float) -> Floats:
    """Return the same gaps of all robots, found on arrays."""
    distance = np.hypot(mates[..., 0], mates[..., 1])[:, :, np.newaxis]
    angle = np.arctan2(mates[..., 1], mates[..., 0])[:, :, np.newaxis]
    off = (SINGLE.bearings - angle + np.pi) % (2.0 * np.pi) - np.pi
    half = np.arcsin(np.minimum(SINGLE.radius * 1.1 / np.maximum(distance, SINGLE.radius), 1.0)) + SINGLE.spread / 2.0
    centre = gaps[:, np.newaxis, :] + SINGLE.radius
    near = (centre > distance - SINGLE.radius - slack) & (centre < distance + slack)
    return np.where((near & (np.abs(off) < half)).any(axis=1), np.inf, gaps)


@settings(max_examples=30)
@given(poses)
def test_the_law_passes_over_the_same_sonars(places: Poses) -> None:
    view = Arena(np.array(places), [Circle(0.0, 0.0, 0.3)]).view((5.0, 0.0))
    gaps = all_hidden(SINGLE.gaps(view.ranges), view.mates, 0.12)
    assert np.array(plan_of(view, shape("triangle", len(places), 0.8)).gaps).tolist() == gaps.tolist()


def test_a_teammate_ahead_ends_the_way_at_two_radii() -> None:
    mates = np.full((2, 2, 2), np.nan)
    mates[0, 1], mates[1, 0] = (0.65, 0.0), (-0.65, 0.0)
    commands = plan_of(view_of(mates), shape("line", 2, 0.8)).commands
    assert commands[0][0] == pytest.approx((0.65 - 0.5 - FormationParameters().margin) / 0.5)
    mates[0, 1], mates[1, 0] = (1.0, 0.0), (-1.0, 0.0)
    assert plan_of(view_of(mates), shape("line", 2, 0.8)).commands[0][0] > commands[0][0]


def test_of_two_that_block_each_other_the_later_one_backs_off() -> None:
    mates = np.full((3, 3, 2), np.nan)
    mates[1, 0] = mates[2, 0] = (3.0, 3.0)
    mates[1, 2] = mates[2, 1] = (0.6, 0.0)
    formation = shape("line", 3, 0.8)

    def backs_off(mates: Floats, stood: float = 2.0) -> list[bool]:
        plan = plan_of(view_of(mates), formation, stood)
        assert all(escape[STOOD] == pytest.approx(0.0) or escape[TURNS] == 0.0 for escape in plan.escapes)
        return [tuple(command) == (-0.15, 0.0) for command in plan.commands]

    assert backs_off(mates) == [False, False, True]
    assert not any(backs_off(mates, 0.0))
    assert not any(backs_off(2.0 * mates))
    mates[2, 0] = (-0.6, 0.0)
    assert not any(backs_off(mates))


def marched(rules: FormationRules, name: str, robots: int) -> list[bytes]:
    """Return all that some robots decide on their way past two obstacles."""
    start = np.column_stack([shape(name, robots, 0.8).places - np.array([2.0, 0.0]), 0.01 * np.arange(robots)])
    arena = Arena(start, [Circle(0.0, 0.3, 0.3), Circle(1.5, -0.4, 0.3)])
    law_of_team = FormationLaw(SINGLE, FormationParameters(), shape(name, robots, 0.8), escaping.calm(robots), rules)
    dt, decided = 0.0, []
    while arena.time < 14.0:
        march_ = law_of_team.decide(arena.view((3.0, 0.0)), dt)
        decided.append(march_.commands.tobytes() + march_.disorder.tobytes() + law_of_team.escapes.still.tobytes())
        dt = arena.hold(march_.commands)
    return decided


@pytest.mark.parametrize(("name", "robots"), [("triangle", 3), ("vee", 5), ("column", 1)])
def test_the_compiled_law_decides_the_same_bit_by_bit(name: str, robots: int) -> None:
    assert marched(RULES, name, robots) == marched(PLAIN, name, robots)


def test_the_compiled_law_finds_mates_where_the_plain_one_does() -> None:
    chance = np.random.default_rng(5)
    find_compiled, find_plain = RULES.mate_finder(), PLAIN.mate_finder()
    for robots in (1, 3, 3, 6):  # a finder serves teams of one size after another
        sightings = chance.uniform(-3.0, 3.0, (robots, 24))
        sightings[:, 2::3] = chance.integers(0, 2, (robots, 8))
        occupants = chance.integers(-1, robots + 2, (robots, 8)).astype(float)
        members = np.array([*chance.permutation(robots), -1, -1, -1])
        assert (
            find_compiled(sightings, occupants, members).tobytes()
            == np.asarray(find_plain(sightings, occupants, members)).tobytes()
        )


def test_large_teams_are_decided_for_by_compiled_functions_where_there_is_a_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert formation.rules_for(10, PLAIN) is PLAIN
    assert formation.rules_for(1000, PLAIN) is RULES
    assert formation.rules_for(10, RULES) is RULES
    monkeypatch.setattr(formation, "find_spec", lambda _: None)
    assert formation.rules_for(1000, PLAIN) is PLAIN
