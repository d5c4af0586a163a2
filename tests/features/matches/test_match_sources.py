"""What strangers tell in the name of a match does not count."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from coopsim.client import Client
from coopsim.features.games.commands.computer_player import play_by_computer
from coopsim.features.games.commands.playing import play_by_lines
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.watching import MatchWatcher
from coopsim.features.matches import stream as match_stream
from coopsim.features.matches.stream import MatchFilter, MatchSources, MatchStream
from coopsim.inprocess import LocalServer
from coopsim.message import ChannelEvent
from coopsim.robots import load
from coopsim.simulation import Simulation

FORGED = {"winner": "EVIL", "reason": "because", "time": 1.0}
STATUS = {"robots": [["a1", 0.0, 0.0, ""]], "flags": {}}
GAME = {
    "players": [{"name": "south"}, {"name": "north"}],
    "squads": [{"player": "south", "robots": ["a1", "a2"]}, {"player": "north", "robots": ["b1"]}],
}


@dataclass
class Owners:
    """Who owns which robot, as a server would say."""

    by_robot: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    is_recording: bool = False

    def __call__(self, robots: Sequence[str]) -> Mapping[str, str] | None:
        self.asked += 1
        return None if self.is_recording else {name: self.by_robot[name] for name in robots if name in self.by_robot}


def channel_event(topic: str, source: str, text: str = "") -> ChannelEvent:
    return ChannelEvent(f"/game/{topic}", text, (), source)


class Clock:
    def __init__(self, step: float = 0.2) -> None:
        self.now, self._step = 100.0, step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


class Table:
    """A match in this process, with a player and a stranger."""

    def __init__(self, stack: ExitStack) -> None:
        self.server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
        self.player, self.stranger = (stack.enter_context(self.server.connect()) for _ in range(2))
        sim = stack.enter_context(self.server.connect())
        self.stepper = stack.enter_context(sim.stepper(every=10))
        self.match = Match(sim, self.stepper)
        stack.callback(self.match.close)

    def observe(self) -> None:
        self.match.decide(self.stepper.step({}))

    def forge(self, client: Client | None = None) -> None:
        for topic, text in (
            ("end", json.dumps(FORGED)),
            ("status", json.dumps(STATUS)),
            ("log", "south_team: order: b surrender"),
            ("chat/south_team", "I surrender"),
        ):
            (client or self.stranger).publish(f"/game/{topic}", text, (1.0,))


@pytest.fixture
def table() -> Iterator[Table]:
    with ExitStack() as stack:
        yield Table(stack)


def test_a_watcher_believes_no_stranger_and_says_so_once(table: Table) -> None:
    now = [0.0]
    watcher = MatchWatcher(table.player)
    watcher._heard.close()
    watcher._heard = MatchStream(table.player, watcher.game, lambda: now[0])
    table.observe()
    for _ in range(3):
        table.forge()
    events = watcher.update()
    now[0] = 2.0
    events += watcher.update()  # chat is held a moment: its source may have taken the seat just now
    health = watcher.model.robots["a1"].health
    watcher.close()
    assert (watcher.is_over, watcher.result, health) == (True, None, table.match.model.robots["a1"].health)
    assert not any("surrender" in event.text for event in events)
    notices = [event.text for event in events if "a stranger" in event.text]
    topics = ("/game/end", "/game/status", "/game/log", "/game/chat/south_team")
    assert [text.split(" on ")[-1] for text in notices] == [f"{topic} does not count" for topic in topics]


def test_a_terminal_goes_on_after_a_forged_end_and_shows_the_true_one(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    class Typist:
        is_over = False
        calls = 0

        def read_lines(self) -> list[str]:
            self.calls += 1
            if self.calls == 3:
                table.forge()
            table.match.referee.reason = "the test is over" if self.calls > 6 else ""
            table.observe()
            return []

    play_by_lines(table.player, "south_team", Typist(), 600.0)
    out = capsys.readouterr().out
    assert "EVIL" not in out
    assert "surrender" not in out
    assert "illegal event: a stranger, who is no logic of this match: what it tells on /game/end does not count" in out
    assert out.endswith("the test is over\n")


def test_chat_counts_from_who_holds_the_seat_alone_and_is_not_lost_while_the_seat_is_taken(table: Table) -> None:
    with MatchStream(table.stranger, table.match.game) as events:
        table.player.publish("/game/seats/south_team", "claim")
        table.player.publish("/game/chat/south_team", "good luck")
        table.observe()
        texts = [event.text for event in iter(lambda: events.hear(0.0), None) if "chat" in event.topic]
        assert texts == ["good luck"]


def test_what_is_said_before_the_logic_of_the_match_is_there_waits_for_it_and_for_the_seats() -> None:
    clock, owners = Clock(step=0.0), Owners()
    sources = MatchSources(GAME, owners, clock)
    match_filter = MatchFilter(sources, clock)
    hello, lie = (channel_event("chat/south", source, source) for source in ("client 1", "client 2"))
    assert [match_filter.pick(hello), match_filter.pick(lie)] == [None, None]
    clock.now += 30.0
    assert match_filter.chat_that_waited() is None
    owners.by_robot = {"a1": "logic", "a2": "logic"}
    clock.now += 30.0
    assert match_filter.chat_that_waited() is None, "a logic that owns robots need not listen yet"
    match_filter.pick(channel_event("seats", "logic", json.dumps({"south": ""})))
    clock.now += 5.0
    assert match_filter.chat_that_waited() is None, "players say every five seconds that they are there"
    match_filter.pick(channel_event("seats", "logic", json.dumps({"south": "client 1"})))
    assert match_filter.chat_that_waited() == hello
    clock.now += 2.0
    assert "illegal event" in match_filter.chat_that_waited().text
    match_filter.pick(lie)
    clock.now += 2.0
    assert match_filter.chat_that_waited() is None, "it is said once"


def test_a_logic_that_is_started_anew_counts_and_the_one_before_does_not() -> None:
    owners = Owners({"a1": "client 3", "a2": "client 3", "b1": "client 3"})
    sources = MatchSources(GAME, owners, Clock())
    assert sources.counts(channel_event("end", "client 3"))
    owners.by_robot.clear()
    assert sources.counts(channel_event("end", "client 3"))  # its last words
    owners.by_robot |= dict.fromkeys(("a1", "a2", "b1"), "client 9")
    assert sources.counts(channel_event("status", "client 9"))
    assert not sources.counts(channel_event("status", "client 3"))


def test_who_takes_one_robot_of_a_player_is_not_its_logic() -> None:
    owners = Owners({"a1": "client 3", "a2": "client 3", "b1": "client 3"})
    sources = MatchSources(GAME, owners, Clock())
    owners.by_robot["a1"] = "client 9"
    assert not sources.counts(channel_event("end", "client 9"))
    assert sources.counts(channel_event("end", "client 3"))


def test_of_several_logics_that_of_the_next_player_is_the_referee_when_the_first_one_is_silent() -> None:
    clock = Clock()
    sources = MatchSources(GAME, Owners({"a1": "client 3", "a2": "client 3", "b1": "client 4"}), clock)
    assert sources.counts(channel_event("status", "client 3"))
    assert not sources.counts(channel_event("end", "client 4"))
    assert sources.counts(channel_event("log", "client 4"))
    clock.now += 6.0
    assert sources.counts(channel_event("end", "client 4"))


def test_a_logic_speaks_of_the_seats_of_its_own_players_alone() -> None:
    sources = MatchSources(GAME, Owners({"a1": "client 3", "a2": "client 3", "b1": "client 4"}), Clock())
    assert sources.counts(channel_event("seats", "client 4", json.dumps({"south": "client 9", "north": "client 5"})))
    assert sources.counts(channel_event("chat/north", "client 5"))
    assert not sources.counts(channel_event("chat/south", "client 9"))


def test_in_a_recording_everything_counts_for_nobody_can_forge_it() -> None:
    sources = MatchSources(GAME, Owners(is_recording=True), Clock())
    assert sources.counts(channel_event("end", "whoever it was"))


def test_strangers_that_tell_a_lot_do_not_make_every_follower_ask_a_lot() -> None:
    owners = Owners({"a1": "client 3"})
    sources = MatchSources(GAME, owners, Clock(step=0.0))
    for number in range(1000):
        event = channel_event("log", f"client {number + 10}")
        assert not sources.counts(event)
        sources.stranger(event)
    assert owners.asked == 1
    assert sources.stranger(channel_event("log", "client 5000")) is None


def test_a_match_is_left_when_nobody_owns_its_robots_for_a_while_though_the_run_goes_on() -> None:
    clock, owners = Clock(step=0.0), Owners()
    sources = MatchSources(GAME, owners, clock)
    clock.now += 60.0
    sources.refresh()
    assert not sources.are_gone  # it is awaited
    owners.by_robot |= dict.fromkeys(("a1", "a2", "b1"), "client 3")
    sources.refresh()
    owners.by_robot.clear()
    clock.now += 4.0
    sources.refresh()
    assert not sources.are_gone
    owners.by_robot["b1"] = "client 9"
    clock.now += 4.0
    sources.refresh()
    assert not sources.are_gone  # another logic took over
    owners.by_robot.clear()
    clock.now += 6.0
    sources.refresh()
    assert sources.are_gone


@pytest.mark.parametrize("who", ["person", "computer"])
def test_players_of_a_match_whose_logic_died_are_told_and_exit_with_code_1(
    who: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Typist:
        is_over = False

        def read_lines(self) -> list[str]:
            dies()
            return []

    def dies() -> None:
        if not dead:
            dead.append(True)
            table.match.close()
            logic.close()

    dead = list[bool]()
    monkeypatch.setattr(match_stream, "_ABANDONED", 0.2)
    monkeypatch.setattr(match_stream, "_LOOK_ANYWAY", 0.1)
    with ExitStack() as stack, ExitStack() as logic:
        table = Table(logic)
        player = stack.enter_context(table.server.connect())
        table.observe()
        if who == "person":
            has_end = play_by_lines(player, "south_team", Typist(), 600.0)
        else:
            update = MatchWatcher.update
            monkeypatch.setattr(MatchWatcher, "update", lambda watcher: dies() or update(watcher))
            has_end = play_by_computer(player, "south_team", "normal")
        assert player.clock.status().tick > 0
    assert not has_end
    err = capsys.readouterr().err
    assert "the logic of the match is gone: for 0.2 s nobody has owned its robots; the run goes on" in err
