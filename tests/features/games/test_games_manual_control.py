"""Robots that a person drives, what a match tells, and who follows it."""

from collections.abc import Iterator

import numpy as np
import pytest

from coopsim.features.games.commands.order_words import OrderWords
from coopsim.features.games.logic.bots import make_bot
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.watching import MatchWatcher
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


class Played:
    """A match without computer players."""

    def __init__(self, path, wait: float = 0.0) -> None:
        self.server = LocalServer(Simulation(load(str(path))), is_hashed=False)
        self.sim = self.server.connect()
        self.stepper = self.sim.stepper(every=10)
        self.match = Match(self.sim, self.stepper, wait)
        self.commands: dict = {}

    def play(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            commands = self.match.decide(self.stepper.step(self.commands))
            assert commands is not None
            self.commands = commands

    def rules(self) -> list[str]:
        return [entry.rule for entry in self.match.model.log]


@pytest.fixture
def path(tmp_path):
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    (tmp_path / "match.scenario").write_text(text)
    return tmp_path / "match.scenario"


@pytest.fixture
def played(path) -> Iterator[Played]:
    played = Played(path)
    yield played
    played.sim.close()


def test_a_person_drives_one_robot_while_its_squad_goes_on_without_it(played: Played) -> None:
    match, model = played.match, played.match.model
    match.order("south_team", "a go_to 4 -4 line")
    played.play(1.0)
    begun = model.position(model.robots["a1"]).copy()
    assert match.order("south_team", "a1 take 4") == ""
    assert match.order("south_team", "a1 drive -0.3 0") == ""
    played.play(3.0)
    assert [robot.name for robot in model.squads["a"].obeying] == ["a2", "a3"]
    assert set(match.intelligences["a"].ways) == {"a2", "a3"}
    assert np.hypot(*(model.position(model.robots["a1"]) - begun)) > 0.5
    played.play(1.5)  # the time is over
    assert [rule for rule in played.rules() if rule in {"taken", "given"}] == ["taken", "given"]
    assert set(match.intelligences["a"].ways) == {"a1", "a2", "a3"}
    assert played.commands == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("b1 take", "b1 is north_team's"),
        ("x1 take", "there is no robot x1"),
        ("a1 drive 1 0", "a1 is not driven by hand: take it first"),
        ("a1 give", "a1 is not driven by hand"),
        ("a1 take -1", "take takes nothing, or seconds above 0"),
        ("a1 take soon", "take takes numbers, got 'soon'"),
        ("a1 take nan", "take takes numbers"),
    ],
)
def test_robots_are_taken_over_by_their_players_alone(played: Played, line: str, said: str) -> None:
    assert said in played.match.order("south_team", line)
    assert played.rules() == ["illegal order"]


def test_what_is_driven_has_limits_and_is_given_back_by_a_word(played: Played) -> None:
    match = played.match
    assert match.order("south_team", "a1 take") == ""
    said = match.order("south_team", "a1 drive 9 0")
    assert said == "a1 drives at most 0.5 m/s and turns at most 2.2 rad/s, as its type does; got 9 and 0"
    assert "at most 0.5 m/s" in match.order("south_team", "a1 drive -0.75 0")  # which its motors could
    assert "at most 2.2 rad/s" in match.order("south_team", "a1 drive 0 2.3")
    assert match.order("south_team", "a1 drive 0.5 -2.2") == ""
    assert "got 1 numbers" in match.order("south_team", "a1 drive 0.3")
    assert "give takes nothing" in match.order("south_team", "a1 give now")
    assert match.order("south_team", "a1 give") == ""
    assert not match.model.robots["a1"].is_taken
    match.order("south_team", "a2 take")
    match.manual_control.free_all(["south_team"])
    assert not match.model.robots["a2"].is_taken
    match.model.robots["a3"].health = 0.0
    assert match.order("south_team", "a3 take") == "a3 has no health left"


