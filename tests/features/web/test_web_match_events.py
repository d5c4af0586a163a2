"""Events of a match as pages show them: those of its logic, and chat of who holds the seat."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.errors import NoReply, NotInThisMode
from coopsim.features.matches.events import lobby_text
from coopsim.features.web.match_events import MatchEvents
from coopsim.message import ChannelEvent

GAME = {
    "players": [{"name": "west"}, {"name": "east"}],
    "squads": [{"player": "west", "robots": ["a1"]}, {"player": "east", "robots": ["b1", "b2"]}],
}
SEATS = '{"west": "", "east": "tablet"}'


@dataclass
class Run:
    """A run that says who owns its robots."""

    owners: Mapping[str, str] = field(default_factory=lambda: {"a1": "logic", "b1": "logic", "b2": "logic"})
    problem: Exception | None = None
    asked: int = 0

    def module(self, target: str) -> "Run":
        assert target == "/sim/step"
        return self

    async def call(self, command: str, robots: list[str]) -> SimpleNamespace:
        assert (command, robots) == ("owners", ["a1", "b1", "b2"])
        self.asked += 1
        if self.problem is not None:
            raise self.problem
        return SimpleNamespace(owners=[word for pair in self.owners.items() for word in pair])


class Stage:
    """What a page sees of events at instants that a test chooses."""

    def __init__(self, run: Run, game: Mapping[str, Any] | None = GAME) -> None:
        self.now, self.run = 100.0, run
        self.events = MatchEvents(run, game, lambda: self.now)  # type: ignore[arg-type]

    def shown(self, topic: str, source: str, text: str = "words") -> list[str]:
        return [event.text for event in asyncio.run(self.events.shown(ChannelEvent(topic, text, (), source)))]

    def waited(self, later: float) -> list[str]:
        self.now += later
        return [event.text for event in asyncio.run(self.events.waited())]


def test_lines_of_the_logic_are_shown_and_those_of_a_stranger_are_not() -> None:
    stage = Stage(Run())
    assert stage.shown("/game/log", "logic", "b: order: go") == ["b: order: go"]
    (notice,) = stage.shown("/game/log", "evil", "west surrenders")
    assert ("surrenders" in notice, "a stranger, who is no logic of this match" in notice) == (False, True)
    assert stage.shown("/game/log", "evil", "west surrenders") == []
    assert stage.shown("/game/end", "logic", "{}") == ["{}"]
    assert stage.shown("/game/orders/east", "tablet", "b attack a") == []
    assert stage.shown("/game/seats/east", "tablet", "claim") == []


def test_chat_waits_until_it_is_known_who_holds_the_seat() -> None:
    stage = Stage(Run())
    assert stage.shown("/game/chat/east", "tablet", "hello") == []
    assert stage.waited(0.5) == []
    assert stage.shown("/game/seats", "logic", SEATS) == [SEATS]
    assert stage.waited(0.1) == ["hello"]
    assert stage.shown("/game/chat/east", "tablet", "again") == ["again"]
    assert stage.shown("/game/chat/east", "evil", "I am east") == []
    (notice,) = stage.waited(1.5)
    assert "does not hold the seat of east" in notice
    assert stage.shown("/game/chat/guest", "evil", "hi") == ["hi"]


def test_the_run_is_asked_seldom_and_at_once_for_a_source_that_is_new() -> None:
    run = Run()
    stage = Stage(run)
    for _ in range(5):
        stage.shown("/game/log", "logic")
    assert run.asked == 1
    run.owners = {"a1": "other logic", "b1": "other logic", "b2": "other logic"}
    stage.now += 0.2
    assert stage.shown("/game/log", "other logic", "new") == ["new"]
    assert run.asked == 2
    stage.now += 0.05
    stage.shown("/game/log", "evil")
    assert run.asked == 2


def test_of_a_recording_and_of_a_run_without_a_match_all_is_shown() -> None:
    stage = Stage(Run(problem=NotInThisMode("a recording")))
    assert stage.shown("/game/log", "anybody") == ["words"]
    stage = Stage(Run(), None)
    assert stage.shown("/game/end", "anybody", "{}") == ["{}"]
    assert (stage.shown("/log/x", "anybody"), stage.waited(5.0), stage.run.asked) == (["words"], [], 0)
    assert Stage(Run()).shown("/log/x", "anybody") == ["words"]


def test_what_was_known_holds_while_the_run_does_not_answer() -> None:
    run = Run()
    stage = Stage(run)
    assert stage.shown("/game/log", "logic") == ["words"]
    run.problem, stage.now = NoReply("gone"), stage.now + 5.0
    assert stage.shown("/game/log", "logic") == ["words"]


@pytest.mark.parametrize(
    ("topic", "text", "news"),
    [
        ("/game/log", "lobby: lobby: the match begins", "the match begins"),
        ("/game/log", "b: order: lobby: lobby: the match begins", ""),
        ("/game/chat/b", "lobby: lobby: the match begins", ""),
        ("/game/log", "lobby", ""),
        ("/game/status", '{"robots": [], "flags": {}, "lobby": "waits for players: b"}', "waits for players: b"),
        ("/game/status", '{"robots": [], "flags": {}}', ""),
        ("/game/status", "lobby: lobby: the match begins", ""),
    ],
)
def test_news_of_the_lobby_are_told_apart(topic: str, text: str, news: str) -> None:
    assert lobby_text(ChannelEvent(topic, text)) == news
