"""Every entry of every menu, on a real simulation in this process."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyglet.window import key
from test_first_user import keep
from test_viewer_managers import click, frame, press
from viewer_live import window_picture
from viewer_simulations import SimulationLink

from coopsim.features.desktop import documents as documents_module
from coopsim.features.desktop.application import Application
from coopsim.features.desktop.recent import RecentFiles
from coopsim.features.desktop.ui.tour import STEPS
from coopsim.features.desktop.ui.widgets import PLACES
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

SIZE = (760, 520)
SCENE = "# mine\n[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("menus")
    (folder / "a.scenario").write_text(SCENE, encoding="utf-8")
    (folder / "bad.scenario").write_text(SCENE + "colour red\n[TARGET]\nred 1\n", encoding="utf-8")
    (folder / "yard.world").write_text("[FLOOR]\nsize 6 6 0.1\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def application(folder: Path) -> Iterator[Application]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        application = Application(SimulationLink(str(folder / "a.scenario")), SIZE)  # type: ignore[arg-type]
        application.settings.quality = "low"
        frame(application, 6)
        yield application
        application.close()


@pytest.fixture
def link(application: Application, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Begin anew."""
    monkeypatch.chdir(folder)
    application.session.attend(SimulationLink(str(folder / "a.scenario")))  # type: ignore[arg-type]
    application.documents.opener, application.documents.mistakes = None, ()
    application.menus.dialog.is_open = False
    application.menus.dialog.folder = folder
    frame(application, 3)
    return application.session.link


def choose(application: Application, *path: str) -> None:
    for label in path:
        click(application, f"menu.{label}")


def type_name(application: Application, name: str) -> None:
    """Type over the name that a dialog proposes: it has the focus already."""
    frame(application, 3)
    application.window.dispatch_event("on_text", name)
    frame(application, 3)


def note(application: Application) -> str:
    return application.session.notes[-1]


def test_file_new_and_arenas_put_another_scene_in_the_place(application: Application, link: Any) -> None:
    """C-53, C-64: an empty world with the floor; default arenas in the menu."""
    choose(application, "File", "New")
    assert "robot1" not in application.session.names
    choose(application, "Arena", "lab")
    assert "open: lab.world" in note(application)
    assert len(application.session.names) > 10
    assert application.documents.recent.files[:2] == ("lab.world", "empty.world")
    choose(application, "Arena", "Load from file...")
    click(application, "file.yard.world")
    click(application, "file.choose")
    assert application.session.names == ("floor",)


def test_a_scenario_is_loaded_changed_and_saved_with_every_line_that_did_not_change(
    application: Application, link: Any, folder: Path
) -> None:
    """C-55, C-63: what is composed is loaded by the menus File and Arena."""
    press(application, key.O, key.MOD_CTRL)
    click(application, "file.a.scenario")
    click(application, "file.choose")
    application.session.insert("target blue", np.array([1.0, 2.0, 0.0]))
    frame(application)
    choose(application, "File", "Save As...")
    type_name(application, "b")
    click(application, "file.choose")
    assert (folder / "b.scenario").read_text(encoding="utf-8") == SCENE + "\n[TARGET]\nblue        1 2 0\n"
    choose(application, "File", "Save")
    assert "nothing has changed" in note(application)


def test_mistakes_of_a_file_are_a_list_with_lines_and_columns(
    application: Application, link: Any, folder: Path
) -> None:
    before = window_picture(application, 2)
    assert application.window._file_drops  # else no desktop tells of files that are dropped
    application.window.dispatch_event("on_file_drop", 0, 0, [str(folder / "bad.scenario")])
    after = window_picture(application, 3)
    mistakes = application.documents.mistakes
    assert [(mistake.line, mistake.column) for mistake in mistakes] == [(6, 1), (8, 1)]
    assert "colour" in mistakes[0].text
    bad = folder / "bad.scenario"
    lines = bad.read_text(encoding="utf-8").splitlines()
    assert [mistake.source for mistake in mistakes] == [lines[5], lines[7]]
    bad.write_text("\n".join([*lines[:5], lines[5] + " 7", *lines[6:]]), encoding="utf-8")
    application.documents.open(str(bad))
    frame(application, 3)
    assert application.documents.mistakes[0].source == lines[5] + " 7"  # as it is now
    bad.write_text("\n".join(lines), encoding="utf-8")
    middle = (slice(200, 330), slice(150, 600))
    assert np.abs(after[middle].astype(int) - before[middle]).mean() > 20
    click(application, "mistakes.close")
    assert application.documents.mistakes == ()
    assert "robot1" in application.session.names


