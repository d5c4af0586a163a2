"""Swarm gaming (Hristoskova et al. 2012): squads that come towards each other. G-60 to G-63, figure 5."""

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from coopsim.features.games.logic.avoiding import AvoidSquad
from coopsim.features.games.logic.behaviours import standard
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.squads import Arbitrator
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

FIELD = """\
[AREA_1]
type border
name field
points -8 -6  8 -6  8 6  -8 6
[GAME]
rules death_match
time 200
[PLAYER_1]
name west
[PLAYER_2]
name east
[SQUAD_1]
name a
player west
robots a*
power 0
formation wedge
[SQUAD_2]
name b
player east
robots b*
power 0
formation wedge
[ROBOT_1]
type game_infantry
name a
count 3
grid 1x3 0.8
position -5 0 0
[ROBOT_2]
type game_infantry
name b
count 3
grid 1x3 0.8
position 5 0 0
orientation 0 0 180
"""


class Meeting:
    """Two squads in a match that nobody else disturbs."""

    def __init__(self, file: str, stack: ExitStack) -> None:
        sim = stack.enter_context(LocalServer(Simulation(load(file)), is_hashed=False).connect())
        self.stepper = stack.enter_context(sim.stepper(every=10))
        self.match = Match(sim, self.stepper)
        self.stepper.step({})
        self.active: set[tuple[str, str]] = set()
        self.paths: list[np.ndarray] = []
        self.touched = 0

    def play(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            seen = self.stepper.step({})
            assert self.match.decide(seen) is not None
            self.active |= {(name, intelligence.active) for name, intelligence in self.match.intelligences.items()}
            self.paths.append(self.match.model.positions.copy())
            self.touched += sum(seen[name].intelligence.reflex == 1.0 for name in self.match.model.robots)

    def nearest(self) -> float:
        """Return how near robots of different squads came to each other [m]."""
        places = np.array(self.paths)
        return float(np.hypot(*(places[:, :3, np.newaxis] - places[:, np.newaxis, 3:]).transpose(3, 0, 1, 2)).min())

    def middles(self) -> tuple[np.ndarray, np.ndarray]:
        a, b = (self.match.model.middle(self.match.model.squads[name]) for name in "ab")
        return a, b


@pytest.fixture
def begun(tmp_path) -> Iterator:
    with ExitStack() as stack:

        def begin() -> Meeting:
            (tmp_path / "field.scenario").write_text(FIELD)
            return Meeting(str(tmp_path / "field.scenario"), stack)

        yield begin


def test_squads_that_come_towards_each_other_step_aside_and_go_on_along_their_paths_g62_g63(begun) -> None:
    meeting = begun()
    meeting.match.order("west", "a go_to 5 0")
    meeting.match.order("east", "b go_to -5 0")
    meeting.play(40.0)
    assert {("a", "avoid"), ("b", "avoid")} <= meeting.active
    a, b = meeting.middles()
    assert (a.tolist(), b.tolist()) == (pytest.approx([5.0, 0.0], abs=0.5), pytest.approx([-5.0, 0.0], abs=0.5))
    assert meeting.nearest() > 0.3  # twice the radius
    assert meeting.touched == 0
    assert meeting.match.referee.violations == set()
    aside = np.array(meeting.paths)[:, :, 1]
    assert aside[:, :3].mean(axis=1).min() < -0.5  # each squad passes on its own right
    assert aside[:, 3:].mean(axis=1).max() > 0.5


def test_a_squad_that_stands_in_the_way_is_passed_by_who_comes_g62(begun) -> None:
    meeting = begun()
    meeting.match.order("west", "a go_to 7 0")
    meeting.play(40.0)
    assert ("a", "avoid") in meeting.active
    assert ("b", "avoid") not in meeting.active
    assert meeting.nearest() > 0.3
    assert meeting.middles()[0].tolist() == pytest.approx([7.0, 0.0], abs=0.6)


def test_what_is_attacked_is_not_avoided_g55_g62(begun) -> None:
    meeting = begun()
    meeting.match.order("west", "a attack b")
    meeting.play(20.0)
    assert ("a", "avoid") not in meeting.active
    assert np.hypot(*(meeting.middles()[1] - meeting.middles()[0])) < 2.5


def test_without_the_behaviour_squads_touch(begun) -> None:
    meeting = begun()
    kept = [behaviour for behaviour in standard() if not isinstance(behaviour, AvoidSquad)]
    meeting.match.arbitrators = {name: Arbitrator(kept) for name in "ab"}
    meeting.match.order("west", "a go_to 5 0")
    meeting.match.order("east", "b go_to -5 0")
    meeting.play(25.0)
    assert meeting.nearest() < 0.4
