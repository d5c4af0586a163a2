"""The layout of a match in the window, driven by mouse and buttons. G-12, G-14, G-15, G-52, G-53."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyglet.window import key, mouse
from viewer_live import frames, window_picture
from viewer_scenes import BLUE, RED, floor, row
from viewer_standins import StandinLink

from coopsim.client.scene import SceneView
from coopsim.errors import CannotSave, SimulationEnded
from coopsim.features.desktop import documents
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.playback_facts import PlaybackFacts
from coopsim.features.desktop.ui.widgets import PLACES
from coopsim.features.games.sections.game_sections import game_of
from coopsim.message import ChannelEvent
from coopsim.robots import load

SIZE = (1100, 640)
PLACED = {"a1": (-1.5, -1.0), "a2": (-1.0, -1.0), "b1": (1.5, 1.0)}
SQUAD = {"health": 100.0, "power": 20.0, "formation": "wedge", "spacing": 0.6}
GAME = {
    "rules": "capture_the_flag",
    "time": 100.0,
    "budget": 200.0,
    "players": [
        {"name": "south", "flag": "red", "base": "home", "bot": "none"},
        {"name": "north", "flag": "blue", "base": "away", "bot": "none"},
    ],
    "squads": [
        {"name": "a", "player": "south", "robots": ["a1", "a2"], **SQUAD},
        {"name": "b", "player": "north", "robots": ["b1"], **SQUAD},
    ],
}


class MatchLink(StandinLink):
    """A match that stands still; what is published is taken down."""

    def __init__(self) -> None:
        super().__init__()
        self.facts = replace(self.facts, game=dict(GAME))
        self.published: list[tuple[str, str]] = []
        colors = {"a": RED, "b": BLUE}
        robots = [
            row(name, "robot", "cylinder", body=number, color=colors[name[0]], size=(0.4, 0.4, 0.3))
            for number, name in enumerate(PLACED)
        ]
        flags = [
            row("red", "target", "sphere", at=(-1.5, -2.0, 0.0), size=(0.4, 0.4, 0.4)),
            row("blue", "target", "sphere", at=(2.0, 2.0, 0.0), size=(0.4, 0.4, 0.4)),
        ]
        self.scene = SceneView(1, 0, (floor(8.0), *robots, *flags))
        self.samples.clear()
        self.stand(*PLACED.values())
        for sample in self.samples:
            sample.state.names = tuple(PLACED)
        self.hear("/game/status", {"robots": [["a1", 100.0, 20.0, ""]], "flags": {"blue": [2.0, 2.0, ""]}})

    def hear(self, topic: str, facts: Any, at: float = 1.0) -> None:
        self.events.append(ChannelEvent(topic, facts if isinstance(facts, str) else json.dumps(facts), (at,)))

    def ask(self, work: Any, *, then: Any = None, failed: Any = None) -> None:
        work(SimpleNamespace(publish=lambda topic, text: self.published.append((topic, text)), info=dict))

    def orders(self) -> list[str]:
        texts = [text for topic, text in self.published if topic == "/game/orders/south"]
        self.published.clear()
        return texts


@pytest.fixture(scope="module")
def application() -> Iterator[Application]:
    application = Application(StandinLink(), SIZE)  # type: ignore[arg-type]
    application.layouts["game"].client.sound.sounds.effects = False
    yield application
    application.close()


@pytest.fixture
def link(application: Application) -> MatchLink:
    link = MatchLink()
    application.session.attend(link)  # type: ignore[arg-type]
    frames(application, 6)
    application.session.turn_camera_to("top")
    frames(application, 2)
    return link


def at(application: Application, x: float, y: float) -> tuple[int, int]:
    left, top, _, high = application.view
    (pixel,), _ = application.session.camera.project(np.array([[x, y, 0.15]]))
    return round(left + pixel[0]), round(application.window.height - top - high + pixel[1])


def drag(application: Application, *points: tuple[int, int], button: int = mouse.LEFT, modifiers: int = 0) -> None:
    window = application.window
    window.dispatch_event("on_mouse_motion", *points[0], 0, 0)
    frames(application, 2)
    window.dispatch_event("on_mouse_press", *points[0], button, modifiers)
    for point in points[1:]:
        window.dispatch_event("on_mouse_drag", *point, 0, 0, button, modifiers)
    frames(application, 2)
    window.dispatch_event("on_mouse_release", *points[-1], button, modifiers)
    frames(application, 2)


def press(application: Application, name: str) -> None:
    x, y = PLACES[name]
    drag(application, (round(x), round(SIZE[1] - y)))


def test_a_match_opens_in_its_own_layout_of_agents_with_three_parts_g14_g15(
    application: Application, link: MatchLink
) -> None:
    assert application.settings.arrangement == "game"
    assert {panel.title for panel in application.layouts["game"].panels} == {"Squads", "Set-up", "Messages", "Chat"}
    assert len(application.layouts["game"].agents) == 5
    for agent in application.layouts["game"].agents:
        assert agent.control.parent is application.layouts["game"].client.control
        assert agent.abstraction is not agent.presentation is not agent.control
    application.settings.arrange("default")
    frames(application, 4)
    link.facts = replace(link.facts, paused=True)
    frames(application, 2)
    assert application.settings.arrangement == "default"  # what a person chose stays
    application.settings.arrange("game")
    frames(application, 4)


def test_another_scene_after_a_match_has_the_usual_panels_and_another_match_keeps_its_own(
    application: Application, link: MatchLink
) -> None:
    opening = StandinLink()
    opening.facts = replace(opening.facts, connection="connecting")
    application.session.attend(opening)  # type: ignore[arg-type]
    frames(application, 3)
    assert application.settings.arrangement == "game", "nobody knows yet what comes"
    opening.facts = replace(opening.facts, connection="live")
    frames(application, 3)
    assert application.settings.arrangement == "default"
    application.settings.arrange("game")  # a person may look at the panels of a match
    frames(application, 3)
    assert application.settings.arrangement == "game"


def test_a_click_or_a_band_selects_squads_of_this_player_alone_g12(application: Application, link: MatchLink) -> None:
    battle = application.layouts["game"].client.battle.battle
    drag(application, at(application, *PLACED["a1"]))
    assert battle.selected == ("a",)
    drag(application, at(application, 0.3, -0.5))
    assert battle.selected == ()
    drag(application, at(application, -1.9, -1.5), at(application, 0.0, 0.0), at(application, 1.9, 1.5))
    assert battle.selected == ("a",)
    drag(application, at(application, *PLACED["b1"]))
    assert link.orders() == ["a attack b1"]
    assert battle.selected == ("a",)


def test_the_right_button_sends_squads_to_the_floor_and_flags_g52_g82(
    application: Application, link: MatchLink
) -> None:
    drag(application, at(application, *PLACED["a1"]))
    drag(application, at(application, 2.0, 2.0), button=mouse.RIGHT)
    assert link.orders() == ["a capture blue"]
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    (order,) = link.orders()
    squad, verb, x, y = order.split()
    assert (squad, verb) == ("a", "go_to")
    assert (float(x), float(y)) == pytest.approx((1.5, -1.5), abs=0.2)


def test_a_path_is_drawn_by_click_and_drag_and_shown_g53(application: Application, link: MatchLink) -> None:
    before = window_picture(application, 2)
    points = [at(application, x, -1.0) for x in np.linspace(-1.5, 1.9, 12)]
    drag(application, *points)
    battle = application.layouts["game"].client.battle.battle
    assert battle.selected == ("a",)
    assert len(battle.paths["a"]) >= 4
    assert link.orders()[0].startswith("a go_to -1.2")
    drawn = window_picture(application, 2)
    x, y = at(application, 1.5, -1.0)
    spot = slice(SIZE[1] - y - 4, SIZE[1] - y + 5), slice(x - 3, x + 4)
    assert np.abs(drawn[spot].astype(int) - before[spot]).max() > 60


@pytest.mark.parametrize(("told", "why"), [(False, "has not told its state"), (True, "the match is over")])
def test_what_nobody_would_take_is_held_back_with_the_reason(
    application: Application, link: MatchLink, told: bool, why: str
) -> None:
    battle = application.layouts["game"].client.battle.battle
    battle.paths, battle.is_told, battle.result = {}, told, {"winner": "north"} if told else {}
    drag(application, at(application, *PLACED["a1"]))
    assert battle.selected == ("a",)
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    assert why in application.session.notes[-1]
    application.session.notes.clear()
    drag(application, *[at(application, x, -1.0) for x in np.linspace(-1.5, 1.9, 12)])
    assert why in application.session.notes[-1]
    assert battle.paths == {}
    press(application, "game.stop")
    assert link.orders() == []
    battle.result = {}
    link.hear("/game/status", {"robots": [["a1", 100.0, 20.0, ""]], "flags": {}})
    frames(application, 2)
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    assert len(link.orders()) == 1


def test_a_recorded_match_is_shown_with_its_messages_and_takes_no_orders_g13(
    application: Application, link: MatchLink
) -> None:
    client = application.layouts["game"].client
    drag(application, at(application, *PLACED["a1"]))
    link.facts = replace(link.facts, playback=PlaybackFacts(0.0, 40.0, 1.0, playing=True, speed=1.0))
    link.hear("/game/log", "a1: picked up: a1 carries blue", 19.1)
    frames(application, 2)
    assert application.settings.arrangement == "game"
    assert client.monitor.talk.lines[-1].text == "a1 carries blue!"
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    assert "a recording is shown" in application.session.notes[-1]
    assert link.orders() == []
    link.facts = replace(link.facts, playback=None)
    frames(application, 2)
    assert client.battle.battle.held == ""


def test_who_comes_late_to_a_lobby_reads_why_the_match_waits_and_may_only_watch_g12(
    application: Application, link: MatchLink
) -> None:
    client = application.layouts["game"].client
    link.facts = replace(link.facts, game={**GAME, "lobby": 60.0})
    frames(application, 2)
    for _ in range(2):  # every 2 s
        facts = {"robots": [], "flags": {}, "lobby": "waits for players: south, north"}
        link.hear("/game/status", facts, at=0.0)
        frames(application, 2)
    assert [line.text for line in client.monitor.talk.lines] == ["waits for players: south, north"]
    drag(application, at(application, *PLACED["a1"]))
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    assert "the match has not begun: waits for players: south, north" in application.session.notes[-1]
    assert link.orders() == []
    press(application, "game.player")
    press(application, "game.player.only watch")
    frames(application, 2)
    assert client.battle.battle.player == ""
    press(application, "game.ready")
    assert link.published == []
    link.facts = replace(link.facts, game=dict(GAME))  # the next match
    frames(application, 2)
    assert client.battle.battle.player == ""
    client.setup.play("south")


def test_buttons_command_and_the_budget_is_shown_g12_g13(application: Application, link: MatchLink) -> None:
    press(application, "squad.a")
    for name, order in (
        ("game.attack", "a attack b1"),
        ("game.defend", "a defend home"),
        ("game.gather", "a gather"),
        ("game.stop", "a stop"),
        ("game.capture.blue", "a capture blue"),
    ):
        press(application, name)
        assert link.orders() == [order]
    setup = application.layouts["game"].client.setup.setup
    assert setup.budget == 200.0
    assert setup.spent("south") == sum(squad.cost for squad in setup.squads.values() if squad.player == "south")


def test_bars_over_the_field_show_how_much_health_is_left_g14(application: Application, link: MatchLink) -> None:
    x, y = at(application, *PLACED["b1"])

    def green() -> int:
        picture = window_picture(application, 3)
        red, green, blue = np.moveaxis(picture[SIZE[1] - y - 60 : SIZE[1] - y - 20, x - 25 : x + 25].astype(int), -1, 0)
        return int(((green > red + 40) & (green > blue + 40)).sum())

    full = green()
    link.hear("/game/status", {"robots": [["b1", 75.0, 20.0, ""]], "flags": {}})
    less = green()
    assert 0.65 * full < less < 0.85 * full
    link.hear("/game/status", {"robots": [["b1", 5.0, 20.0, ""]], "flags": {}})
    assert green() == 0  # what is left of it is red


def test_health_falls_in_the_bars_and_the_winner_is_written_over_the_field_g13_g14(
    application: Application, link: MatchLink
) -> None:
    before = window_picture(application, 2)
    link.hear("/game/status", {"robots": [["b1", 5.0, 3.0, "red"]], "flags": {}})
    link.hear("/game/end", {"winner": "south", "reason": "a1 brought blue home", "time": 9.0})
    link.hear("/game/chat/north", "well played")
    after = window_picture(application, 3)
    client = application.layouts["game"].client
    assert client.battle.battle.fighters["b1"].holding == "red"
    assert [line.text for line in client.chat.talk.lines] == ["north: well played"]
    left, top, width, _ = application.view
    place = slice(round(top) + 20, round(top) + 70), slice(round(left + width / 2) - 80, round(left + width / 2) + 80)
    assert after[place].mean() < 0.7 * before[place].mean()
    x, y = at(application, *PLACED["b1"])
    spot = slice(SIZE[1] - y - 60, SIZE[1] - y - 20), slice(x - 25, x + 35)
    assert np.abs(after[spot].astype(int) - before[spot]).max() > 60


def test_a_shot_is_a_line_to_who_was_hit_for_a_moment_g14(application: Application, link: MatchLink) -> None:
    battle, now = application.layouts["game"].client.battle.battle, application.session.time
    link.hear("/game/status", {"robots": [["a1", 100.0, 20.0, ""], ["b1", 100.0, 20.0, ""]], "flags": {}})
    before = window_picture(application, 3)
    assert battle.shots == [], "who joins late is told what others have left, and no shots"
    link.hear("/game/status", {"robots": [["a1", 100.0, 19.0, ""], ["b1", 88.0, 20.0, ""]], "flags": {}}, now)
    application.draw()
    assert [(shot.shooter, shot.target) for shot in battle.shots] == [("a1", "b1")]
    after = window_picture(application, 1)
    (x, y), (u, v) = at(application, *PLACED["a1"]), at(application, *PLACED["b1"])
    middle_x, middle_y = (x + u) // 2, SIZE[1] - (y + v) // 2
    spot = slice(middle_y - 25, middle_y + 10), slice(middle_x - 10, middle_x + 10)
    assert np.abs(after[spot].astype(int) - before[spot]).max() > 60
    later = battle.shots[0].time + 0.5
    assert battle.recent_shots(later) == []
    link.hear("/game/status", {"robots": [["a1", 100.0, 18.0, ""]], "flags": {}}, now)
    application.draw()
    assert [(shot.shooter, shot.target) for shot in battle.shots] == [("a1", "")], "it hit nobody"


def test_a_flag_is_drawn_with_who_carries_it_or_where_it_lies_and_no_more_at_home_g14(
    application: Application, link: MatchLink
) -> None:
    session, battle = application.session, application.layouts["game"].client.battle.battle
    link.hear("/game/status", {"robots": [], "flags": {"blue": [2.0, 2.0, ""]}})
    frames(application, 2)
    assert not battle.is_away("blue")
    assert "blue" not in session.hidden
    link.hear("/game/status", {"robots": [["a1", 100.0, 20.0, "blue"]], "flags": {"blue": [-1.0, 0.0, "a1"]}})
    frames(application, 2)
    assert battle.is_away("blue")
    assert "blue" in session.hidden
    link.hear("/game/status", {"robots": [["a1", 0.0, 20.0, ""]], "flags": {"blue": [0.5, -1.0, ""]}})
    before = window_picture(application, 2)
    assert "blue" in session.hidden
    link.hear("/game/status", {"robots": [], "flags": {"blue": [2.0, 2.0, ""]}})
    after = window_picture(application, 2)
    assert "blue" not in session.hidden
    x, y = at(application, 0.5, -1.0)
    spot = slice(SIZE[1] - y - 45, SIZE[1] - y + 5), slice(x - 5, x + 25)
    assert np.abs(after[spot].astype(int) - before[spot]).max() > 60, "it lay there"


def test_keys_and_the_wheel_still_work_in_a_match(application: Application, link: MatchLink) -> None:
    camera = application.session.camera
    distance = camera.distance
    x, y = at(application, 0.3, -0.5)
    application.window.dispatch_event("on_mouse_motion", x, y, 0, 0)
    frames(application, 2)
    application.window.dispatch_event("on_mouse_scroll", x, y, 0, 3)
    frames(application, 2)
    assert camera.distance < distance
    application.window.dispatch_event("on_key_press", key.SPACE, 0)
    application.window.dispatch_event("on_key_release", key.SPACE, 0)
    frames(application, 2)
    assert link.asked == [("/sim/clock", "pause")]


def test_begin_starts_the_next_match_where_the_run_has_ended_with_the_last_one_g13_g78(
    application: Application, link: MatchLink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr(application.documents, "opener", lambda file: opened.append(file) or "somewhere")
    monkeypatch.setattr(documents, "ViewerLink", lambda _: MatchLink())
    link.facts = replace(link.facts, connection="lost")
    for file, said in (("", "not known here"), ("nowhere.scenario", "no such file")):
        monkeypatch.setattr(application.documents, "file", file)
        press(application, "game.begin")
        assert said in application.session.notes[-1]
    for squad in application.layouts["game"].client.setup.setup.squads.values():
        squad.kind, squad.health, squad.power = "game_scout", 40.0, 10.0
    monkeypatch.setattr(application.documents, "file", "capture_the_flag")
    press(application, "game.begin")
    deadline = time.monotonic() + 60.0
    while application.documents.is_opening and time.monotonic() < deadline:
        frames(application, 1)
    next_scene = tmp_path / "next-match.scenario"
    assert opened == [str(next_scene)]
    assert application.documents.file == str(next_scene)
    game = game_of(load(str(next_scene)))
    assert [(squad.name, squad.health) for squad in game.squads] == [("a", 40.0), ("b", 40.0)]


def test_saying_that_somebody_plays_adds_no_note_where_the_run_is_over(
    application: Application, link: MatchLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    drag(application, at(application, *PLACED["a1"]))
    drag(application, at(application, 1.5, -1.5), button=mouse.RIGHT)
    assert ("/game/seats/south", "claim") in link.published
    monkeypatch.setattr("coopsim.features.games.window.client._HERE_EVERY", 0.0)
    application.layouts["game"].client._due = 0.0
    frames(application, 1)
    assert link.published[-1] == ("/game/seats/south", "here")
    before = list(application.session.notes)

    def refuse(work: Any, *, then: Any = None, failed: Any = None) -> None:
        if failed is not None:
            failed(SimulationEnded("it is over"))

    monkeypatch.setattr(link, "ask", refuse)
    frames(application, 3)
    assert list(application.session.notes) == before


def test_begin_finds_out_that_the_run_ends_just_then(
    application: Application, link: MatchLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "ask", lambda work, then=None, failed=None: failed(SimulationEnded("it is over")))
    press(application, "game.begin")
    assert "not known here" in application.session.notes[-1]
    monkeypatch.setattr(link, "ask", lambda work, then=None, failed=None: failed(CannotSave("the disk is full")))
    press(application, "game.begin")
    assert application.session.notes[-1] == "the disk is full"
