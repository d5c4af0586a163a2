"""Fog of war: who knows of whom, orders that only the own side hears, scouts, and what the window shows."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.games.logic.easy_bot import EasyBot
from coopsim.features.games.logic.hard_bot import HardBot
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.scouting import Scouting
from coopsim.features.games.logic.secrecy import Secrecy
from coopsim.features.games.logic.squads import position_of
from coopsim.features.games.logic.watching import MatchWatcher
from coopsim.features.games.window.battle import Battle
from coopsim.features.matches.events import LOG_TOPIC, match_status
from coopsim.features.matches.sealing import SEALED, SealedTalk
from coopsim.features.matches.stream import MatchStream
from coopsim.inprocess import LocalServer
from coopsim.message import ChannelEvent
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


class FogOfWar:
    """A match of equal sides with fog and without computer players; robots are where a test says."""

    def __init__(self, file: Path) -> None:
        self.server, self.stack = LocalServer(Simulation(load(file)), is_hashed=False), ExitStack()
        self.sim = self.stack.enter_context(self.server.connect())
        self.stepper = self.stack.enter_context(self.sim.stepper(every=10))
        self.match = Match(self.sim, self.stepper)
        self.match.observe(self.stepper.step({}))

    def put(self, **places: tuple[float, float]) -> None:
        """Put robots somewhere, and look."""
        for name, place in places.items():
            self.match.model.positions[self.match.model.robots[name].index] = place
        self.match.fog.update()

    def known(self, player: str, robot: str) -> list[float]:
        """Return where a player knows a robot, [] = nowhere."""
        place = self.match._view_of(player).model.position(self.match.model.robots[robot])
        return place.round(3).tolist() if np.isfinite(place).all() else []

    def publish(self, *orders: tuple[str, str]) -> None:
        """Give orders, and tell what came of it."""
        match = self.match
        for player, line in orders:
            match.order(player, line)
        seats = {player: match.intake.seats.holder(player) for player in match.model.players()}
        match.publisher.publish(None, seats, {}, {player: match.fog.seen_by(player) for player in seats})


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = find_file("duel", (".scenario",)).read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("fog") / "foggy.scenario"
    path.write_text(
        text.replace("[GAME]\n", "[GAME]\nfog yes\n").replace("bot         normal", "bot         none"),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def fog(file: Path) -> Iterator[FogOfWar]:
    war = FogOfWar(file)
    with war.stack:
        yield war


def test_enemies_are_known_within_reach_of_sonars_and_not_behind_walls(fog: FogOfWar) -> None:
    assert fog.match.fog.seen_by("west") == []
    assert fog.known("west", "b1") == []
    fog.put(a4=(0.0, 4.0), a1=(0.0, -4.0), b1=(5.9, 4.0), b2=(4.1, -4.0))
    assert fog.match.fog.seen_by("west") == ["b1"], "a scout sees 6 m far, a tank 4 m"
    assert fog.match.fog.seen_by("east") == [], "which see 4 m far"
    fog.put(a4=(-4.0, 2.6), b1=(-1.5, 2.6))
    assert fog.match.fog.seen_by("west") == [], "a wall is between them"
    assert fog.known("west", "a4") == [-4.0, 2.6]


def test_who_was_seen_stays_there_until_somebody_looks_and_who_is_out_is_seen_by_all(fog: FogOfWar) -> None:
    fog.put(a1=(0.0, 4.0), b1=(3.0, 4.0))
    fog.put(a1=(-6.0, 4.0), b1=(6.0, -4.0))
    assert fog.known("west", "b1") == [3.0, 4.0]
    fog.put(a1=(0.0, 4.0))
    assert fog.known("west", "b1") == []
    fog.match.model.robots["b1"].health = 0.0
    fog.put()
    assert fog.known("west", "b1") == [6.0, -4.0]
    assert "b1" not in fog.match.fog.seen_by("west")


def test_squads_neither_aim_at_nor_go_to_whom_nobody_knows(fog: FogOfWar) -> None:
    model = fog.match.model
    model.roster.ranges[:] = 50.0
    assert max(fog.match.view.aims) >= 0
    for name in ("b", "b1"):
        assert fog.match.order("west", f"a attack {name}") == f"none of west's robots has seen {name}"
        assert position_of(name, fog.match._view_of("west")) is None
    view = fog.match._view_of("west")
    assert [view.aims[robot.index] for robot in model.squads["a"].robots] == [-1, -1, -1]
    assert "b" not in view.spans
    fog.put(a1=(3.0, 0.0))
    assert fog.match.order("west", "a attack b") == ""
    view = fog.match._view_of("west")
    place, moves = position_of("b", view)
    assert moves
    seen = fog.match.fog.seen_by("west")
    assert 0 < len(seen) < 5
    of_squad = [model.position(model.robots[name]) for name in seen if model.robots[name].squad == "b"]
    assert np.allclose(place, np.mean(of_squad, axis=0))


def test_computer_players_are_given_those_alone_whom_their_side_knows(fog: FogOfWar) -> None:
    view = fog.match._known_to("west")
    assert {robot.player for robot in view.robots.values()} == {"west"}
    assert view.squads["b"].alive == []
    fog.put(a4=(0.0, 4.0), b1=(5.0, 4.0))
    view = fog.match._known_to("west")
    assert [robot.name for robot in view.squads["b"].robots] == ["b1"]
    assert [robot.name for robot in fog.match.model.squads["b"].robots] == ["b1", "b2", "b3"]


@pytest.mark.parametrize(("bot", "scouts"), [(EasyBot, 2), (HardBot, 1)])
def test_computer_players_scout_until_they_see_somebody(
    bot: type[EasyBot] | type[HardBot], scouts: int, fog: FogOfWar
) -> None:
    player = bot("west")
    player._asked = {*fog.match.model.robots}  # the hard one makes no single robots
    orders = player.orders(fog.match._known_to("west"), "death_match")
    assert [order.verb for order in orders] == ["go_to"] * scouts
    fog.put(a4=(0.0, 4.0), b1=(5.0, 4.0))
    fog.match.model.time = 10.0
    orders = player.orders(fog.match._known_to("west"), "death_match")
    if bot is EasyBot:
        assert {order.verb for order in orders} == {"attack"}
        return
    squads = [squad for squad in fog.match.model.squads.values() if squad.player == "west"]
    middle = np.mean([fog.match.model.position(robot) for squad in squads for robot in squad.robots], axis=0)
    assert orders  # the scout is called back into line
    assert all(order.verb == "go_to" and np.hypot(*(np.array(order.point) - middle)) < 2.5 for order in orders)


def test_scouts_go_to_different_places_and_on_when_they_have_seen_them(fog: FogOfWar) -> None:
    model, scouting = fog.match.model, Scouting()
    squads = [model.squads["a"], model.squads["ax"]]
    first, second = scouting.orders(model, squads)
    assert np.hypot(*np.subtract(first.point, second.point)) >= 5.0
    assert not model.blocked(np.array([first.point, second.point])).any()
    assert scouting.orders(model, squads) == []
    model.time = 20.0
    fog.put(**{robot.name: first.point for robot in squads[0].robots})
    (order,) = scouting.orders(model, squads)
    assert order.squad == "a"
    assert np.hypot(*np.subtract(order.point, first.point)) >= 4.0, "beyond what a tank sees"


def test_only_its_player_reads_what_is_sealed() -> None:
    ann, logic, spy = SealedTalk(), SealedTalk(), SealedTalk()
    ann.learn(json.dumps({"key": logic.key}))
    spy.learn(json.dumps({"key": logic.key}))
    sealed = ann.seal("a attack b")
    assert sealed.startswith(SEALED)
    assert "attack" not in sealed
    assert logic.open(sealed, ann.key) == "a attack b"
    assert spy.open(sealed, ann.key) is None
    assert logic.open(sealed, spy.key) is None
    assert ann.open(logic.seal("a: order: a attack b", ann.key)) == "a: order: a attack b"
    for broken in (sealed[:-4] + "AAAA", SEALED, SEALED + "?", "a attack b"):
        assert logic.open(broken, ann.key) is None
    for nonsense in ("{", "[]", '{"key": 3}', json.dumps({"key": "0" * 63})):
        spy.learn(nonsense)
    assert spy.peer == logic.key
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        logic.seal("a", "short")
    assert logic.open(sealed, "0" * 64) is None, "a key that all have in common is none"


def test_orders_and_answers_are_heard_by_their_player_alone_until_the_end(fog: FogOfWar) -> None:
    match = fog.match
    with fog.server.connect() as ann, fog.server.connect() as bob, fog.server.connect() as spy:
        streams = [MatchStream(sim, sim.info()["game"]) for sim in (ann, bob)]
        everything = spy.listen("/game/*", "/game/orders/*", "/game/log/*")
        for sim, stream, player in zip((ann, bob), streams, ("west", "east"), strict=True):
            sim.publish(f"/game/seats/{player}", "claim")
            sim.publish(f"/game/seats/{player}", stream.talk.announcement)
        assert match.intake.read_orders() == []
        fog.publish()
        for stream in streams:
            _heard(stream)
        ann.publish("/game/orders/west", streams[0].talk.seal("a go_to -3 0"))
        bob.publish("/game/orders/east", streams[0].talk.seal("b stop"))  # not his key
        spy.publish("/game/seats/west", SealedTalk().announcement)
        assert match.intake.read_orders() == [("west", "a go_to -3 0")]
        fog.publish(("west", "a go_to -3 0"), ("west", "a attack nobody"))
        lines = [_heard(stream) for stream in streams]
        assert "west: order: a go_to -3 0" in lines[0]
        assert any("there is nothing called nobody" in line for line in lines[0])
        assert any("is held by" in line for line in lines[1]), "claims are no secret"
        assert not any("a go_to" in line or "nobody" in line for line in lines[1])
        texts = []
        while (event := everything.hear(0.0)) is not None:
            texts.append(event.text)
        assert any("cannot be opened" in text for text in texts)
        assert not any("go_to" in text for text in texts)
        match.publisher.publish(match.result(), {"west": "", "east": ""})
        last = [_heard(stream) for stream in streams]
        assert "west: order: a go_to -3 0" in last[1]
        assert not {*last[0]} & {*lines[0]}, "nobody reads twice what was a secret of the own side"
        for stream in streams:
            stream.close()


def test_a_match_that_goes_on_keeps_its_key_and_its_secrets(fog: FogOfWar) -> None:
    before, after = Secrecy(fog.match.model), Secrecy(fog.match.model)
    fog.match.model.note("west", "order", "a stop")
    fog.match.model.note("a1", "out", "a1 is out")
    before.keys["ann"] = SealedTalk().key
    events = list(before.events(fog.match.model.log, {"west": "ann"}, is_over=False))
    assert [topic for topic, _, _ in events] == [f"{LOG_TOPIC}/west", LOG_TOPIC]
    after.carry_on(before)
    assert (after.talk.key, after.keys) == (before.talk.key, before.keys)
    assert [text for _, text, _ in after.events([], {}, is_over=True)] == ["west: order: a stop"]


def test_a_watching_computer_player_and_the_window_leave_out_whom_their_side_does_not_see(fog: FogOfWar) -> None:
    fog.put(a4=(0.0, 4.0), b1=(5.0, 4.0))
    with fog.server.connect() as client:
        watcher, battle = MatchWatcher(client), Battle(player="west")
        battle.begin(client.info()["game"])
        assert battle.is_hidden("b2")
        fog.publish()
        for event in watcher.update():
            if status := match_status(event.text):
                battle.know(status)
        assert [robot.name for robot in watcher.model_for("west").robots.values() if robot.player == "east"] == ["b1"]
        assert watcher.model_for("east").squads["a"].alive == []
        watcher.close()
    assert [name for name in battle.fighters if battle.is_hidden(name)] == ["b2", "b3", "b4", "b5"]
    battle.places, battle.selected = {name: np.array([0.5, 0.0]) for name in battle.fighters}, ("a",)
    assert battle.nearest_enemy("a") == "b1"
    battle.fighters["b2"].health = 0.0
    assert not battle.is_hidden("b2"), "who is out is no secret"
    battle.player = ""
    assert not battle.is_hidden("b3"), "who only watches sees all"


def _heard(stream: MatchStream) -> list[str]:
    lines, event = [], stream.hear(0.0)
    while event is not None:
        lines += [event.text] if isinstance(event, ChannelEvent) and event.topic == LOG_TOPIC else []
        event = stream.hear(0.0)
    return lines
