"""A body is pulled by the mouse: a robot of several bodies and an object, by key and by button, until it is let go."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import click, frame, press, send
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.ui import over_picture
from coopsim.geometry import Floats

WORLD = "[OBJECT_1]\ntype box\nname crate\nsize 0.5 0.5 0.5\nposition 0 -1.5 0\nmass 5\nfriction 0.3\n"
SCENE = """
[WORLD]
file yard
[SIMULATION]
engine mujoco
[ROBOT_1]
type single_hinged
name rover
"""
HEIGHTS = {"rover": 0.2, "crate": 0.25}
"""Where each is grabbed [m]."""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("pulling")
    (folder / "yard.world").write_text(WORLD, encoding="utf-8")
    (folder / "a.scenario").write_text(SCENE, encoding="utf-8")
    window = Application(SimulationLink(str(folder / "a.scenario")), (1000, 700))  # type: ignore[arg-type]
    window.settings.quality = "low"
    frame(window, 6)
    yield window
    window.close()


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts of forces that are drawn."""
    drawn: list[str] = []
    calc = imgui.calc_text_size

    def noted(text: str, *more: Any) -> Any:
        if text.endswith(" N"):
            drawn.append(text)
        return calc(text, *more)

    monkeypatch.setattr(over_picture.imgui, "calc_text_size", noted)
    return drawn


def pixel_of(application: Application, name: str) -> tuple[int, int]:
    pose = application.session.pose(name)
    assert pose is not None
    (pixel,), _ = application.session.camera.project(np.array([[*pose[:2], HEIGHTS[name]]]))
    left, top, _, high = application.view
    x, y = application.units.in_window(left + float(pixel[0]), top + high - float(pixel[1]))
    return round(x), round(y)


def pass_time(application: Application, seconds: float) -> None:
    simulation: Any = application.session.link.simulation  # type: ignore[attr-defined]
    for _ in range(round(seconds / 0.05)):
        tool = application.mouse_tool
        if tool.pull is not None:
            tool.pull._due = 0.0  # it is said again for each picture, however fast these are drawn
        frame(application, 1)
        for _ in range(5):
            simulation.tick()
    frame(application, 1)


def standing(application: Application, name: str) -> Floats:
    pose = application.session.pose(name)
    assert pose is not None
    return np.array(pose[:2])


@pytest.mark.parametrize(("name", "by_button"), [("rover", False), ("crate", True)])
def test_a_body_follows_the_mouse_while_it_is_pulled_and_comes_back_by_undo(
    application: Application, words: list[str], name: str, *, by_button: bool
) -> None:
    if by_button:
        click(application, "toolbar.pull by a force (X)")
    else:
        press(application, key.X)
    assert application.settings.pulls
    pass_time(application, 0.5)
    begin, (x, y) = standing(application, name), pixel_of(application, name)
    send(application, "on_mouse_motion", x, y, 0, 0)
    frame(application, 2)
    send(application, "on_mouse_press", x, y, mouse.LEFT, 0)
    send(application, "on_mouse_drag", x + 60, y, 60, 0, mouse.LEFT, 0)
    frame(application, 2)
    pull = application.mouse_tool.pull
    assert pull is not None
    assert pull.name == name
    row = application.session.entity(name)
    assert row is not None
    stretch = float(np.linalg.norm(pull.end - pull.begin))  # type: ignore[operator]
    assert stretch > 0.3
    assert words[-1] == f"{20.0 * row.mass * stretch:.0f} N"
    keep(application, f"pull_{name}")
    pass_time(application, 2.0)
    keep(application, f"pulled_{name}")
    assert np.linalg.norm(standing(application, name) - begin) > 0.1
    assert float(np.linalg.norm(pull.force)) < 20.0 * row.mass * stretch, "the nearer, the weaker"
    send(application, "on_mouse_release", x + 60, y, mouse.LEFT, 0)
    assert application.mouse_tool.pull is None
    pass_time(application, 2.0)
    at_rest = standing(application, name)
    pass_time(application, 1.0)
    assert np.linalg.norm(standing(application, name) - at_rest) < 0.01, "let go, it is not pulled any more"
    words.clear()
    frame(application, 3)
    assert words == []
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert np.linalg.norm(standing(application, name) - begin) < 0.02
    if by_button:
        click(application, "toolbar.pull by a force (X)")
    else:
        press(application, key.X)
    assert not application.settings.pulls
