"""Sessions of a first user who edits a real run: once by the mouse, once by the keys alone.

The twelve sessions of a first user, each on real runs or on a real simulation, and each with a window on it:

1. a run reaches its goal, is scrubbed, reset and run again (`test_first_user`)
2. five scenes are loaded in a row while laws drive (`test_first_user`)
3. a law is chosen, started, replaced and stopped in the manager (`test_first_user`)
4. a run that died says which process and why, and starts again (`test_first_user`)
5. the first page, all scenes, and their search (`test_first_scenes`)
6. two players go from the lobby to the result in two windows (`test_first_match`)
7. two teams are inserted, driven, undone and saved (`test_viewer_teams`)
8. edits of a window that was killed are recovered (`test_autosave`)
9. a robot is dragged, coloured, both undone and redone, saved and loaded again (here)
10. a law is started by hand, saved, undone and read again (here)
11. no mouse: things are inserted, selected, coloured, named and saved, and time is scrubbed (here)
12. a player draws paths through a door, takes them back, and backs a robot into a crate (`test_first_path`)
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pyglet.window import key, mouse
from test_first_user import keep
from test_viewer_managers import click, frame, press, send, show
from viewer_live import draw_until

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.commands.gui import OwnRun
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.recent import UserFolders
from coopsim.features.desktop.ui.widgets import FOCUSED

pytestmark = pytest.mark.integration
SCENE = """# a yard for two
[ROBOT_1]
type single            # the paper's robot
name anna
position 1 -1 0
color red

