"""The menus, and the keys that stand for their entries."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from imgui_bundle import imgui
from pyglet.window import key

from coopsim.features.desktop.documents import RECORDING, SCENES, Documents
from coopsim.features.desktop.screen import ScreenSettings
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.engine_question import EngineQuestion
from coopsim.features.desktop.ui.file_dialog import FileDialog
from coopsim.features.desktop.ui.help_windows import TOPICS, HelpWindows
from coopsim.features.desktop.ui.recovery_question import RecoveryQuestion
from coopsim.features.desktop.ui.scene_browser import SceneBrowser
from coopsim.features.desktop.ui.unsaved import UnsavedQuestion
from coopsim.features.desktop.ui.widgets import focus_item, remember
from coopsim.robots import TypeRegistry, built_in_names

_MODES = ("real-time", "lockstep", "free")
# within the bounds of `set_speed`; halves and doubles are what people ask for
_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_MANAGERS = (("Object", "Objects"), ("Robot", "Robots"), ("Target", "Targets"))
_SHIFT, _CTRL = key.MOD_SHIFT, key.MOD_CTRL


@dataclass(frozen=True, slots=True)
class WindowActions:
    """Actions of the window that menus call.

    Attributes:
        quit: Closes it.
        screenshot: Saves a picture.
        film: Begins a film in a file, None = ends it.
        is_filming: Returns whether there is a film.
        view_menu: Draws the entries of the menu View.
    """

    quit: Callable[[], None]
    screenshot: Callable[[], None]
    film: Callable[[Path | None], None]
    is_filming: Callable[[], bool]
    view_menu: Callable[[], None]


class Menus:
    """All menus.

    Args:
        session: What is shown.
        documents: Opens and saves.
        settings: How the window looks.
        actions: What the window does.
        browser: Lists scenes.
    """

    def __init__(
        self,
        session: ViewerSession,
        documents: Documents,
        settings: ScreenSettings,
        actions: WindowActions,
        browser: SceneBrowser,
    ) -> None:
        self._session, self._documents, self._settings, self._do = session, documents, settings, actions
        self.dialog, self.help, self.scenes = FileDialog(Path.cwd()), HelpWindows(), browser
        self._unsaved, self._recovery = UnsavedQuestion(documents), RecoveryQuestion(documents)
        self._engine_question = EngineQuestion(session)
        documents.guard, documents.ask_name = self._unsaved.before, self._save_as
        self._is_entered = False
        self._engines = tuple(sorted(TypeRegistry().engines))
        self._keys: dict[tuple[int, int], Callable[[], object]] = {
            (key.N, _CTRL): documents.new,
            (key.L, _CTRL): browser.ask,
            (key.O, _CTRL): self._load_scenario,
            (key.O, _CTRL | _SHIFT): self._open_recording,
            (key.S, _CTRL): documents.save,
            (key.S, _CTRL | _SHIFT): self._save_as,
            (key.P, 0): actions.screenshot,
            (key.P, _CTRL): self._film,
            (key.R, _CTRL): documents.toggle_recording,
            (key.Q, _CTRL): self.quit,
            (key.Z, _CTRL): self._undo,
            (key.Y, _CTRL): self._redo,
            (key.D, _CTRL): session.duplicate,
            (key.DELETE, 0): session.delete,
            (key.X, 0): self._toggle_pulls,
            (key.SPACE, 0): session.toggle_play,
            (key.PERIOD, 0): session.step,
            (key.BACKSPACE, _CTRL): session.reset,
            (key.F10, 0): self.enter,
            (key.F1, 0): lambda: self.help.toggle(TOPICS[0]),
        }

    def press(self, symbol: int, modifiers: int) -> bool:
        """Do what a key stands for; return whether it stands for anything."""
        action = self._keys.get((symbol, modifiers & (_CTRL | _SHIFT)))
        if action is not None:
            action()
        return action is not None

    def enter(self) -> None:
        """Give the keys to the first menu."""
        self._is_entered = True

    def quit(self) -> bool:
        """Close the window, after a question where changes are not saved; return that it was seen to."""
        self._unsaved.before(self._do.quit)
        return True

    def draw(self) -> None:
        """Draw the bar, and the windows that its entries opened."""
        if imgui.begin_main_menu_bar():
            for title, draw in (
                ("File", self._file),
                ("Edit", self._edit),
                ("Arena", self._arena),
                ("Manager", self._manager),
                ("Simulation", self._simulation),
                ("View", self._do.view_menu),
                ("Help", self._help),
            ):
                is_open = imgui.begin_menu(title)
                remember(f"menu.{title}")
                if self._is_entered and title == "File":
                    self._is_entered = False
                    focus_item()
                if is_open:
                    draw()
                    imgui.end_menu()
            imgui.end_main_menu_bar()
        self._unsaved.draw()
        self._recovery.draw()
        self._engine_question.draw()
        self.dialog.draw()
        self.scenes.draw()
        self.help.draw()

    def _file(self) -> None:
        documents, facts = self._documents, self._session.link.facts
        _item("New", "Ctrl+N", documents.new)
        _item("Scenes...", "Ctrl+L", self.scenes.ask)
        _item("Open...", "", self._open)
        _item("Load Scenario...", "Ctrl+O", self._load_scenario)
        _item("Open Recording...", "Ctrl+Shift+O", self._open_recording)
        if imgui.begin_menu("Recent", bool(documents.recent.files)):
            for file in documents.recent.files:
                _item(file, "", partial(documents.open, file))
            imgui.end_menu()
        imgui.separator()
        is_run = facts.playback is None and self._session.is_connected
        _item("Save", "Ctrl+S", documents.save, enabled=is_run)
        _item("Save As...", "Ctrl+Shift+S", self._save_as, enabled=is_run)
        imgui.separator()
        _item("Screenshot", "P", self._do.screenshot)
        _item("End the film" if self._do.is_filming() else "Video...", "Ctrl+P", self._film)
        title = "Stop recording" if facts.recording else "Record"
        _item(title, "Ctrl+R", documents.toggle_recording, enabled=is_run)
        if not facts.recording:
            _item("Record with images", "", lambda: documents.toggle_recording("both"), enabled=is_run)
        imgui.separator()
        _item("Quit", "Ctrl+Q", self.quit)

    def _edit(self) -> None:
        session, history = self._session, self._session.editor.history
        can_edit = not session.obstacle
        can_undo, can_redo = can_edit and history.can_undo, can_edit and history.can_redo
        _item(f"Undo {history.next_undo}###Undo", "Ctrl+Z", history.undo, enabled=can_undo)
        _item(f"Redo {history.next_redo}###Redo", "Ctrl+Y", history.redo, enabled=can_redo)
        imgui.separator()
        is_chosen = can_edit and bool(session.editable)
        _item("Duplicate", "Ctrl+D", session.duplicate, enabled=is_chosen)
        _item("Delete", "Del", session.delete, enabled=is_chosen)
        imgui.separator()
        _item("Pull by a force", "X", self._toggle_pulls, is_on=self._settings.pulls, enabled=can_edit)

    def _arena(self) -> None:
        _item("Load from file...", "", lambda: self._ask("Load an arena", (".world",)))
        imgui.separator()
        for name in built_in_names(".world"):
            _item(name, "", partial(self._documents.open, f"{name}.world"))

    def _manager(self) -> None:
        for label, title in _MANAGERS:
            _item(label, "", partial(self._show, title))

    def _simulation(self) -> None:
        session, facts = self._session, self._session.link.facts
        goes = session.is_connected or session.is_past
        is_run = facts.playback is None and session.is_connected
        title = "Pause" if session.time_control.is_playing else "Play"
        _item(title, "Space", session.toggle_play, enabled=goes, name="Play")
        _item("Step", ".", session.step, enabled=goes)
        _item("Reset", "Ctrl+Backspace", session.reset, enabled=is_run)
        has_laws = is_run and bool(facts.standing.get("controllers"))
        _item("Run again", "", session.time_control.run_again, enabled=has_laws)
        if imgui.begin_menu("Mode", is_run):
            for mode in _MODES:
                _item(mode, "", partial(session.ask, "/sim/clock", "set_mode", mode), is_on=facts.mode == mode)
            imgui.end_menu()
        remember("menu.Mode")
        if imgui.begin_menu("Speed", goes):
            for speed in _SPEEDS:
                _item(f"{speed:g} x", "", partial(session.set_speed, speed), is_on=facts.speed == speed)
            imgui.end_menu()
        remember("menu.Speed")
        if imgui.begin_menu("Engine", is_run):
            for name in self._engines:
                _item(name, "", partial(session.ask, "/sim/world", "set_engine", name), is_on=facts.engine == name)
            imgui.end_menu()
        remember("menu.Engine")

    def _help(self) -> None:
        for topic in TOPICS:
            _item(topic, "F1" if topic == TOPICS[0] else "", partial(self.help.toggle, topic))

    # what entries do

    def _undo(self) -> None:
        self._session.editor.history.undo()

    def _redo(self) -> None:
        self._session.editor.history.redo()

    def _toggle_pulls(self) -> None:
        self._settings.pulls = not self._settings.pulls

    def _ask(self, title: str, suffixes: tuple[str, ...]) -> None:
        self.dialog.ask(title, suffixes, lambda path: self._documents.open(str(path)))

    def _open(self) -> None:
        self._ask("Open", (*SCENES, RECORDING))

    def _load_scenario(self) -> None:
        self._ask("Load a scenario", SCENES)

    def _open_recording(self) -> None:
        self._ask("Open a recording", (RECORDING,))

    def _save_as(self) -> None:
        name = f"{self._session.link.facts.scenario or 'scene'}.scenario"
        self.dialog.ask("Save as", SCENES, lambda path: self._documents.save(str(path)), saving=True, name=name)

    def _film(self) -> None:
        if self._do.is_filming():
            self._do.film(None)
            return
        name = f"{self._session.link.facts.scenario or 'film'}-{datetime.now():%H%M%S}.gif"
        self.dialog.ask("Film into", (".gif", ".mp4"), self._do.film, saving=True, name=name)

    def _show(self, title: str) -> None:
        self._settings.closed.discard(title)
        self._settings.entering = title


def _item(
    label: str,
    keys: str,
    action: Callable[[], object],
    *,
    is_on: bool = False,
    enabled: bool = True,
    name: str = "",
) -> None:
    """Draw an entry, and do what it stands for when it is chosen."""
    if imgui.menu_item_simple(label, keys, is_on, enabled):
        action()
    remember(f"menu.{name or label.rpartition('###')[2] or label}")
