"""Squads that players divide and join: who is in them, what they go on doing, what is refused, who is told."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.games.commands.order_words import OrderWords
from coopsim.features.games.logic.carrying_on import carry_on
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import read_order
from coopsim.features.games.logic.publishing import MatchPublisher
from coopsim.features.games.logic.watching import MatchWatcher
from coopsim.features.games.window.battle import Battle
from coopsim.features.matches.events import match_status
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


class Field:
    """A match of equal sides without computer players."""

    def __init__(self, file: Path) -> None:
        self.server = LocalServer(Simulation(load(file)), is_hashed=False)
        self.stack = ExitStack()
        self.sim = self.stack.enter_context(self.server.connect())
        self.stepper = self.stack.enter_context(self.sim.stepper(every=10))
        self.match = Match(self.sim, self.stepper)
        self.seen = self.stepper.step({})

    def go_on(self, rounds: int = 1) -> None:
        for _ in range(rounds):
            self.seen = self.stepper.step(self.match.decide(self.seen) or {})

    def members(self) -> dict[str, list[str]]:
        return {name: [robot.name for robot in squad.robots] for name, squad in self.match.model.squads.items()}


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    text = find_file("duel", (".scenario",)).read_text(encoding="utf-8")
    file = tmp_path / "still.scenario"
    file.write_text(text.replace("bot         normal", "bot         none"), encoding="utf-8")
    field = Field(file)
    field.match.observe(field.seen)
    with field.stack:
        yield field


def test_a_squad_that_is_divided_goes_on_as_it_was_told_and_each_part_obeys_by_itself(field: Field) -> None:
    assert field.match.order("west", "a go_to -3 0") == ""
    field.go_on()
    assert field.match.order("west", "a split guard a2 a3") == ""
    assert {*field.members()} == {"a", "ax", "b", "bx", "guard"}
    assert (field.members()["a"], field.members()["guard"]) == (["a1"], ["a2", "a3"])
    assert str(field.match.intelligences["guard"].order) == "guard go_to -3 0"
    assert field.match.order("west", "guard go_to -6 3") == ""
    field.go_on(3)
    ways = {name: squad.ways for name, squad in field.match.intelligences.items()}
    assert {*ways["a"]} == {"a1"}
    assert {*ways["guard"]} == {"a2", "a3"}
    assert np.hypot(*(ways["a"]["a1"][-1] - (-3.0, 0.0))) < 0.3
    assert max(np.hypot(*(way[-1] - (-6.0, 3.0))) for way in ways["guard"].values()) < 1.0
    assert "a2, a3 of a form squad guard" in [entry.text for entry in field.match.model.log]


def test_squads_that_are_joined_obey_as_one_and_who_attacks_the_one_that_is_gone_goes_on(field: Field) -> None:
    assert field.match.order("east", "b attack ax") == ""
    field.go_on()
    assert field.match.order("west", "a merge ax") == ""
    assert field.members()["a"] == ["a1", "a2", "a3", "a4", "a5"]
    assert "ax" not in field.match.arbitrators
    assert {robot.squad for robot in field.match.model.robots.values() if robot.player == "west"} == {"a"}
    assert field.match.intelligences["b"].order.subject == "a"
    assert field.match.order("west", "a gather -5 0 line") == ""
    field.go_on(2)
    assert {*field.match.intelligences["a"].ways} == {"a1", "a2", "a3", "a4", "a5"}
    rows = [robot.index for robot in field.match.model.squads["a"].robots]
    assert np.allclose(field.match.view.middles["a"], field.match.model.positions[rows].mean(axis=0))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a split x", "split takes the name of the new squad and its robots, got 1 words"),
        ("a split b a2", "there is something called b already"),
        ("a split a1 a2", "there is something called a1 already"),
        ("a split 2nd a2", "a squad cannot be called '2nd'"),
        ("a split x a4", "a4 is not in squad a, or is out; a1, a2, a3"),
        ("a split x a1 a2 a3", "a would have nobody left"),
        ("b split x b1", "squad b is east's"),
        ("a merge a", "a cannot join itself"),
        ("a merge b", "squad b is east's"),
        ("a merge nobody", "there is nothing called nobody"),
    ],
)
def test_what_squads_cannot_be_is_refused(field: Field, line: str, reason: str) -> None:
    before = field.members()
    assert reason in field.match.order("west", line)
    assert field.members() == before


def test_orders_that_divide_are_read_and_written_as_players_type_them() -> None:
    order = read_order("a split guard a2 a3 a2")
    assert (order.subject, order.robots) == ("guard", ("a2", "a3"))
    assert read_order(str(order)) == order


def test_who_watches_and_the_window_know_the_squads_and_who_comes_late_is_told(field: Field) -> None:
    with field.server.connect() as client:
        watcher, battle = MatchWatcher(client), Battle(player="west")
        battle.begin(client.info()["game"])
        for line in ("a split guard a2 a3", "ax merge guard"):
            assert field.match.order("west", line) == ""
            field.go_on()
        events = watcher.update()
        names = ["a4", "a5", "a2", "a3"]
        assert [robot.name for robot in watcher.model.squads["ax"].robots] == names
        assert "guard" not in watcher.model.squads
        for status in filter(None, (match_status(event.text) for event in events)):
            battle.know(status)
        assert battle.squads["ax"].robots == tuple(names)
        assert battle.fighters["a2"].squad == "ax"
        assert {*battle.squads} == {"a", "ax", "b", "bx"}
        watcher.close()
    field.match.model.time += 100.0
    late = list(MatchPublisher(field.sim, field.match.model)._status.changes(field.match.regrouping.members, {}))
    assert json.loads(late[0][1])["squads"]["a"] == ["west", ["a1"]]


def test_the_window_offers_to_divide_one_squad_and_to_join_several(field: Field) -> None:
    battle = Battle(player="west")
    battle.begin(field.sim.info()["game"])
    battle.selected = ("a",)
    assert battle.halves() == ["a split a_2 a3"]
    assert battle.joined() == []
    battle.selected = ("a", "ax")
    assert battle.halves() == []
    assert battle.joined() == ["a merge ax"]
    battle.know({"squads": {"a": ["west", ["a1", "a2", "a3", "a4", "a5"]], "ax": ["west", []]}})
    assert battle.selected == ("a",)


def test_a_path_that_begins_where_a_squad_has_stood_for_long_is_shown_until_it_is_walked(field: Field) -> None:
    battle = Battle(player="west", selected=("a",))
    battle.begin(field.sim.info()["game"])
    battle.places = {name: np.zeros(2) for name in battle.squads["a"].robots}
    for now, end, is_shown in ((0.0, 0.5, True), (2.5, 0.5, False), (30.0, -0.5, True), (32.5, -0.5, False)):
        if is_shown:
            battle.paths["a"] = [(end, 0.0)]
        battle.next_legs(now)
        assert ("a" in battle.paths) is is_shown


def test_completion_knows_the_robots_that_may_form_a_squad(field: Field) -> None:
    words = OrderWords(field.sim.info()["game"], "west")
    assert {"split", "merge"} <= {*words.after("a ")}
    assert words.after("a split guard a2 a") == ["a1", "a3", "a4", "a5"]
    assert words.after("a merge ") == ["a", "ax"]


def test_a_match_that_goes_on_without_a_robot_keeps_its_squads(field: Field) -> None:
    for line in ("a split guard a2 a3", "guard merge ax", "guard go_to -6 3"):
        assert field.match.order("west", line) == ""
    field.go_on()
    before, after = field.match, Match(field.sim, field.stepper)
    after.observe(field.seen)
    carry_on(before, after)
    field.match = after
    assert {*field.members()} == {"a", "b", "bx", "guard"}
    assert (field.members()["a"], field.members()["guard"]) == (["a1"], ["a2", "a3", "a4", "a5"])
    assert str(after.intelligences["guard"].order) == "guard go_to -6 3"
    field.go_on(2)
    assert {*after.intelligences["guard"].ways} == {"a2", "a3", "a4", "a5"}
