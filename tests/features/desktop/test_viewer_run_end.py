"""Card on how a run ended: whether that was good, what is listed, and what can be done then."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.ui import menus, run_end
from coopsim.features.desktop.ui.menus import Menus
from coopsim.features.desktop.ui.run_end import RunEndCard
from coopsim.features.desktop.ui.style import BAD, GOOD, WARN
from coopsim.features.pictures.palette import SERIES

ENDING = {"tick": 1250, "time": 12.5, "text": "all goals are decided", "failures": []}
Lines = list[tuple[str, Any]]


class Drawn:
    """Lines and buttons that were drawn; a button that is named was pressed."""

    def __init__(self) -> None:
        self.lines: Lines = []
        self.buttons: dict[str, bool] = {}
        self.pressed = ""

    def line(self, _icon: str, text: str, color: Any = None) -> None:
        self.lines.append((text, color))

    def button(self, name: str, _label: str, *, strong: bool = False, enabled: bool = True) -> bool:
        self.buttons[name] = enabled
        return name == self.pressed


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    drawn = Drawn()
    monkeypatch.setattr(run_end, "_line", drawn.line)
    monkeypatch.setattr(run_end, "button", drawn.button)
    monkeypatch.setattr(run_end.imgui, "spacing", lambda: None)
    monkeypatch.setattr(run_end.imgui, "same_line", lambda: None)
    return drawn


def card(*, is_connected: bool = True, can_begin: bool = True) -> tuple[RunEndCard, list[str]]:
    done: list[str] = []
    control = SimpleNamespace(run_again=lambda: done.append("again"))
    session = SimpleNamespace(is_connected=is_connected, time_control=control, reset=lambda: done.append("reset"))
    session.toggle_play = lambda: done.append("play")
    documents = SimpleNamespace(
        can_begin=can_begin,
        start_again=lambda: done.append("start"),
        go_on=lambda file: done.append(f"on with {file}"),
    )
    return RunEndCard(session, documents), done  # type: ignore[arg-type]


def goal(met: bool | None) -> dict[str, Any]:
    return {"name": "there", "text": "there: reached", "met": met, "at": 1.0}


@pytest.mark.parametrize(
    ("failures", "goals", "color"),
    [
        ([], [], GOOD),
        ([], [True, True], GOOD),
        ([], [True, None], GOOD),
        ([], [True, False], WARN),
        (["robot1.sonars"], [], WARN),
        (["robot1.sonars"], [True], WARN),
    ],
)
def test_an_end_is_good_without_failures_and_with_no_goal_missed(
    drawn: Drawn, failures: list[str], goals: list[bool | None], color: Any
) -> None:
    card()[0]._over({**ENDING, "failures": failures}, {"goals": [goal(met) for met in goals]})
    assert drawn.lines[0] == ("Over after 12.50 s: all goals are decided", color)
    assert len(drawn.lines) == 1 + len(goals)


def test_laws_are_listed_with_why_they_ended_but_not_those_that_were_stopped(drawn: Drawn) -> None:
    laws = [
        {"name": "vee", "state": "failed", "reason": "ended with code 1", "ended": 3.0},
        {"name": "guard", "state": "stopped", "reason": "", "ended": 2.0},
        {"name": "wander", "state": "running", "reason": "", "ended": None},
    ]
    card()[0]._over(ENDING, {"controllers": laws})
    assert drawn.lines[1:] == [("vee ended with code 1 after 3.00 s", BAD), ("wander runs", None)]


def test_no_more_goals_and_laws_are_listed_than_there_is_room_for(drawn: Drawn) -> None:
    law = {"name": "vee", "state": "running", "reason": "", "ended": None}
    card()[0]._over(ENDING, {"goals": [goal(True)] * 50, "controllers": [law] * 50})
    assert len(drawn.lines) == 1 + 8 + 8


@pytest.mark.parametrize(
    ("button", "done"), [("Run again", ["again"]), ("Reset the scene", ["reset"]), ("Go on from here", ["play"])]
)
def test_what_can_be_done_then(drawn: Drawn, button: str, done: list[str]) -> None:
    drawn.pressed = button
    shown, deeds = card()
    shown._over(ENDING, {})
    assert deeds == done


@pytest.mark.parametrize("is_connected", [True, False])
def test_without_a_connection_nothing_can_be_asked_but_the_card_be_closed(drawn: Drawn, *, is_connected: bool) -> None:
    card(is_connected=is_connected)[0]._over(ENDING, {})
    assert drawn.buttons == {
        "Run again": is_connected,
        "Reset the scene": is_connected,
        "Go on from here": is_connected,
        "Close the card": True,
    }


@pytest.mark.parametrize(
    ("death", "can_begin", "buttons"),
    [
        ({"reason": "killed", "file": "a.mcap", "time": 2.5}, True, ["Go on from where it died", "Start again"]),
        ({"reason": "killed", "file": "a.mcap"}, True, ["Go on from where it died", "Start again"]),
        ({"reason": "killed"}, True, ["Start again"]),
        ({"reason": "killed", "file": "a.mcap", "time": 2.5}, False, []),
    ],
)
def test_a_run_that_died_goes_on_from_what_was_kept_of_it(
    drawn: Drawn, death: dict[str, Any], can_begin: bool, buttons: list[str]
) -> None:
    drawn.pressed = "Go on from where it died"
    shown, done = card(can_begin=can_begin)
    shown._dead(death)
    assert list(drawn.buttons) == buttons
    more = [("Nothing of it was kept to go on from.", None)] if buttons == ["Start again"] else []
    assert drawn.lines == [("The simulation has ended: killed", BAD), *more]
    assert done == (["on with a.mcap"] if len(buttons) == 2 else [])


@pytest.mark.parametrize(
    ("playback", "is_connected", "laws", "enabled"),
    [
        (None, True, [{"name": "vee"}], True),
        (None, True, [], False),
        (None, False, [{"name": "vee"}], False),
        ({"time": 1.0}, True, [{"name": "vee"}], False),
    ],
)
def test_a_run_with_control_laws_can_be_run_again_by_the_menu(
    monkeypatch: pytest.MonkeyPatch, playback: Any, is_connected: bool, laws: list[Any], enabled: bool
) -> None:
    items: dict[str, bool] = {}
    monkeypatch.setattr(menus, "_item", lambda label, *_, enabled=True, **__: items.update({label: enabled}))
    monkeypatch.setattr(menus, "remember", lambda _: None)
    monkeypatch.setattr(menus.imgui, "begin_menu", lambda *_: False)
    control = SimpleNamespace(is_playing=True, run_again=None)
    facts = SimpleNamespace(playback=playback, standing={"controllers": laws})
    session = SimpleNamespace(link=SimpleNamespace(facts=facts), is_connected=is_connected, is_past=False)
    session.time_control, session.toggle_play, session.step, session.reset = control, None, None, None
    menu = Menus.__new__(Menus)
    menu._session = session  # type: ignore[assignment]
    menu._simulation()
    assert items["Run again"] is enabled
    assert items["Reset"] is (playback is None and is_connected)
    assert items["Step"] is is_connected


def test_colours_of_curves_are_colours() -> None:
    assert len(set(SERIES)) == len(SERIES)
    assert all(0.0 <= channel <= 1.0 for color in SERIES for channel in color)
