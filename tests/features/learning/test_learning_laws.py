"""Plain laws that a learner has to beat, on observations that a test makes up."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.learning.plain_laws import spacing as keep
from coopsim.features.learning.scoring import by_chance, law
from coopsim.features.learning.tasks import TargetTask
from coopsim.geometry import Floats

SONARS, MIDDLE = 11, 5
ANGLES = st.floats(-3.1, 3.1)


def reaching(angle: float, distance: float = 0.5, **near: float) -> Floats:
    """Return the action of a robot that sees its target so; `near` are sonars by number, as shares of their reach."""
    observation = np.ones((1, SONARS + 5))
    observation[0, SONARS : SONARS + 3] = distance, np.cos(angle), np.sin(angle)
    for name, share in near.items():
        observation[0, int(name[1:])] = share
    return np.asarray(law(TargetTask())(observation)[0])


@given(ANGLES)
def test_it_turns_towards_its_target_and_drives_only_where_that_is_ahead(angle: float) -> None:
    speed, turn = reaching(angle)
    assert turn == pytest.approx(np.clip(1.5 * angle, -1.0, 1.0))
    assert speed == pytest.approx(max(0.0, np.cos(angle)))


@pytest.mark.parametrize(("free", "turn"), [("s1", 1.0), ("s9", -1.0)])
def test_it_turns_away_from_what_is_ahead_to_the_side_with_more_room(free: str, turn: float) -> None:
    """The sonars go from right to left: who has less room at the right turns left."""
    speed, turned = reaching(0.0, **{f"s{MIDDLE}": 0.05, free: 0.02})
    assert turned == turn
    assert speed <= 0.0


def test_near_its_target_it_heeds_no_wall_behind_that() -> None:
    speed, turn = reaching(0.0, distance=0.05, **{f"s{MIDDLE}": 0.05})
    assert (speed, turn) == (1.0, 0.0)


def spacing(*neighbours: tuple[float, float]) -> Floats:
    """Return the action of a robot that sees two neighbours so: distance [m] and bearing."""
    (first, a), (second, b) = neighbours
    seen = [first / 5.0, second / 5.0, np.cos(a), np.cos(b), np.sin(a), np.sin(b)]
    observation = np.array([[*np.ones(SONARS), *seen]])
    return np.asarray(keep(1.5, is_least=False)(observation)[0])


def test_who_is_at_its_distance_from_both_stands() -> None:
    assert spacing((1.5, 0.5), (1.5, -0.5)).tolist() == [0.0, 0.0]


def test_who_is_too_far_away_goes_between_its_neighbours() -> None:
    speed, turn = spacing((3.0, 0.4), (3.0, -0.4))
    assert speed == pytest.approx(1.0)
    assert turn == pytest.approx(0.0, abs=1e-9)
    assert spacing((3.0, 0.9), (3.0, 0.1))[1] == pytest.approx(0.5, abs=0.01)


def test_who_is_too_near_backs_off_without_turning_around() -> None:
    speed, turn = spacing((0.5, 0.4), (0.5, -0.4))
    assert speed == pytest.approx(-1.0)
    assert turn == pytest.approx(0.0, abs=1e-9)


def test_a_policy_by_chance_draws_every_action_of_every_robot_anew() -> None:
    task: Any = SimpleNamespace(acting=SimpleNamespace(width=2))
    policy, again = by_chance(task, 3), by_chance(task, 3)
    observations = np.zeros((64, 3, 15))
    first = policy(observations)
    assert first.shape == (64, 3, 2)
    assert -1.0 <= first.min() < -0.9 < 0.9 < first.max() <= 1.0
    assert first.tolist() == again(observations).tolist()
    assert first.tolist() != policy(observations).tolist()
