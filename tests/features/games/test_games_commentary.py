"""Commentary on a match: sentences with times for who only watches, who holds no seat and gives no order."""

import json
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from recording_scenes import layout, record, write

from coopsim.features.games.commands import game
from coopsim.features.games.commands.commentary import StrengthReport, comment_on
from coopsim.features.games.logic.match import Match
from coopsim.features.matches.sentences import sentence
from coopsim.inprocess import LocalServer
from coopsim.message import ChannelEvent
from coopsim.replay.playable import PlayableRecording
from coopsim.robots import load
from coopsim.scene import facts_of
from coopsim.simulation import Simulation
from coopsim.state.edits import AppliedEdit, PublishEvents
from coopsim.testkit.recorded_run import RecordedRun


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("b1: out: a1 is out, shot by b1", "a1 is out, shot by b1!"),
        ("west: order: a attack b", "west orders: a attack b"),
        ("a: no path: there is no way to 1.0 2.0", "a: there is no way to 1.0 2.0"),
        ("a1: dropped: red lies at 1.0 2.0", "a1: red lies at 1.0 2.0"),
        ("x: illegal order: squad b is east's", "Illegal order: x: squad b is east's"),
        ("of another form", "of another form"),
    ],
)
def test_lines_of_the_log_become_sentences(line: str, told: str) -> None:
    assert sentence(line) == told


def test_who_watches_hears_orders_and_the_end_and_takes_no_seat(capsys: pytest.CaptureFixture[str]) -> None:
    server = LocalServer(Simulation(load("duel")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as watcher:
        match, ends = Match(sim, stepper), list[bool]()
        match.decide(stepper.step({}))
        match.order("west", "a go_to -5 0")
        thread = threading.Thread(target=lambda: ends.append(comment_on(watcher)))
        thread.start()
        while thread.is_alive():
            match.order("west", "a go_to -5 0")
            match.referee.reason = "the test is over" if len(match.model.log) > 20 else ""
            match.decide(stepper.step({}))
            if match.referee.reason:
                thread.join(0.1)
        assert ends == [True]
        assert {match.intake.seats.holder(player) for player in ("west", "east")} == {""}
    out = capsys.readouterr().out
    assert "s  west orders: a go_to -5 0\n" in out
    assert out.endswith("the test is over\n")


def test_who_joins_late_is_told_first_how_many_robots_players_have_left() -> None:
    squads = [{"player": "east", "robots": ["b1"]}, {"player": "west", "robots": ["a1", "a2"]}]
    statuses = [
        ("/game/status", {"robots": [["a1", 0.0, 3.0, ""]], "flags": {}}, 40.0),
        ("/game/status", {"robots": [["a2", 5.0, 3.0, ""], ["b1", 80.0, 1.0, ""]], "flags": {}}, 42.0),
        ("/game/status", {"robots": [["a2", 0.0, 3.0, ""]], "flags": {}}, 44.0),
    ]
    events = [ChannelEvent(topic, json.dumps(facts), (at,)) for topic, facts, at in statuses]
    report = StrengthReport({"squads": squads})
    assert list(map(report.text, events)) == ["", "east has 1 of 1, west has 1 of 2 robots", ""]
    early = StrengthReport({"squads": squads})
    assert [early.text(ChannelEvent(event.topic, event.text, (0.1,))) for event in events] == ["", "", ""]
    assert early.text(ChannelEvent("/game/status", "no status", (60.0,))) == ""


TOLD = (
    ChannelEvent("/game/log", "west: order: a attack b", (1.0,), "game", 1),
    ChannelEvent("/game/status", "{}", (1.0,), "game", 1),
    ChannelEvent("/other", "no news of the match", (), "x", 1),
    ChannelEvent("/game/chat/east", "well done", (), "y", 1),
    ChannelEvent("/game/log", "b1: out: a1 is out, shot by b1", (2.5,), "game", 1),
)
END = ChannelEvent("/game/end", '{"winner": "east", "reason": "nobody else is left", "time": 2.5}', (), "game", 1)


def recorded(file: Path, events: tuple[ChannelEvent, ...]) -> list[str]:
    """Record events of a match; return how `game watch` begins with the file."""
    writer = write(file, 2, close=False)
    writer.layout(layout(1))
    writer.write(record(3, [AppliedEdit(PublishEvents.of(events)).to_plain()], generation=1))
    writer.close()
    return [str(file)]


def test_a_recorded_match_is_commented_on_without_a_replay(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        game.watch, recorded(tmp_path / "match.mcap", (*TOLD, END, TOLD[0])), standalone_mode=False
    )
    assert done.return_value == 0
    assert done.output.splitlines() == [
        "   1.0 s  west orders: a attack b",
        "east says: well done",
        "   2.5 s  a1 is out, shot by b1!",
        "east wins after 2.5 s: nobody else is left",
    ]


@pytest.mark.parametrize(("events", "why"), [(TOLD, "ends before the match had an end"), ((), "holds no match")])
def test_a_recording_without_an_end_of_a_match_says_so(
    tmp_path: Path, events: tuple[ChannelEvent, ...], why: str
) -> None:
    done = CliRunner().invoke(game.watch, recorded(tmp_path / "match.mcap", events), standalone_mode=False)
    assert done.return_value == 1
    assert why in done.output


def test_a_replay_says_who_played_so_that_it_is_commented_on_and_shown_as_a_match(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    simulation = Simulation(load("death_match"))
    facts = facts_of(simulation.spec.scenario)
    with RecordedRun(simulation, file, metadata=facts) as run:
        run.tick(2)
    shown = PlayableRecording(file)
    try:
        shown_game = shown.facts["game"]
    finally:
        shown.close()
    assert isinstance(shown_game, dict)
    assert [player["name"] for player in shown_game["players"]] == ["west", "east"]
    assert shown_game == facts["game"]