def test_a_robot_that_is_stuck_asks_for_help_once(played: Played) -> None:
    played.play(0.1)
    stuck, doing = np.array([0.0, 13.0, 0.0, 0.0, 0.0, 0.0]), np.full(6, 12.0)
    played.match.manual_control.begin_round(stuck, doing)
    played.match.manual_control.begin_round(stuck, doing)
    assert [(entry.source, entry.rule) for entry in played.match.model.log] == [("a2", "help")]


def test_a_new_way_that_leads_nowhere_either_does_not_begin_the_time_anew(played: Played) -> None:
    played.play(0.1)
    control, model, doing = played.match.manual_control, played.match.model, np.full(6, 12.0)
    control.begin_round(np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0]), doing)
    model.time += 5.0
    control.begin_round(np.zeros(6), doing)  # it was sent another way
    model.time += 5.0
    control.begin_round(np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0]), doing)
    assert [(entry.source, entry.rule) for entry in model.log] == [("a2", "help")]


def test_who_rests_or_is_driven_by_hand_asks_for_no_help(played: Played) -> None:
    played.play(0.1)
    stuck = np.array([13.0, 13.0, 0.0, 0.0, 0.0, 0.0])
    played.match.model.robots["a1"].is_taken = True
    played.match.manual_control.begin_round(stuck, np.array([12.0, 0.0, 12.0, 12.0, 12.0, 12.0]))
    assert played.match.model.log == []


def test_an_order_waits_and_the_last_one_counts_g91(path) -> None:
    played = Played(path, wait=0.3)
    played.match.order("south_team", "a go_to 4 -4")
    played.match.order("south_team", "a go_to -4 -4")
    played.play(0.2)
    assert played.match.intelligences["a"].order is None
    played.play(0.3)
    assert str(played.match.intelligences["a"].order) == "a go_to -4 -4"
    played.sim.close()


def test_who_watches_knows_health_flags_and_places_and_a_computer_player_needs_no_more(played: Played) -> None:
    model = played.match.model
    with played.server.connect() as other_client:
        watcher = MatchWatcher(other_client)
        played.play(0.1)
        model.robots["b2"].health = 40.0
        model.robots["a3"].power = 7.0
        model.robots["a1"].holding, model.flags["blue"].carrier = "blue", "a1"
        model.flags["blue"].place = (1.0, 2.0)
        played.match.publisher.publish(None)
        assert {event.topic for event in watcher.update()} >= {"/game/status"}
        seen = watcher.model
        assert (seen.robots["b2"].health, seen.robots["a3"].power) == (40.0, 7.0)
        assert (seen.flags["blue"].carrier, seen.flags["blue"].place) == ("a1", (1.0, 2.0))
        assert seen.robots["a1"].holding == "blue"
        facts = ("range", "damage", "rate", "speed", "turn", "radius", "abilities")
        for robot in model.robots.values():
            assert [getattr(seen.robots[robot.name], name) for name in facts] == [
                getattr(robot, name) for name in facts
            ]
        lake_and_floor = np.array([(0.0, 0.0), (3.0, -4.0)])
        assert seen.blocked(lake_and_floor).tolist() == model.blocked(lake_and_floor).tolist() == [True, False]
        assert seen.position(seen.robots["b1"]) == pytest.approx(model.position(model.robots["b1"]), abs=0.01)
        assert [str(order) for order in make_bot("south_team", "hard").orders(seen, "capture_the_flag")] == [
            "a bring south"
        ]
        played.match.publisher.publish({"winner": "south_team", "reason": "a1 brought blue home", "time": 1.0})
        watcher.update()
        assert watcher.is_over
        watcher.close()


def test_words_that_may_come_next(played: Played) -> None:
    words = OrderWords(played.match.game, "south_team")
    assert words.after("") == ["a", "a1", "a2", "a3", "say", "help"]
    assert words.after("a ca") == ["capture"]
    assert words.after("a capture ") == ["red", "blue"]
    assert words.after("a attack b") == ["b", "b1", "b2", "b3"]
    assert words.after("a go_to 1 2 w") == ["wedge"]
    assert words.after("a1 ") == ["take", "drive", "give", "help"]
    assert words.after("say he") == []
