"""The lobby of a match: nobody moves until those who play are ready; a countdown begins the match at time 0."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.games.commands.computer_player import play_by_computer
from coopsim.features.games.logic.lobby import COUNTDOWN, VARIABLE, Lobby, longest_wait
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.seats import LOBBY_PATIENCE, PATIENCE
from coopsim.features.games.window.battle import Battle
from coopsim.features.games.window.battle_control import BattleControl
from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.features.games.window.setting_up import MatchSetup, SetupControl
from coopsim.features.matches.events import LobbyNews, lobby_text, match_status
from coopsim.features.matches.stream import MatchStream
from coopsim.inprocess import LocalServer
from coopsim.message import ChannelEvent
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

GAME: dict[str, Any] = {"rules": "death_match", "budget": 100.0, "players": [], "squads": []}
NOBODY = {"east": "", "west": ""}


def test_the_countdown_waits_for_all_who_hold_a_seat_and_tells_each_second_once() -> None:
    lobby, seats = Lobby(60.0), {"east": "ann", "west": "bob"}
    assert lobby.update(1.0, NOBODY, set()) == ["waits for players: east, west"]
    assert lobby.update(1.1, NOBODY, set()) == []
    assert lobby.update(2.0, seats, {"east"}) == ["waits until west is ready"]
    assert lobby.match_time(2.0) == 0.0
    begun = [text for tick in range(60) for text in lobby.update(3.0 + 0.1 * tick, seats, {"east", "west"})]
    assert begun == [f"the match begins in {left} s" for left in (5, 4, 3, 2, 1)] + ["the match begins"]
    assert not lobby.is_open
    assert lobby.match_time(3.5) == 1.5


def test_a_countdown_ends_where_all_who_were_ready_have_gone_and_goes_on_where_one_is_left() -> None:
    lobby = Lobby(60.0)
    lobby.update(0.0, {"east": "ann", "west": "bob"}, {"east", "west"})
    assert lobby.update(1.5, {"east": "ann", "west": ""}, {"east"}) == ["the match begins in 4 s"]
    assert lobby.update(2.0, NOBODY, set()) == ["waits for players: east, west"]
    assert lobby.update(9.0, NOBODY, set()) == []
    assert lobby.is_open
    assert lobby.update(60.0, NOBODY, set()) == ["the match begins in 5 s"]
    assert lobby.update(62.0, NOBODY, set()) == ["the match begins in 3 s"], "nobody is waited for any more"


def test_seats_are_free_sooner_in_a_lobby_and_soon_after_it_than_later() -> None:
    lobby = Lobby(10.0)
    assert lobby.patience(0.0) == LOBBY_PATIENCE
    lobby.update(0.0, {"east": "ann"}, {"east"})
    lobby.update(COUNTDOWN, {"east": "ann"}, {"east"})
    assert not lobby.is_open
    assert (lobby.patience(7.9), lobby.patience(8.0)) == (LOBBY_PATIENCE, PATIENCE)
    assert Lobby(0.0).patience(0.0) == PATIENCE, "a match without a lobby"


def test_a_match_begins_however_much_time_passes_between_two_updates() -> None:
    lobby = Lobby(10.0)
    lobby.update(0.0, NOBODY, set())
    lobby.update(30.0, NOBODY, set())
    assert lobby.update(60.0, NOBODY, set()) == ["the match begins"]
    assert not lobby.is_open


def test_without_players_a_lobby_closes_after_its_time_and_without_a_time_there_is_none() -> None:
    lobby = Lobby(10.0)
    assert not Lobby(0.0).is_open
    assert Lobby(0.0).match_time(3.0) == 3.0
    for second in range(int(10 + COUNTDOWN)):
        lobby.update(float(second), NOBODY, set())
    assert lobby.is_open
    lobby.update(10.0 + COUNTDOWN, NOBODY, set())
    assert not lobby.is_open


def test_a_scenario_says_how_long_players_are_waited_for_and_else_who_starts_the_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert longest_wait(GAME) == 0.0
    monkeypatch.setenv(VARIABLE, "60")
    assert longest_wait(GAME) == 60.0
    assert longest_wait({**GAME, "lobby": 7.0}) == 7.0
    assert longest_wait({**GAME, "lobby": 0.0}) == 0.0
    monkeypatch.setenv(VARIABLE, "")
    assert longest_wait(GAME) == 0.0
    for nonsense in ("soon", "-3", "nan", "inf"):
        monkeypatch.setenv(VARIABLE, nonsense)
        with pytest.raises(BadArgument, match=f"COOPSIM_LOBBY: expected seconds from 0 on, got '{nonsense}'"):
            longest_wait(GAME)


@pytest.fixture
def server(tmp_path: Path) -> LocalServer:
    text = find_file("duel", (".scenario",)).read_text(encoding="utf-8")
    # rounds are faster than people: no match may be over before a player has ordered
    text = re.sub(r"\ntime +\S+", "\ntime 3600", text).replace("[GAME]\n", "[GAME]\nlobby 30\n")
    (tmp_path / "waiting.scenario").write_text(text, encoding="utf-8")
    return LocalServer(Simulation(load(tmp_path / "waiting.scenario")), is_hashed=False)


def test_nobody_moves_before_a_player_is_ready_and_the_match_begins_at_0(server: LocalServer) -> None:
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as player:
        match = Match(sim, stepper)
        rounds = _rounds(match, stepper)
        next(rounds)
        begin = match.model.positions.copy()
        player.publish("/game/seats/west", "claim")
        player.publish("/game/orders/west", "a go_to 0 0")
        _until(rounds, lambda: _told(match, "illegal order"))
        assert "the match has not begun" in _told(match, "illegal order")[0]
        _until(rounds, lambda: "waits until west is ready" in _told(match, "lobby"))
        player.publish("/game/seats/west", "ready")
        _until(rounds, lambda: not match.lobby.is_open)
        assert np.allclose(match.model.positions, begin, atol=1e-3)
        assert not _told(match, "order"), "computer players wait, too"
        assert match.model.time == 0.0
        _until(rounds, lambda: bool(_told(match, "order")))
        assert match.model.time < 3.0
        assert match.result()["time"] == pytest.approx(match.model.time)
        match.close()


def test_who_vanishes_in_the_countdown_loses_the_seat_before_its_robots_are_missed(server: LocalServer) -> None:
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as player:
        match = Match(sim, stepper)
        rounds, now = _rounds(match, stepper), [0.0]
        match.intake._clock = lambda: now[0]
        player.publish("/game/seats/west", "claim")
        player.publish("/game/seats/west", "ready")
        _until(rounds, lambda: "the match begins in 4 s" in _told(match, "lobby"))
        now[0] += LOBBY_PATIENCE - 0.1
        next(rounds)
        assert match.intake.seats.holder("west")
        now[0] += 0.2
        next(rounds)
        assert not match.intake.seats.holder("west")
        assert _told(match, "vanished") == ["nothing was heard of who played west; the seat is free"]
        assert _told(match, "lobby")[-1] == "waits for players: east, west"
        player.publish("/game/seats/west", "here")  # a link that was broken for a while
        _until(rounds, lambda: bool(match.intake.seats.holder("west")))
        match.close()


def test_who_joins_a_lobby_late_hears_what_it_waits_for_who_sits_where_and_all_robots(server: LocalServer) -> None:
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as player:
        match = Match(sim, stepper)
        rounds = _rounds(match, stepper)
        player.publish("/game/seats/west", "claim")
        _until(rounds, lambda: "waits until west is ready" in _told(match, "lobby"))
        with server.connect() as late, late.listen("/game/status", "/game/seats", "/game/log") as heard:
            begin, events = stepper.tick, list[ChannelEvent]()
            while stepper.tick < begin + 300:  # 6 s
                next(rounds)
                events += iter(lambda: heard.hear(0.0), None)
        statuses = [match_status(event.text) for event in events if event.topic == "/game/status"]
        assert {row[0] for status in statuses if status for row in status["robots"]} == {*match.model.robots}
        assert {lobby_text(event) for event in events} - {""} == {"waits until west is ready"}
        assert [event.topic for event in events].count("/game/seats") == 3, "every 2 s"
        news = LobbyNews()
        assert [text for event in events if (text := news.text(event))] == ["waits until west is ready"]
        assert match.lobby.is_open
        match.close()


def test_in_fog_who_joins_a_lobby_late_is_told_the_key_to_seal_orders_with(tmp_path: Path) -> None:
    text = find_file("duel", (".scenario",)).read_text(encoding="utf-8")
    (tmp_path / "fog.scenario").write_text(text.replace("[GAME]\n", "[GAME]\nlobby 30\nfog yes\n"), encoding="utf-8")
    server = LocalServer(Simulation(load(tmp_path / "fog.scenario")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        match = Match(sim, stepper)
        rounds = _rounds(match, stepper)
        for _ in range(5):
            next(rounds)
        with server.connect() as late, MatchStream(late, late.info()["game"]) as stream:
            assert stream.talk is not None
            words = stream.talk
            _until(rounds, lambda: stream.hear(0.0) is not None and bool(words.peer))
        assert match.lobby.is_open
        match.close()


def _rounds(match: Match, stepper: Any) -> Iterator[None]:
    commands: Any = {}
    while True:
        commands = match.decide(stepper.step(commands or {})) or {}
        yield


def _until(rounds: Iterator[None], holds: Any) -> None:
    for _ in range(200):
        if holds():
            return
        next(rounds)
    raise AssertionError("it never came")


def _told(match: Match, rule: str) -> list[str]:
    return [event.text for event in match.model.log if event.rule == rule]


def test_the_window_has_a_button_as_long_as_the_match_has_not_begun() -> None:
    root, control = PacControl(), SetupControl(MatchSetup())
    said: list[str] = []
    battle = BattleControl(Battle())
    root.adopt(battle)
    root.adopt(control)
    root.adopt(PacControl(lambda happening: said.append(happening.topic)))
    root.broadcast(Happening("match", facts={**GAME, "lobby": 30.0}))
    assert control.setup.is_lobby
    assert battle.battle.held == "no orders yet: the logic of the match has not told its state"
    control.ready()
    assert said == ["match", "ready"]
    root.broadcast(Happening("log", "lobby: lobby: the match begins in 1 s"))
    assert control.setup.is_lobby
    assert battle.battle.held == "the match has not begun: the match begins in 1 s"
    root.broadcast(Happening("status", facts={"robots": [], "flags": {}}, time=0.0))
    assert battle.battle.held
    root.broadcast(Happening("log", "lobby: lobby: the match begins"))
    assert not control.setup.is_lobby
    assert not battle.battle.held
    root.broadcast(Happening("match", facts=GAME))
    assert not control.setup.is_lobby


@pytest.mark.timeout(120)
def test_a_computer_player_of_its_own_is_ready_in_a_lobby_and_orders_nothing_before_the_match_begins(
    server: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    with server.connect() as sim, sim.stepper(every=10) as stepper, server.connect() as player:
        match, ends = Match(sim, stepper), list[bool]()
        match.bots.clear()
        rounds = _rounds(match, stepper)
        next(rounds)
        thread = threading.Thread(target=lambda: ends.append(play_by_computer(player, "west", "easy")))
        thread.start()
        while thread.is_alive():
            match.referee.reason = "the test is over" if _told(match, "order") else ""
            next(rounds)
            if match.referee.reason:
                thread.join(0.1)
        assert ends == [True]
        assert _told(match, "illegal order") == []
        assert "waits until west is ready" in _told(match, "lobby") or "the match begins" in _told(match, "lobby")
        match.close()
    printed = [line.partition(" s  ")[2] for line in capsys.readouterr().out.splitlines()]
    # simulated time runs ahead of a player that sees the match in real time: only the sequence of orders is certain
    assert printed[0] == "a attack b"
    assert _told(match, "order")[0].endswith(printed[0]), "its first order counts: it is given once, and came in time"