[ROBOT_2]
type single
name bert
position -1 1 0
"""
GREEN = (0.0, 1.0, 0.0)
MOST_KEYS = 90
"""Pressed one after the other on the way to a widget, in a panel of 40 at most."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edits")
    for name in ("mouse", "keys", "laws"):
        (folder / f"{name}.scenario").write_text(SCENE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def application(folder: Path) -> Iterator[Application]:
    with pytest.MonkeyPatch.context() as patch, OwnRun() as own:
        patch.chdir(folder)
        own.begin("mouse.scenario")
        folders = UserFolders(folder / "state" / "recent.json", folder / "pictures")
        window = Application(ViewerLink(own.locate()), (1280, 800), own.exchange, folders)
        window.settings.quality, window.documents.file = "low", "mouse.scenario"
        draw_until(window, lambda: bool(window.session.names))
        yield window
        window.close()


def place_of(application: Application, name: str) -> tuple[int, int]:
    """Return where a robot is seen in the window, as pyglet counts."""
    session = application.session
    pose, row = session.pose(name), session.entity(name)
    assert pose is not None
    assert row is not None
    (pixel,), _ = session.camera.project(np.array([[pose[0], pose[1], row.size[2] / 2.0]]))
    left, top, _, high = application.view
    x, y = application.units.in_window(left + float(pixel[0]), top + high - float(pixel[1]))
    return round(x), round(y)


def drag_robot(application: Application, name: str, across: int, up: int) -> None:
    """Drag a robot in the picture."""
    x, y = place_of(application, name)
    send(application, "on_mouse_motion", x, y, 0, 0)
    send(application, "on_mouse_press", x, y, mouse.LEFT, 0)
    for share in (0.3, 0.7, 1.0):
        place = x + round(share * across), y + round(share * up)
        send(application, "on_mouse_drag", *place, 0, 0, mouse.LEFT, 0)
    send(application, "on_mouse_release", x + across, y + up, mouse.LEFT, 0)
    frame(application)


def typed(application: Application, text: str) -> None:
    """Type over what a field says."""
    press(application, key.A, key.MOD_CTRL)
    send(application, "on_key_release", key.LCTRL, 0)
    send(application, "on_text", text)
    press(application, key.RETURN)
    frame(application, 3)


def color_of(application: Application, name: str) -> tuple[float, float, float]:
    row = application.session.entity(name)
    assert row is not None
    return row.color


def is_at(application: Application, name: str, x: float, y: float) -> bool:
    pose = application.session.pose(name)
    return pose is not None and math.dist(pose[:2], (x, y)) < 0.02


def opened(application: Application, file: str) -> None:
    application.documents.open(file)
    scenario = file.partition(".")[0]
    draw_until(application, lambda: application.session.link.facts.scenario == scenario)
    draw_until(application, lambda: not application.documents.is_opening and "anna" in application.session.names)


def test_a_robot_is_dragged_coloured_undone_redone_saved_and_loaded_again(
    application: Application, folder: Path
) -> None:
    drag_robot(application, "anna", 120, 60)
    draw_until(application, lambda: not is_at(application, "anna", 1.0, -1.0))
    frame(application, 5)
    put = application.session.pose("anna")
    assert put is not None
    assert math.dist(put[:2], (1.0, -1.0)) > 0.5
    assert application.session.selected == "anna"
    show(application, "Robots")
    click(application, "robots.color")
    typed(application, "#00FF00")
    draw_until(application, lambda: color_of(application, "anna") == pytest.approx(GREEN, abs=0.01))
    keep(application, "dragged_and_green")
    press(application, key.Z, key.MOD_CTRL)
    draw_until(application, lambda: color_of(application, "anna")[0] > 0.6)
    assert not is_at(application, "anna", 1.0, -1.0), "one undo takes one edit back"
    press(application, key.Z, key.MOD_CTRL)
    draw_until(application, lambda: is_at(application, "anna", 1.0, -1.0))
    assert not application.documents.has_unsaved
    for _ in range(2):
        press(application, key.Y, key.MOD_CTRL)
        frame(application, 5)
    draw_until(application, lambda: is_at(application, "anna", *put[:2]))
    draw_until(application, lambda: color_of(application, "anna") == pytest.approx(GREEN, abs=0.01))
    press(application, key.S, key.MOD_CTRL)
    draw_until(application, lambda: not application.documents.has_unsaved)
    saved = (folder / "mouse.scenario").read_text(encoding="utf-8")
    changed = [(old, new) for old, new in zip(SCENE.splitlines(), saved.splitlines(), strict=False) if old != new]
    assert [old for old, _ in changed] == ["position 1 -1 0", "color red"], saved
    assert changed[1][1] == "color lime", saved
    assert "# a yard for two" in saved
    assert "# the paper's robot" in saved
    opened(application, "keys.scenario")
    opened(application, "mouse.scenario")
    draw_until(application, lambda: is_at(application, "anna", *put[:2]))
    assert color_of(application, "anna") == pytest.approx(GREEN, abs=0.01)
    assert is_at(application, "bert", -1.0, 1.0)


def law_states(application: Application) -> list[tuple[str, str]]:
    """Return laws with their states, in the order in which they began."""
    return [(law["law"], law["state"]) for law in application.session.link.facts.standing.get("controllers", ())]


def saved_text(application: Application, folder: Path) -> str:
    """Save by the key; return what the file holds then."""
    count = sum("saved" in note for note in application.session.notes)
    press(application, key.S, key.MOD_CTRL)
    draw_until(application, lambda: sum("saved" in note for note in application.session.notes) > count)
    return (folder / "laws.scenario").read_text(encoding="utf-8")


def test_a_law_that_was_started_by_hand_is_saved_undone_redone_and_read_again(
    application: Application, folder: Path
) -> None:
    opened(application, "laws.scenario")
    show(application, "Robots")
    application.session.select("bert")
    frame(application, 4)
    click(application, "law.start")
    draw_until(application, lambda: law_states(application) == [("wander", "running")])
    draw_until(application, lambda: application.documents.has_unsaved)
    assert application.session.editor.history.next_undo == "start wander for bert"
    with_law = saved_text(application, folder)
    assert with_law == f"{SCENE}\n[CONTROLLER_1]\nrun         wander\nrobots      bert\n"
    press(application, key.Z, key.MOD_CTRL)
    draw_until(application, lambda: law_states(application) == [("wander", "stopped")])
    assert saved_text(application, folder) == SCENE, "what was undone is in no file"
    press(application, key.Y, key.MOD_CTRL)
    draw_until(application, lambda: law_states(application)[1:] == [("wander", "running")])
    assert saved_text(application, folder) == with_law
    keep(application, "law_saved")
    opened(application, "keys.scenario")
    opened(application, "laws.scenario")
    draw_until(application, lambda: law_states(application) == [("wander", "running")])


def enter(application: Application, title: str) -> None:
    """Go to a panel by F6."""
    for _ in range(MOST_KEYS):
        press(application, key.F6)
        if application._docks._focused == title:
            return
    pytest.fail(f"no key leads to {title}")


def walk(application: Application, widget: str, symbol: int = key.TAB) -> None:
    """Go to a widget by one key."""
    FOCUSED.clear()
    for _ in range(MOST_KEYS):
        if [widget] == FOCUSED:
            return
        press(application, symbol)
    pytest.fail(f"no key leads to {widget}, but to {FOCUSED}")


def test_without_a_mouse_things_are_inserted_coloured_named_and_saved(application: Application, folder: Path) -> None:
    session = application.session
    opened(application, "keys.scenario")
    enter(application, "Palette")
    walk(application, "palette.box")
    press(application, key.RETURN)
    draw_until(application, lambda: "box1" in session.names)
    assert session.selected == "box1"
    # into the list of robots and down to the second one
    enter(application, "Scene")
    walk(application, "lock.bert")
    press(application, key.TAB)
    press(application, key.RETURN)
    assert session.selected == "bert"
    enter(application, "Robots")
    walk(application, "robots.color")
    typed(application, "#00FF00")
    draw_until(application, lambda: color_of(application, "bert") == pytest.approx(GREEN, abs=0.01))
    walk(application, "robots.position")
    typed(application, "2.5")
    draw_until(application, lambda: is_at(application, "bert", 2.5, 1.0))
    walk(application, "robots.name")
    typed(application, "carla")
    draw_until(application, lambda: "carla" in session.names)
    keep(application, "by_keys")
    enter(application, "Timeline")
    walk(application, "timeline.scrub")
    draw_until(application, lambda: session.time > 1.0)
    press(application, key.LEFT, key.MOD_SHIFT)
    assert session.is_past
    before = session.time
    press(application, key.LEFT)
    assert session.time < before
    press(application, key.END)
    assert not session.is_past
    save_as(application, folder)


def seek(application: Application, text: str) -> None:
    """Go to the search of the panel Scene by keys, write and press Enter."""
    enter(application, "Scene")
    frame(application, 2)
    assert FOCUSED == ["tree.search"]
    press(application, key.RETURN)
    press(application, key.A, key.MOD_CTRL)
    send(application, "on_key_release", key.LCTRL, 0)
    press(application, key.BACKSPACE)
    send(application, "on_text", text)
    press(application, key.RETURN)
    frame(application, 4)


def test_robots_are_found_and_selected_by_keys_in_the_scene(application: Application) -> None:
    session = application.session
    opened(application, "mouse.scenario")
    session.select("")
    seek(application, "ber")
    assert session.selected == "bert", "the first that the search names"
    assert FOCUSED == ["tree.bert"], "the keys are on its row"
    keep(application, "found_by_keys")
    session.select("")
    seek(application, "")
    assert session.selected == "", "nothing was sought"
    walk(application, "tree.anna")
    press(application, key.DOWN)
    assert FOCUSED == ["tree.bert"], "arrow keys go from name to name"
    assert session.selected == ""
    press(application, key.RETURN)
    assert session.selected == "bert"
    keep(application, "selected_by_arrows")
    press(application, key.D, key.MOD_CTRL)
    draw_until(application, lambda: "bert2" in session.names)
    press(application, key.DELETE)
    draw_until(application, lambda: "bert2" not in session.names)


def save_as(application: Application, folder: Path) -> None:
    """Save by the menu File and under another name."""
    press(application, key.F10)
    walk(application, "menu.Save As...", key.DOWN)
    press(application, key.RETURN)
    frame(application, 3)
    assert application.menus.dialog.is_open
    walk(application, "file.name")
    typed(application, "by_keys.scenario")
    draw_until(application, (folder / "by_keys.scenario").exists)
    draw_until(application, lambda: not application.documents.has_unsaved)
    assert application.documents.file == str(folder / "by_keys.scenario"), "what follows is an edit of that file"
    assert application.documents.recent.files[0] == application.documents.file
    assert application.session.link.facts.scenario == "by_keys", "the status bar calls it so"
    saved = (folder / "by_keys.scenario").read_text(encoding="utf-8")
    lines = [line.split() for line in saved.splitlines()]
    assert ["name", "carla"] in lines, saved
    assert ["position", "2.5", "1", "0"] in lines, saved
    assert ["color", "lime"] in lines, saved
    assert "box1" in (folder / "by_keys.world").read_text(encoding="utf-8")
    assert (folder / "keys.scenario").read_text(encoding="utf-8") == SCENE