def test_what_a_window_started_is_exchanged_for_another_file(
    application: Application, link: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordedRun(Simulation(load(str(folder / "a.scenario"))), folder / "r.mcap") as run:
        run.tick(5)
    opened: list[str] = []
    monkeypatch.setattr(documents_module, "ViewerLink", lambda _: SimulationLink(str(folder / "a.scenario")))
    application.documents.opener = lambda file: opened.append(file) or "somewhere"  # type: ignore[func-returns-value]
    choose(application, "File", "Open Recording...")
    click(application, "file.r.mcap")
    click(application, "file.choose")
    wait(application)
    assert opened == [str(folder / "r.mcap")]
    assert application.session.link is not link
    application.documents.open(str(folder / "bad.scenario"))
    application.documents.open("formation.scenario")
    assert application.session.notes[-1].startswith("formation.scenario is not opened: another file is on its way")
    wait(application)
    assert opened == [str(folder / "r.mcap")]
    assert application.documents.mistakes[0].line == 6


def wait(application: Application) -> None:
    end = time.monotonic() + 60.0
    while application.documents.is_opening:
        assert time.monotonic() < end
        frame(application, 1)


def test_pictures_films_and_recordings(application: Application, link: Any, folder: Path) -> None:
    choose(application, "File", "Screenshot")
    assert (folder / "test-1.png").stat().st_size > 1000
    choose(application, "File", "Video...")
    type_name(application, "film.gif")
    click(application, "file.choose")
    frame(application)
    choose(application, "File", "End the film")
    assert (folder / "film.gif").stat().st_size > 1000
    choose(application, "File", "Record")
    assert "recorder" in note(application)  # which no simulation in a process has
    application.session.notes.clear()
    choose(application, "File", "Record with images")
    assert "recorder" in note(application)


def test_edit_undoes_redoes_copies_and_deletes(application: Application, link: Any) -> None:
    session = application.session
    session.select("robot1")
    choose(application, "Edit", "Duplicate")
    assert "robot2" in session.names
    choose(application, "Edit", "Delete")
    assert "robot2" not in session.names
    choose(application, "Edit", "Undo")
    assert "robot2" in session.names
    choose(application, "Edit", "Redo")
    assert "robot2" not in session.names


def test_managers_come_back_when_they_were_closed(application: Application, link: Any) -> None:
    for label, title in (("Object", "Objects"), ("Robot", "Robots"), ("Target", "Targets")):
        application.settings.closed.add(title)
        choose(application, "Manager", label)
        assert title not in application.settings.closed


def test_the_simulation_is_paused_stepped_reset_and_gets_another_mode_speed_and_engine(
    application: Application, link: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(link, "call", lambda *values, then=None: asked.append(values))
    choose(application, "Simulation", "Play")
    link.facts = replace(link.facts, paused=True)
    choose(application, "Simulation", "Step")
    choose(application, "Simulation", "Reset")
    choose(application, "Simulation", "Mode", "free")
    choose(application, "Simulation", "Speed", "2 x")
    choose(application, "Simulation", "Engine", "kinematic")
    assert asked == [
        ("/sim/clock", "pause"),
        ("/sim/clock", "step", 1),
        ("/sim/world", "reset"),
        ("/sim/clock", "set_mode", "free"),
        ("/sim/clock", "set_speed", 2.0),
        ("/sim/world", "set_engine", "kinematic"),
    ]


def test_help_tells_shortcuts_the_protocol_and_what_this_is(application: Application, link: Any) -> None:
    for topic in ("Shortcuts", "Tour", "Protocol", "About"):
        choose(application, "Help", topic)
        assert application.menus.help.shown == {topic}
        application.menus.help.toggle(topic)
    press(application, key.F1)
    assert application.menus.help.shown == {"Shortcuts"}
    press(application, key.F1)


def test_recent_files_are_kept_from_one_window_to_the_next(tmp_path: Path) -> None:
    place = tmp_path / "state" / "recent.json"
    first = RecentFiles(place)
    for number in range(12):
        first.add(f"{number}.scenario")
    assert RecentFiles(place).files == tuple(f"{number}.scenario" for number in range(11, 1, -1))
    place.write_text("{", encoding="utf-8")
    assert RecentFiles(place).files == ()


def test_targets_are_a_layer(application: Application, link: Any) -> None:
    session = application.session
    link.ask(lambda simulation: simulation.module("/sim/world").insert("[TARGET]\nred 1 0 0\n"))
    frame(application, 6)
    assert "red" in session.model.numbers
    row = int(np.flatnonzero(session.model.entity == session.model.numbers["red"])[0])
    assert not session.rows._hidden[row]
    session.layers.toggle("targets")
    frame(application, 2)
    assert session.rows._hidden[row]
    assert not session.rows._hidden.all()
    session.layers.toggle("targets")
    frame(application, 2)
    assert not session.rows._hidden[row]


def test_the_name_of_a_file_is_typed_at_once_and_no_shortcut_hears_it(application: Application, link: Any) -> None:
    press(application, key.O, key.MOD_CTRL)
    frame(application, 3)
    tick, notes = link.simulation.tick, len(application.session.notes)
    for letter, symbol in (("a", key.A), (".", key.PERIOD), ("s", key.S)):
        application.window.dispatch_event("on_key_press", symbol, 0)
        application.window.dispatch_event("on_text", letter)
        application.window.dispatch_event("on_key_release", symbol, 0)
    frame(application, 3)
    assert application.menus.dialog.name == "a.s"
    assert (link.simulation.tick, len(application.session.notes)) == (tick, notes)
    press(application, key.ESCAPE)
    frame(application, 2)
    assert not application.menus.dialog.is_open


def test_return_saves_under_the_name_that_was_typed_over_the_proposed_one(
    application: Application, link: Any, folder: Path
) -> None:
    press(application, key.S, key.MOD_CTRL | key.MOD_SHIFT)
    for symbol in (key.LCTRL, key.LSHIFT):
        application.window.dispatch_event("on_key_release", symbol, 0)
    assert application.menus.dialog.name, "a name is proposed"
    type_name(application, "typed.scenario")
    press(application, key.RETURN)
    frame(application, 3)
    assert not application.menus.dialog.is_open
    assert (folder / "typed.scenario").exists(), list(application.session.notes)


def test_the_tour_rings_what_it_speaks_of_and_closes_after_its_last_step(application: Application) -> None:
    tour, windows = application.menus.help.tour, application.menus.help
    windows.toggle("Tour")
    rung = []
    for number, step in enumerate(STEPS):
        frame(application, 3)
        assert tour.at == number
        rung += [step.title] if tour.target is not None else []
        if step.title == "Scenes":
            keep(application, "tour")
            # the card of an end lies at the upper edge of the picture
            left, top, width, height = application.view
            assert PLACES["tour.next"][1] > top + 0.6 * height, "no card is covered"
            assert left < PLACES["tour.next"][0] < left + width
            click(application, "tour.back")
            assert tour.at == number - 1
            click(application, "tour.next")
            frame(application, 3)
        click(application, "tour.next")
    frame(application)
    assert {"Scenes", "Time", "Insert", "Drive", "Layers", "Save"} <= {*rung}
    assert windows.shown == set()
    assert 60 <= sum(len(step.text.split()) for step in STEPS) <= 200, "read in ninety seconds"
    windows.toggle("Tour")
    assert tour.at == 0
    windows.toggle("Tour")
