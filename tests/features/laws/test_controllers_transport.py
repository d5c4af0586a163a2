"""Carrying a load: what leaders and helpers decide, alone and many at once, compiled or not."""

import numpy as np
import pytest
from controllers_standin import SINGLE

from coopsim.features.laws.escaping import Escapes, calm
from coopsim.features.laws.transport import MANY, TransportPerception, rules_for
from coopsim.features.laws.transport_helper import HelperParameters, help_carry
from coopsim.features.laws.transport_leader import LeaderParameters, lead
from coopsim.features.laws.transport_rules import PLAIN, TransportRules
from coopsim.geometry import Floats


def some(robots: int) -> tuple[TransportPerception, Floats, Escapes]:
    """Return what robots might perceive, their speeds and escapes; some see no target and no other end."""
    rng, sonars = np.random.default_rng(1), len(SINGLE.bearings)
    ranges = np.where(rng.random((robots, sonars)) < 0.4, rng.uniform(0.1, 3.0, (robots, sonars)), SINGLE.reach)
    goal = np.column_stack([rng.uniform(0.1, 5.0, robots), rng.uniform(-3.0, 3.0, robots)])
    mates = rng.uniform(-2.0, 2.0, (robots, 1, 2))
    goal[::5], mates[1::5] = np.nan, np.nan
    motion, angle = rng.uniform(-0.1, 0.3, (robots, 2)), rng.uniform(-3.0, 3.0, robots)
    force, carriers = rng.uniform(-40.0, 40.0, (robots, 2)), np.where(np.arange(robots) % 3 == 0, 4.0, 2.0)
    view = TransportPerception(ranges, goal, mates, motion, angle, force, carriers)
    still, turning, driving = rng.choice([0.0, 0.02, 2.48], (3, robots))
    return view, rng.uniform(0.0, 0.3, robots), Escapes(still, turning, driving, np.ones(robots))


def decided(view: TransportPerception, v: Floats, escapes: Escapes, rules: TransportRules) -> list[Floats]:
    commands, speeds, after = lead(view, v, body=SINGLE, law=LeaderParameters(), escapes=escapes, dt=0.05, rules=rules)
    state = [after.still, after.turning, after.driving, after.side]
    return [commands, speeds, *state, *help_carry(view, v, body=SINGLE, law=HelperParameters(), dt=0.05, rules=rules)]


def test_the_compiled_rules_decide_the_same_bit_by_bit() -> None:
    given = some(40)
    compiled = decided(*given, rules_for(MANY))
    assert [array.tolist() for array in compiled] == [array.tolist() for array in decided(*given, PLAIN)]
    assert rules_for(MANY - 1) is PLAIN


def test_what_was_given_stays_as_it_was() -> None:
    for rules in (PLAIN, rules_for(MANY)):
        view, v, escapes = some(10)
        before = [array.copy() for array in (*vars(view).values(), v, escapes.still)]
        decided(view, v, escapes, rules)
        for was, now in zip(before, (*vars(view).values(), v, escapes.still), strict=True):
            assert np.array_equal(was, now, equal_nan=True)


def one(**changes: object) -> TransportPerception:
    """Return what one robot perceives: nothing near, the target ahead, the load behind it and at rest."""
    around, motion = np.full((1, len(SINGLE.bearings)), SINGLE.reach), np.array([[0.2, 0.0]])
    seen = {"ranges": around, "goal": np.array([[4.0, 0.0]]), "mates": np.array([[[-1.5, 0.0]]]), "motion": motion}
    seen["carriers"] = np.array([2.0])
    return TransportPerception(**{**seen, "angle": np.array([np.pi]), "force": np.zeros((1, 2)), **changes})  # type: ignore[arg-type]


def test_a_leader_drives_to_its_target_and_waits_where_the_load_pulls() -> None:
    def speed(view: TransportPerception) -> float:
        commands, *_ = lead(view, np.zeros(1), body=SINGLE, law=LeaderParameters(), escapes=calm(1), dt=0.5)
        return float(commands[0, 0])

    free = speed(one())
    assert free == pytest.approx(0.3 * (1.0 - np.exp(-2.0)))
    assert speed(one(force=np.array([[-30.0, 0.0]]))) == pytest.approx(free / 2.0)
    assert speed(one(force=np.array([[-80.0, 0.0]]))) == 0.0
    assert speed(one(goal=np.array([[0.2, 0.0]]))) == speed(one(goal=np.full((1, 2), np.nan))) == 0.0


def test_a_helper_goes_where_the_load_pulls() -> None:
    law = HelperParameters()
    commands, u = help_carry(
        one(angle=np.zeros(1), force=np.array([[6.0, 0.0]])), np.zeros(1), body=SINGLE, law=law, dt=0.1
    )
    assert u[0] == pytest.approx(6.0 * 0.1 / (law.inertia + law.drag * 0.1))
    assert commands[0].tolist() == pytest.approx([u[0], 0.0])
