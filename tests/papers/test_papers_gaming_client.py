"""Swarm gaming (Hristoskova et al. 2012): what the game client knows and does, without a window. G-12 to G-15, G-82."""

import json
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.features.desktop.link import RunFacts
from coopsim.features.games.logic.match import Match
from coopsim.features.games.sections.game_sections import game_of
from coopsim.features.games.window.client import MatchClient
from coopsim.features.games.window.sound import EFFECTS, wave_file
from coopsim.features.matches.stream import MatchStream
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


class PlayedLink:
    """A match in this process, and the events that its viewers hear."""

    def __init__(self, file: str) -> None:
        self.simulation = Simulation(load(file))
        self.server = LocalServer(self.simulation, is_hashed=False)
        self.logic = self.server.connect()
        self.stepper = self.logic.stepper(every=10)
        self.stepper.__enter__()
        self.match = Match(self.logic, self.stepper)
        self.client = self.server.connect()
        self._told = MatchStream(self.client, self.client.info()["game"])
        self.talk = self._told.talk
        self.facts = RunFacts("live", game=self.client.info()["game"])
        self.events: deque[Any] = deque()
        self.problems: list[Exception] = []
        self.shown: Any = None

    def ask(self, work: Any, *, then: Any = None, failed: Any = None) -> None:
        work(self.client)

    def play(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            self.match.decide(self.stepper.step({}))
        while (event := self._told.hear(0.0)) is not None:
            self.events.append(event)
        self.shown.time += seconds

    def session(self) -> Any:
        layout, engine = self.simulation.layout, self.simulation.engine

        def pose(name: str) -> tuple[float, ...] | None:
            place = layout.robot.get(name)
            return None if place is None else tuple(engine.poses[place.body].tolist())

        self.shown = SimpleNamespace(
            link=self,
            time=0.0,
            pose=pose,
            note=self.problems.append,
            model=SimpleNamespace(entities=layout.entities, robot_colors={}),
        )
        return self.shown

    def close(self) -> None:
        self.stepper.__exit__(None, None, None)
        self.client.close()
        self.logic.close()


class Heard(list[bytes]):
    """Takes sounds instead of a loudspeaker."""

    def __call__(self, sound: bytes, again: bool) -> Any:
        self.append(sound)
        return SimpleNamespace(pause=lambda: self.append(b"pause"))


@pytest.fixture
def link(tmp_path) -> Iterator[PlayedLink]:
    text = find_file("capture_the_flag", [".scenario"]).read_text().replace("bot         ", "bot none\n#")
    (tmp_path / "match.scenario").write_text(text)
    link = PlayedLink(str(tmp_path / "match.scenario"))
    yield link
    link.close()


@pytest.fixture
def client(link: PlayedLink) -> MatchClient:
    client = MatchClient(link.session(), Heard())
    assert client.update()
    link.play(0.1)  # orders count once the logic has told its state
    assert not client.update()
    return client


def test_what_the_player_does_goes_to_the_match_and_what_happens_comes_back_g12_g13(
    client: MatchClient, link: PlayedLink
) -> None:
    client.battle.battle.choose(["a2"])
    client.battle.order(client.battle.battle.orders("go_to", point=(3.0, -4.0)))
    client.chat.say("here we come")
    link.play(0.5)
    assert not client.update()
    assert link.match.intelligences["a"].order is not None
    assert [line.text for line in client.chat.talk.lines] == ["south_team: here we come"]
    assert any("orders: a go_to 3 -4" in line.text for line in client.monitor.talk.lines)
    assert not link.problems


def test_a_refused_order_is_told_with_its_reason_g13_g26(client: MatchClient, link: PlayedLink) -> None:
    client.battle.order(["b stop"])
    link.play(0.3)
    client.update()
    assert [line.text for line in client.monitor.talk.lines if line.is_refusal] == [
        "Illegal order: south_team: squad b is north_team's"
    ]


def test_health_power_and_flags_are_known_g13_g24(client: MatchClient, link: PlayedLink) -> None:
    link.match.model.robots["b1"].health = 40.0
    link.play(0.1)
    client.update()
    fighters = client.battle.battle.fighters
    assert (fighters["b1"].health, fighters["a3"].power) == (40.0, link.match.model.robots["a3"].power)
    assert client.battle.battle.home() == []
    client.battle.battle.choose(["a1"])
    assert client.battle.battle.flags["blue"][:2] == (0.0, 4.0)


def test_a_flag_that_is_indicated_is_recognised_as_one_of_the_enemy_g82(client: MatchClient) -> None:
    battle = client.battle.battle
    client.update()
    assert battle.meant("blue", (0.0, 4.0)) == []  # nobody is selected
    battle.choose(["a1", "b1"])
    assert battle.selected == ("a",)
    assert battle.meant("blue", (0.0, 4.0)) == ["a capture blue"]
    assert battle.meant("b2", (0.0, 4.0)) == ["a attack b2"]
    assert battle.meant("red", None) == battle.home() == ["a defend south"]
    assert battle.meant("", (1.0, -4.0)) == ["a go_to 1.00 -4.00"]


def test_a_squad_follows_the_path_that_is_drawn_point_by_point_g53(client: MatchClient, link: PlayedLink) -> None:
    battle, control = client.battle.battle, client.battle
    battle.choose(["a1"])
    control.begin_path()
    for x in np.linspace(0.2, 3.0, 15):
        battle.draw((float(x), -4.0))
    assert 3 < len(battle.paths["a"]) < 8
    control.end_path((3.4, -4.0))
    assert battle.paths["a"][-1] == (3.4, -4.0), "where the mouse was released, not a step before"
    ahead: list[float] = []
    for _ in range(300):
        link.play(0.1)
        client.update()
        if not battle.paths:
            break
        middle = battle.middle("a")
        assert middle is not None
        ahead += [float(np.hypot(*(middle - battle.paths["a"][0])))] * (len(battle.paths["a"]) == 1)
    assert battle.paths == {}
    assert min(ahead) < 0.5, "the line was drawn until the squad was there: a wedge, whose middle is behind its goal"


def test_a_line_ends_beside_its_last_point_where_another_squad_stands_on_it_g53(client: MatchClient) -> None:
    battle = client.battle.battle
    client.update()
    battle.choose(["a1"])
    middle = battle.middle("a")
    assert middle is not None
    battle.paths["a"] = [(float(middle[0]) + 0.5, float(middle[1]))]
    assert battle.next_legs(5.0) == battle.next_legs(6.9) == []
    assert battle.paths["a"], "it may yet go on"
    assert battle.next_legs(2.0) == battle.next_legs(3.9) == [], "after a look at the past time counts anew"
    assert battle.paths["a"]
    assert battle.next_legs(4.1) == []
    assert battle.paths == {}


def test_agents_of_three_parts_speak_through_their_controls_alone_g15(client: MatchClient) -> None:
    parts = (client.battle, client.chat, client.monitor, client.setup, client.sound)
    assert all(part.parent is client.control for part in parts)
    client.setup.play("north_team")
    assert client.battle.battle.player == "north_team"
    assert [squad.name for squad in client.battle.battle.mine] == ["b"]


def test_the_budget_decides_what_the_next_match_begins_with_g13_g78(
    client: MatchClient, link: PlayedLink, tmp_path
) -> None:
    client.update()
    setup = client.setup.setup
    squad = setup.squads["a"]
    assert setup.is_within("south_team")
    squad.health, squad.kind, squad.formation = 40.0, "game_tank", "line"
    assert setup.spent("south_team") == squad.cost
    saved = link.client.module("/sim/world").save(str(tmp_path / "next.scenario"), 0, 1).files
    assert [Path(file).name for file in saved] == ["next.scenario"]
    text = (tmp_path / "next.scenario").read_text()
    (tmp_path / "next.scenario").write_text(setup.written(text))
    spec = load(str(tmp_path / "next.scenario"))
    bought = next(squad for squad in game_of(spec).squads if squad.name == "a")
    assert (bought.health, bought.formation) == (40.0, "line")
    assert len(re.findall("game_tank", setup.written(text))) == 3
    squad.health = 300.0
    squad.power = 200.0
    assert not setup.is_within("south_team")


def test_what_happens_is_heard_and_silence_is_possible_g13(client: MatchClient, link: PlayedLink) -> None:
    heard = client.speaker._player
    link.play(0.1)
    client.update()
    assert heard == []
    client.battle.order(["a stop"])
    link.match.model.robots["b1"].health = 40.0
    link.play(0.2)
    client.update()
    assert set(heard) == {wave_file(EFFECTS["order"]), wave_file(EFFECTS["hit"])}
    client.sound.want_music(wanted=True)
    client.sound.want_music(wanted=False)
    assert heard[-1] == b"pause"
    client.sound.sounds.effects = False
    before = len(heard)
    client.battle.order(["a stop"])
    link.play(0.2)
    client.update()
    assert len(heard) == before


def test_the_result_is_known_and_the_seat_is_given_back_g16(client: MatchClient, link: PlayedLink) -> None:
    client.battle.order(["a stop"])
    link.play(0.2)
    seats = link.match.intake.seats
    assert seats.holder("south_team")
    client.leave()
    link.match.referee.winner, link.match.referee.reason = "south_team", "it was decided here"
    link.play(0.1)
    client.update()
    assert not seats.holder("south_team")
    assert client.battle.battle.result["winner"] == "south_team"
    assert json.loads(json.dumps(client.battle.battle.result))["reason"] == "it was decided here"
