"""The node editor on a robot whose control loop is a system of components."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from pyglet.window import key, mouse
from viewer_live import frames, window_picture
from viewer_systems import SystemLink

from coopsim.features.amsa.components.files import BUILT_IN
from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.window.component_panel import ComponentPanel
from coopsim.features.amsa.window.run_systems import unstarted
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.ui.widgets import PLACES

SIZE = (1200, 800)
CONTROLLER = "MyFollowerController"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("components")
    for path in [*BUILT_IN.glob("*.amsatemplate"), BUILT_IN / "challenge_physics.amsa"]:
        shutil.copy(path, folder)
    shutil.copy(BUILT_IN.parent / "challenge_physics.scenario", folder)
    return folder


@pytest.fixture(scope="module")
def application(folder: Path) -> Iterator[Application]:
    application = Application(SystemLink(str(folder / "challenge_physics.scenario")), SIZE)  # type: ignore[arg-type]
    application.session.link.facts = replace(
        application.session.link.facts, scenario=str(folder / "challenge_physics.scenario")
    )
    application.settings.quality = "low"
    application.settings.closed = {panel.title for panel in application._panels} - {"Components", "Plots"}
    frames(application, 8)
    yield application
    application.close()


@pytest.fixture
def panel(application: Application, folder: Path) -> ComponentPanel:
    """Begin anew, with the file as it was."""
    drawers = [getattr(panel.draw, "__self__", None) for panel in application._panels]
    shown = next(drawer for drawer in drawers if isinstance(drawer, ComponentPanel))
    shutil.copy(BUILT_IN / "challenge_physics.amsa", folder)
    shown.open(folder / "challenge_physics.amsa")
    shown.graph.show_all()
    imgui.set_window_focus("Components")
    frames(application, 6)
    return shown


def at(application: Application, name: str) -> tuple[int, int]:
    x, y = PLACES[f"components.{name}"]
    return round(x), round(application.window.height - y)


def send(application: Application, event: str, *values: Any) -> None:
    application.window.dispatch_event(event, *values)
    frames(application, 1)


def drag(application: Application, begin: tuple[int, int], end: tuple[int, int]) -> None:
    send(application, "on_mouse_motion", *begin, 0, 0)
    frames(application, 1)
    send(application, "on_mouse_press", *begin, mouse.LEFT, 0)
    for share in (0.1, 0.5, 1.0, 1.0):
        place = [round(a + share * (b - a)) for a, b in zip(begin, end, strict=True)]
        send(application, "on_mouse_drag", *place, 0, 0, mouse.LEFT, 0)
    send(application, "on_mouse_release", *end, mouse.LEFT, 0)
    frames(application, 2)


def click(application: Application, name: str) -> None:
    drag(application, at(application, name), at(application, name))


def link_ports(application: Application, output: str, port: str) -> None:
    drag(application, at(application, output), at(application, port))


def changed_lines(panel: ComponentPanel) -> tuple[list[str], list[str]]:
    """Return lines of the file that are gone, and lines that are new."""
    before = (BUILT_IN / "challenge_physics.amsa").read_text(encoding="utf-8").splitlines()
    assert panel.draft is not None
    after = panel.draft.text.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


def test_a_22_links_show_the_values_of_the_run_in_colours_of_the_kinds(
    application: Application, panel: ComponentPanel
) -> None:
    still = window_picture(application, 2)
    link: Any = application.session.link
    for _ in range(200):
        link.simulation.tick()
    moved = window_picture(application, 2)
    nodes, links = panel.drawn()
    shown = {(link.begin[0], link.end[0], link.end[1]): link.label for link in links}
    distance = link.simulation.reading("rover", "data/distanceFollowerLeader")[0]
    assert shown["MyDistanceMonitor", CONTROLLER, "distanceLeaderFollower"] == f"{distance:.4g}"
    assert {link.begin[0] for link in links if link.is_late} == {"Follower"}
    assert len({node.color for node in nodes}) == 5
    x, y = (round(pixel) for pixel in PLACES[f"components.{CONTROLLER}.distanceLeaderFollower"])
    left = slice(x - 150, x - 60)
    assert (still[y - 8 : y + 8, left] != moved[y - 8 : y + 8, left]).any()


def test_a_slider_changes_the_run_and_one_line_of_the_text(application: Application, panel: ComponentPanel) -> None:
    link: Any = application.session.link
    click(application, CONTROLLER)
    frames(application, 3)
    assert panel.graph.selected == CONTROLLER
    before = link.client.module(f"/rover/{CONTROLLER}").get_parameter("Kv")
    x, y = PLACES[f"/rover/{CONTROLLER}.Kv"]
    begin = round(x), round(application.window.height - y)
    drag(application, begin, (begin[0] + 30, begin[1]))
    now = link.client.module(f"/rover/{CONTROLLER}").get_parameter("Kv")
    assert now != before
    assert changed_lines(panel) == ([], [f"        Kv = {now!r};"])


def test_instances_are_added_connected_taken_back_and_saved(
    application: Application, panel: ComponentPanel, folder: Path
) -> None:
    assert panel.draft is not None
    click(application, "add")
    assert panel.draft.model.leaves["leaf1"].kind is LeafKind.SENSOR
    assert [text.partition(" ")[2] for text in panel.draft.mistakes] == [
        "leaf1: input heading reads no data; add `heading <- DATA;`"
    ]
    panel.graph.show_all()
    frames(application, 6)
    link_ports(application, "LeaderGPS.gpsPosX", "leaf1.heading")
    assert panel.draft.model.leaves["leaf1"].reads == ()  # a sensor may not feed a sensor
    link_ports(application, "leaf1.heading", "Follower.heading")  # from the input to the output
    assert [link.data for link in panel.draft.model.leaves["leaf1"].reads] == ["followerheading"]
    assert panel.draft.mistakes == ()
    removed, new = changed_lines(panel)
    assert removed == []
    assert new == [
        "    sensor leaf1 : Compass @ 10 Hz { compassHeading -> leaf1_compassHeading; heading <- followerheading; }"
    ]
    assert unstarted(panel.draft.model, "Leader").values == {"behavior": 1}
    click(application, "save")
    assert "leaf1" in (folder / "challenge_physics.amsa").read_text(encoding="utf-8")
    click(application, "undo")
    click(application, "undo")
    assert changed_lines(panel) == ([], [])
    assert panel.draft.is_changed


def choose(application: Application, name: str, word: str) -> None:
    click(application, name)
    frames(application, 3)
    click(application, f"{name}.{word}")
    frames(application, 3)


def test_a_22_composites_are_made_filled_and_ordered_by_hand(application: Application, panel: ComponentPanel) -> None:
    assert panel.draft is not None
    draft, system = panel.draft, panel.draft.model.name
    panel._new_name = "steering"
    click(application, "add_composite")
    assert draft.composites == (system, "steering")
    click(application, "add_composite")
    assert "'steering' is there already" in application.session.notes[-1]
    click(application, CONTROLLER)
    frames(application, 3)
    choose(application, "stands", "steering")
    assert draft.composite_of(CONTROLLER).name == "steering"
    assert draft.mistakes == ()
    subtitles = {node.name: node.subtitle for node in panel.drawn()[0]}
    assert [name for name, subtitle in subtitles.items() if subtitle.endswith(" in steering")] == [CONTROLLER]
    choose(application, "inside", "steering")
    panel._new_name = "echo"
    click(application, "add")
    assert draft.composite_of("echo").name == "steering"
    order = [node.name for node in panel.drawn()[0]]
    draft.run_earlier("MyDistanceMonitor")
    after = [node.name for node in panel.drawn()[0]]
    assert after.index("MyDistanceMonitor") < order.index("MyDistanceMonitor")
    panel._new_name = "leaf1"
    while draft.can_undo:
        draft.undo()
    assert changed_lines(panel) == ([], [])


def test_delete_takes_out_a_component_and_mistakes_are_told(application: Application, panel: ComponentPanel) -> None:
    click(application, "FollowerCompass")
    frames(application, 2)
    send(application, "on_key_press", key.DELETE, 0)
    frames(application, 2)
    send(application, "on_key_release", key.DELETE, 0)
    frames(application, 3)
    assert panel.draft is not None
    assert "FollowerCompass" not in panel.draft.text
    assert any("no output produces data 'followerheadingcompass'" in mistake for mistake in panel.draft.mistakes)
    frames(application, 2)


def test_a_71_the_distance_is_plotted_live_with_its_reference(application: Application, panel: ComponentPanel) -> None:
    link: Any = application.session.link
    click(application, "plot")
    assert panel.systems.is_plotted("rover")
    for _ in range(5):
        link.simulation.tick()
        frames(application, 1)
    (channel, curve), *_ = application.session.curves.chosen.items()
    assert application.session.curves.references[channel] == 15.0
    assert np.isfinite(curve.values).all()
    click(application, "plot")
    assert not panel.systems.is_plotted("rover")


def test_a_file_that_is_no_system_is_refused_in_words(
    application: Application, panel: ComponentPanel, folder: Path
) -> None:
    before = panel.draft
    panel.open(folder / "missing.amsa")
    assert panel.draft is before
    assert "missing.amsa: there is no such file" in application.session.notes[-1]
    panel.open(folder / "challenge_physics.scenario")
    assert "systems are read from files .amsa" in application.session.notes[-1]


def test_another_structure_runs_when_a_person_says_so(
    application: Application, panel: ComponentPanel, folder: Path
) -> None:
    assert panel.draft is not None
    assert panel.systems.runs("rover", panel.draft.model)
    click(application, "add")
    panel.draft.connect("Follower", "heading", "leaf1", "heading")
    frames(application, 2)
    assert not panel.systems.runs("rover", panel.draft.model)
    click(application, "run")
    frames(application, 3)
    assert "leaf1" in panel.systems.model("rover").leaves
    assert panel.systems.runs("rover", panel.model)
    assert "runs anew, with the models as they are now" in "".join(application.session.notes)
    shutil.copy(BUILT_IN / "challenge_physics.amsa", folder)
    panel.systems.reload(folder / "challenge_physics.amsa")
    frames(application, 3)
    assert "leaf1" not in panel.systems.model("rover").leaves
    panel.systems.reload(folder / "elsewhere" / "challenge_physics.amsa")
    assert "does not lie beside" in application.session.notes[-1]
