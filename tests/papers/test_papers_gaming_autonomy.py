"""Swarm gaming (Hristoskova et al. 2012): robots ask for help, a person takes one over and gives it back. G-6."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from two_squads import two_squads

from coopsim.features.games.logic.match import Match
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

FIELD = f"""\
[WORLD]
file crates.world
[AREA_1]
type border
points -8 -5  8 -5  8 5  -8 5
[ROBOT_1]
type game_infantry
name a
count 2
grid 1x2 2
position -4 0 0
[ROBOT_2]
type game_infantry
name b1
position 5 3.5 0
{two_squads("formation line", "spacing 2")}"""
AROUND = ((-3.4, -1.0, 0.2, 0.9), (-4.0, -0.4, 0.9, 0.2), (-4.0, -1.6, 0.9, 0.2), (-4.6, -1.0, 0.2, 0.9))


class Played:
    """A match whose player sees what the log says."""

    def __init__(self, file: Path) -> None:
        server = LocalServer(Simulation(load(str(file))), is_hashed=False)
        self.sim, self.person = server.connect(), server.connect()
        self.stepper = self.sim.stepper(["a1", "a2", "b1"], every=10)
        self.match = Match(self.sim, self.stepper)
        self.heard = self.person.listen("/game/log")
        self.commands: dict = {}

    def play(self, seconds: float) -> list[str]:
        """Return what was told meanwhile."""
        for _ in range(round(10 * seconds)):
            self.commands = self.match.decide(self.stepper.step(self.commands)) or {}
        texts = []
        while (event := self.heard.hear(0.0)) is not None:
            texts.append(event.text)
        return texts

    def position_of(self, name: str) -> np.ndarray:
        return self.match.model.position(self.match.model.robots[name]).copy()

    def close(self) -> None:
        self.heard.close()
        self.match.close()
        self.sim.close()
        self.person.close()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    crates = (
        f"[OBJECT_{n}]\ntype box\nname crate_{n}\nsize {length} {width} 0.4\nposition {x} {y} 0\nmass 300\n"
        for n, (x, y, length, width) in enumerate(AROUND, 1)
    )
    (tmp_path / "crates.world").write_text("[FLOOR]\n" + "".join(crates))
    (tmp_path / "match.scenario").write_text(FIELD)
    played = Played(tmp_path / "match.scenario")
    yield played
    played.close()


def test_a_robot_that_is_blocked_asks_for_help_although_it_tries_other_ways_g6(played: Played) -> None:
    played.person.publish("/game/orders/one", "a go_to 4 0")
    texts = played.play(10.0)
    assert not [text for text in texts if ": help: " in text]
    texts = played.play(15.0)
    assert [text for text in texts if ": help: " in text] == [
        "a1: help: a1 comes no nearer to where it goes: take it over, or order something else"
    ]
    assert played.match.intelligences["a"].freed > 0.0  # it tried
    assert played.position_of("a2")[0] > 3.0  # and the rest went on


def test_who_asked_is_taken_over_by_its_player_until_a_word_or_a_time_g6(played: Played) -> None:
    played.person.publish("/game/orders/one", "a go_to 4 0")
    played.play(25.0)
    begun = played.position_of("a1")
    for line in ("a1 take 5", "a1 drive -0.2 0.8"):
        played.person.publish("/game/orders/one", line)
    texts = played.play(3.0)
    assert "one: taken: a1 is driven by hand" in texts
    assert [robot.name for robot in played.match.model.squads["a"].obeying] == ["a2"]
    assert not np.array_equal(played.position_of("a1"), begun)
    assert played.play(3.0)[-1:] == ["one: given: a1 follows its squad again: its time is over"]
    played.person.publish("/game/orders/one", "a1 take")
    played.play(8.0)
    played.person.publish("/game/orders/one", "a1 give")
    assert "one: given: a1 follows its squad again: it was given back" in played.play(1.0)
    assert played.commands == {}
    assert [text for text in played.play(25.0) if ": help: " in text]  # it is still among the crates, and asks anew


@pytest.fixture
def duel() -> Iterator[Match]:
    server = LocalServer(Simulation(load("duel")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        match.bots = []
        for _ in range(3):
            assert match.decide(stepper.step({})) is not None
        yield match
        match.close()


def test_a_person_asks_robots_for_help_and_another_squad_comes_g6(duel: Match) -> None:
    assert duel.order("west", "a1 take") == ""
    assert duel.order("west", "a1 help") == ""
    duel.process()
    assert str(duel.intelligences["ax"].order) == "ax defend a1"
    assert duel.intelligences["a"].order is None
    for robot in duel.model.squads["ax"].robots:
        robot.health = 0.0
    assert duel.order("west", "a1 help") == ""
    duel.process()
    assert str(duel.intelligences["a"].order) == "a defend a1", "nobody but the rest of its own squad is left"


def test_help_is_refused_where_nobody_can_come_or_the_robot_is_of_others_g6(duel: Match) -> None:
    for name in ("a2", "a3", "a4", "a5"):
        duel.model.robots[name].health = 0.0
    assert duel.order("west", "a1 help") == "nobody can come to a1"
    assert duel.order("west", "a1 help me") == "help takes nothing"
    assert duel.order("west", "b1 help") == "b1 is east's"
    assert duel.order("west", "a4 help") == "a4 has no health left"
    assert [intelligence.order for intelligence in duel.intelligences.values()] == [None] * 4
    assert [entry.rule for entry in duel.model.log].count("illegal order") == 4
