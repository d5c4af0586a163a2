"""A picture whose content is that of the last one is not drawn again; anything that shows is drawn at once."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from viewer_live import frames
from viewer_scenes import GREEN, floor, looking, row
from viewer_simulations import SimulationLink

from coopsim.features.desktop import drawn_content
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.drawn_content import DrawnContent
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.quality import HARDWARE, SOFTWARE

SCENE = "[ROBOT_1]\ntype single\nname robot1\n"


class Content:
    """Content of a picture, and whether it was drawn already."""

    def __init__(self) -> None:
        self.model = SceneModel([floor(), row(color=GREEN), row("box2", at=(2.0, 0.0, 0.0))])
        self.rows, self.camera, self.canvas = DrawList(self.model), looking(self.model), object()
        self.settings, self.ribbons = (SOFTWARE, True, 0), np.zeros(3, [("at", np.float32)])
        self._last = DrawnContent()

    def is_drawn(self) -> bool:
        return self._last.is_of(self.canvas, self.rows, self.camera, self.settings, self.ribbons)

    def move(self) -> None:
        self.model.poses[1, 0] += 0.001
        self.rows.update()

    def paint(self) -> None:
        self.rows.rows["i_color"][1] = 9


CHANGES: dict[str, Callable[[Content], Any]] = {
    "the camera turns": lambda content: setattr(content.camera, "yaw", content.camera.yaw + 0.01),
    "the picture grows": lambda content: setattr(content.camera, "size", (401, 300)),
    "a body moves": Content.move,
    "a body gets another colour": Content.paint,
    "a body is selected": lambda content: content.rows.mark(frozenset({"box1"})),
    "a body is hidden": lambda content: content.rows.mark(frozenset(), frozenset({"box2"})),
    "a trail grows": lambda content: setattr(content, "ribbons", np.zeros(4, [("at", np.float32)])),
    "a ray is shorter": lambda content: content.ribbons["at"].__setitem__(1, 0.5),
    "the quality changes": lambda content: setattr(content, "settings", (HARDWARE, True, 0)),
    "the grid vanishes": lambda content: setattr(content, "settings", (SOFTWARE, False, 0)),
    "a mesh comes": lambda content: setattr(content, "settings", (SOFTWARE, True, 1)),
    "another canvas is drawn on": lambda content: setattr(content, "canvas", object()),
    "another scene is shown": lambda content: setattr(content, "rows", DrawList(content.model)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_a_picture_has_it_drawn_once_more(change: str) -> None:
    content = Content()
    assert [content.is_drawn() for _ in range(3)] == [False, True, True]
    CHANGES[change](content)
    assert [content.is_drawn() for _ in range(2)] == [False, True]


def test_a_crowd_is_drawn_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_content, "MANY", 1)
    content = Content()
    assert [content.is_drawn() for _ in range(2)] == [False, False]


@pytest.fixture
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("still") / "still.scenario"
    file.write_text(SCENE, encoding="utf-8")
    window = Application(SimulationLink(str(file)), (800, 600))  # type: ignore[arg-type]
    frames(window, 6)
    yield window
    window.close()


def test_a_scene_that_stands_still_costs_no_drawing_until_something_happens(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    native, drawn = application._picture._native, list[Any]()
    draw = native.draw
    monkeypatch.setattr(native, "draw", lambda *words, **named: drawn.append(draw(*words, **named)))
    before = shown(application)
    frames(application, 5)
    assert not drawn
    assert np.array_equal(shown(application), before)
    application.session.select("robot1")
    frames(application, 2)
    assert len(drawn) == 1
    assert not np.array_equal(shown(application), before), "its outline is seen"
    application.session.camera.yaw += 0.2
    frames(application, 2)
    assert len(drawn) == 2


def shown(application: Application) -> np.ndarray:
    """Return what the window shows where the picture is."""
    left, top, width, height = map(round, application.view)
    return application.screenshot()[top : top + height, left : left + width]
