"""The window on a real simulation in this process: managers, palette, parameters and keys that drive."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from PIL import Image
from pyglet.window import key, mouse
from viewer_live import frames, window_picture
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.placing import texture_of
from coopsim.features.desktop.ui.widgets import PLACES
from coopsim.robots import load

SIZE = (700, 1000)
SCENE = "[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n\n[TARGET]\nred 4 3 0\n"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    file = tmp_path_factory.mktemp("managers") / "a.scenario"
    file.write_text(SCENE, encoding="utf-8")
    application = Application(SimulationLink(str(file)), SIZE)  # type: ignore[arg-type]
    application.settings.quality = "low"
    frame(application, 6)
    yield application
    application.close()


@pytest.fixture
def link(application: Application) -> Any:
    """Begin anew."""
    link: Any = application.session.link
    link.client.world.reset()
    application.session.select("")
    frame(application)
    return link


def frame(application: Application, count: int = 2) -> None:
    frames(application, count)


def at(application: Application, name: str) -> tuple[int, int]:
    x, y = application.units.in_window(*PLACES[name])
    return round(x), round(y)


def send(application: Application, event: str, *values: Any) -> None:
    application.window.dispatch_event(event, *values)
    frame(application, 1)


def click(application: Application, name: str) -> None:
    place = at(application, name)
    send(application, "on_mouse_motion", *place, 0, 0)
    frame(application)
    send(application, "on_mouse_press", *place, mouse.LEFT, 0)
    send(application, "on_mouse_release", *place, mouse.LEFT, 0)
    frame(application)


def drag(application: Application, name: str, end: tuple[int, int]) -> None:
    begin = at(application, name)
    send(application, "on_mouse_motion", *begin, 0, 0)
    frame(application)
    send(application, "on_mouse_press", *begin, mouse.LEFT, 0)
    for share in (0.2, 0.6, 1.0):
        place = (round(begin[0] + share * (end[0] - begin[0])), round(begin[1] + share * (end[1] - begin[1])))
        send(application, "on_mouse_drag", *place, 0, 0, mouse.LEFT, 0)
    frame(application)
    send(application, "on_mouse_release", *end, mouse.LEFT, 0)
    frame(application)


def show(application: Application, title: str) -> None:
    imgui.set_window_focus(title)
    frame(application, 3)


@pytest.mark.parametrize(
    ("panel", "widget", "name"),
    [
        ("Objects", "objects.box", "box1"),
        ("Objects", "objects.cylinder", "cylinder1"),
        ("Objects", "objects.sphere", "sphere1"),
        ("Robots", "robots.insert", "robot2"),
        ("Targets", "targets.insert", "red_2"),
    ],
)
def test_managers_insert_and_remove(application: Application, link: Any, panel: str, widget: str, name: str) -> None:
    """C-56, C-57, C-59, C-62: objects, robots and targets are inserted, and removed at any time, by their managers."""
    show(application, panel)
    click(application, widget)
    assert application.session.selected == name
    row = application.session.entity(name)
    assert row is not None
    assert panel != "Objects" or name == f"{row.type}1"
    frame(application)
    click(application, f"{panel.lower()}.delete")
    assert application.session.entity(name) is None


def test_what_is_inserted_without_a_place_looks_for_room(application: Application, link: Any) -> None:
    """C-57: neither robots nor objects nor teams are put into what stands in the middle of the picture."""
    session = application.session
    assert session.pose("robot1") is not None
    aimed, session.camera.centre = session.camera.centre, np.zeros(3)
    for what, names in (
        ("robot single", ["robot2"]),
        ("robot team2", ["team1/leader", "team1/helper"]),
        ("box", ["box1"]),
    ):
        session.insert(what)
        frame(application, 3)
        for name in names:
            x, y = session.pose(name)[:2]  # type: ignore[index]
            poses = [
                session.pose(entity) for entity in session.names if entity not in ("floor", "red", "team1/bar", name)
            ]
            assert min(np.hypot(x - pose[0], y - pose[1]) for pose in poses if pose) > 0.6, what
    for _ in range(2):
        session.insert("target blue")
        frame(application, 3)
    session.camera.centre = aimed
    first, second = (session.pose(name) for name in ("blue", "blue_2"))
    assert first is not None
    assert second is not None
    assert first[:2] != second[:2]


def test_a_composed_object_is_inserted_as_a_whole_and_taken_back(application: Application, link: Any) -> None:
    """C-58: objects of several parts."""
    show(application, "Objects")
    for kind, parts in (("dumbbell", 3), ("tee", 2), ("corner", 2)):
        click(application, f"objects.{kind}")
        (name,) = (name for name in application.session.names if name.startswith(kind))
        assert application.session.selected == name
        row = application.session.entity(name)
        assert (len(row.drawn()), row.mass) == (parts, parts)
        (body,) = (body for body in link.simulation.scene.bodies if body.name == name)
        assert len(body.shapes) == parts
        press(application, key.Z, key.MOD_CTRL)
        assert not [name for name in application.session.names if name.startswith(kind)]


def test_any_object_gets_parts_and_loses_them(application: Application, link: Any) -> None:
    """C-58: more complex objects are composed without a line of code."""
    show(application, "Objects")
    click(application, "objects.box")
    frame(application, 3)
    click(application, "objects.part.add.box")
    frame(application, 3)
    row = application.session.entity("box1")
    assert [part.size for part in row.drawn()] == [(0.5, 0.5, 0.5), (0.4, 0.2, 0.2)]
    press(application, key.Z, key.MOD_CTRL)
    frame(application, 3)
    assert len(application.session.entity("box1").drawn()) == 1


def test_a_texture_is_chosen_kept_by_a_save_and_taken_back(application: Application, link: Any) -> None:
    """C-84: textures on objects."""

    def texture() -> str:
        return texture_of(application.session.entity("box1"))

    show(application, "Objects")
    click(application, "objects.box")
    frame(application, 3)
    click(application, "objects.texture")
    click(application, "objects.texture.bricks")
    assert texture() == "bricks"
    assert [row.visuals[0].texture for row in link.client.scene().entities if row.name == "box1"] == ["bricks"]
    folder = Path(link.simulation.spec.scenario.file).parent
    Image.new("RGB", (8, 8), (0, 200, 0)).save(folder / "green.png")
    saved = link.client.world.save(str(folder / "saved.scenario")).files[-1]
    assert next(thing.texture for thing in load(saved).scenario.world.objects if thing.name == "box1") == "bricks"
    click(application, "objects.texture")
    click(application, "objects.texture.File...")
    manager = next(panel for panel in application._panels if panel.title == "Objects").draw.__self__
    manager._files.folder = folder
    frame(application, 3)
    click(application, "file.green.png")
    click(application, "file.choose")
    assert texture() == str(folder / "green.png")
    press(application, key.Z, key.MOD_CTRL)
    press(application, key.Z, key.MOD_CTRL)
    assert texture() == ""


def test_a_form_changes_size_and_the_change_is_taken_back(application: Application, link: Any) -> None:
    show(application, "Objects")
    click(application, "objects.box")
    frame(application, 3)
    x, y = at(application, "objects.size")
    drag(application, "objects.size", (x + 40, y))
    changed = application.session.entity("box1")
    assert changed is not None
    assert changed.size != (0.5, 0.5, 0.5)
    press(application, key.Z, key.MOD_CTRL)
    back = application.session.entity("box1")
    assert back is not None
    assert back.size == (0.5, 0.5, 0.5)


def test_the_row_of_what_is_selected_is_lit(application: Application, link: Any) -> None:
    show(application, "Objects")
    click(application, "objects.box")
    click(application, "objects.box")
    for name, unselected in (("box1", "box2"), ("box2", "box1")):
        application.session.select(name)
        picture = window_picture(application, 3)
        assert saturation(picture, f"objects.{name}") > saturation(picture, f"objects.{unselected}") + 5.0


def saturation(picture: np.ndarray, name: str) -> float:
    """Return by how much the channels differ in the row of a table, on average."""
    x, y = map(round, PLACES[name])
    strip = picture[y - 4 : y + 5, x - 60 : x + 60].reshape(-1, picture.shape[2])[:, :3].astype(float)
    return float(np.mean(strip.max(axis=1) - strip.min(axis=1)))


def test_a_robot_gets_another_name_in_its_manager(application: Application, link: Any) -> None:
    """C-61: colour and name of robots are chosen."""
    application.session.select("robot1")
    show(application, "Robots")
    click(application, "robots.name")
    press(application, key.A, key.MOD_CTRL)
    send(application, "on_key_release", key.LCTRL, 0)
    send(application, "on_text", "anna")
    press(application, key.RETURN)
    frame(application, 3)
    assert (application.session.selected, application.session.entity("robot1")) == ("anna", None)
    press(application, key.Z, key.MOD_CTRL)
    assert application.session.entity("robot1") is not None


def test_a_robot_gets_another_colour_in_its_manager(application: Application, link: Any) -> None:
    """C-61: colour and name of robots are chosen."""
    application.session.select("robot1")
    show(application, "Robots")
    before = application.session.entity("robot1").color
    click(application, "robots.color")
    press(application, key.A, key.MOD_CTRL)
    send(application, "on_key_release", key.LCTRL, 0)
    send(application, "on_text", "#00FF00")
    press(application, key.RETURN)
    frame(application, 3)
    assert application.session.entity("robot1").color == pytest.approx((0.0, 1.0, 0.0), abs=0.01)
    assert link.client.world.get("robot1").name == "robot1"
    press(application, key.Z, key.MOD_CTRL)
    assert application.session.entity("robot1").color == pytest.approx(before, abs=0.01)


def test_a_click_between_two_frames_reaches_what_lies_under_the_mouse(application: Application, link: Any) -> None:
    """Where frames are rare, the mouse arrives, presses and releases before the next one."""
    show(application, "Targets")
    for panel, covered in (("Robots", "Targets"), ("Targets", "Robots"), ("Objects", "Targets")):
        tab = imgui.internal.find_window_by_name(panel).dc.dock_tab_item_rect.get_center()
        place = round(tab.x), round(application.window.height - tab.y)
        send(application, "on_mouse_motion", 10, 400, 0, 0)
        for event, *values in (("on_mouse_motion", 0, 0), ("on_mouse_press", 1, 0), ("on_mouse_release", 1, 0)):
            application.window.dispatch_event(event, *place, *values)
        frame(application, 5)
        assert imgui.internal.find_window_by_name(covered).hidden
        assert not imgui.internal.find_window_by_name(panel).hidden
        assert application.mouse_tool._button is None


def press(application: Application, symbol: int, modifiers: int = 0) -> None:
    send(application, "on_key_press", symbol, modifiers)
    send(application, "on_key_release", symbol, modifiers)
    frame(application)


def test_a_row_of_a_table_selects(application: Application, link: Any) -> None:
    show(application, "Targets")
    click(application, "targets.red")
    assert application.session.selected == "red"


def test_what_is_dragged_out_of_the_palette_stands_where_it_is_dropped(application: Application, link: Any) -> None:
    """C-86: drag and drop."""
    left, top, width, high = application.view
    end = round(left + 0.6 * width), round(application.window.height - top - 0.6 * high)
    drag(application, "palette.box", end)
    point = application.session.camera.on_plane(*application._pixel(*end))
    pose = application.session.pose("box1")
    assert point is not None
    assert pose is not None
    assert pose[:2] == pytest.approx(tuple(point[:2]), abs=0.03)
    pixels, _ = application.session.camera.project(np.array([[*pose[:2], 0.0]]))
    assert pixels[0] == pytest.approx(application._pixel(*end), abs=3.0)


def test_parameters_of_a_robot_are_sliders_and_undo_puts_them_back(application: Application, link: Any) -> None:
    application.session.select("robot1")
    show(application, "Robots")
    frame(application, 3)
    click(application, "robots./robot1/motors")
    frame(application, 3)
    before = link.client.robot("robot1").motors.parameters["max_speed"]
    x, y = at(application, "/robot1/motors.max_speed")
    drag(application, "/robot1/motors.max_speed", (x - 50, y))
    after = link.client.robot("robot1").motors.parameters["max_speed"]
    assert after != before
    press(application, key.Z, key.MOD_CTRL)
    assert link.client.robot("robot1").motors.parameters["max_speed"] == before


def test_a_robot_is_claimed_driven_by_arrow_keys_and_released(application: Application, link: Any) -> None:
    application.session.select("robot1")
    show(application, "Robots")
    frame(application, 3)
    click(application, "robots.drive")
    assert application._drive.robot == "robot1"
    send(application, "on_key_press", key.UP, 0)
    assert not imgui.get_io().nav_visible  # the key drives, and does not move the focus besides
    for _ in range(30):
        application._drive._due = 0.0
        application._drive.advance()
    frame(application)
    send(application, "on_key_release", key.UP, 0)
    pose = application.session.pose("robot1")
    assert pose is not None
    assert pose[0] > 0.02
    click(application, "robots.drive")
    assert application._drive.robot == ""
    assert application.session.notes[-1] == "robot1 is driven from here no more"
    with link.server.connect() as other_client:
        other_client.robot("robot1").motors.set_velocity(0.0, 0.0)


def test_space_presses_what_has_the_focus_of_the_keys_and_does_not_play_besides(
    application: Application, link: Any
) -> None:
    application.session.select("robot1")
    show(application, "Robots")
    click(application, "robots.drive")
    click(application, "robots.drive")
    press(application, key.UP)
    press(application, key.DOWN)
    assert imgui.get_io().nav_visible
    is_playing = application.session.time_control.is_playing
    press(application, key.SPACE)
    assert application._drive.robot == "robot1"
    assert application.session.time_control.is_playing == is_playing
    click(application, "robots.drive")


def test_a_manager_of_a_simulation_that_is_gone_is_grey_and_says_why(application: Application, link: Any) -> None:
    application.session.select("robot1")
    live = link.facts
    widgets = {"Objects": "objects.box", "Robots": "robots.insert", "Targets": "targets.insert"}
    try:
        for title, widget in widgets.items():
            link.facts = live
            show(application, title)
            place, before = PLACES[widget], application.session.names
            link.facts = replace(live, connection="lost", problem="nobody answers")
            frame(application)
            assert PLACES[widget][1] > place[1] + 10.0  # lines above it say why
            click(application, widget)
            assert application.session.names == before
        assert "gone" in application.session.obstacle
        show(application, "Robots")
        click(application, "robots.drive")
        assert application._drive.robot == ""
        application.session.delete()
        frame(application)
        assert "gone" in application.session.notes[-1]
        assert "robot1" in application.session.names
    finally:
        link.facts = live
    show(application, "Objects")
    click(application, "objects.box")
    assert "box1" in application.session.names


def test_a_drag_with_alt_pulls_a_body_by_a_force_until_it_is_let_go(application: Application, link: Any) -> None:
    link.client.world.insert("[OBJECT_1]\ntype box\nname crate\nsize 1 1 1\nposition 1.5 0 0\nmass 4\n")
    frame(application, 3)
    left, top, _, high = application.view
    pixels, _ = application.session.camera.project(np.array([[1.5, 0.0, 1.0], [3.0, 0.0, 1.0]]))
    begin, end = ((round(left + x), round(application.window.height - top - high + y)) for x, y in pixels)
    before = window_picture(application, 2)
    send(application, "on_mouse_motion", *begin, 0, 0)
    send(application, "on_mouse_press", *begin, mouse.LEFT, key.MOD_ALT)
    send(application, "on_mouse_drag", *end, 0, 0, mouse.LEFT, key.MOD_ALT)
    pull = application.mouse_tool.pull
    assert pull is not None
    pull.advance(np.inf)
    (push,) = link.simulation.pushes
    assert push.name == "crate"
    assert push.force[0] == pytest.approx(20.0 * 4.0 * 1.5, rel=0.05)
    assert np.abs(window_picture(application, 2).astype(int) - before).max() > 60
    for _ in range(10):
        link.simulation.tick()
    send(application, "on_mouse_release", *end, mouse.LEFT, key.MOD_ALT)
    assert link.simulation.pushes == ()
    frame(application)
    pose = application.session.pose("crate")
    assert pose is not None
    assert pose[0] > 1.6


def test_a_lock_in_the_tree_keeps_a_thing_from_being_edited(application: Application, link: Any) -> None:
    show(application, "Scene")
    click(application, "lock.robot1")
    application.session.select("robot1")
    press(application, key.DELETE)
    assert application.session.entity("robot1") is not None
    click(application, "lock.robot1")
    assert application.session.editable == ("robot1",)


def test_panels_fill_their_places(application: Application, link: Any, tmp_path: Path) -> None:
    for panel in ("Objects", "Robots", "Targets", "Palette"):
        application.session.select({"Robots": "robot1", "Targets": "red"}.get(panel, ""))
        show(application, panel)
        picture = window_picture(application, 3)
        assert picture[400:640, 420:690].std() > 8.0
        Image.fromarray(picture).save(tmp_path / f"{panel}.png")
    for panel in ("Scene", "Inspector", "Timeline", "Plots", "Console", "Real time"):
        application.session.select("robot1")
        show(application, panel)
        picture = window_picture(application, 3)
        window = imgui.internal.find_window_by_name(panel)
        left, top = round(window.pos.x), round(window.pos.y)
        assert picture[top : top + round(window.size.y), left : left + round(window.size.x)].std() > 5.0
        Image.fromarray(picture).save(tmp_path / f"{panel}.png")
