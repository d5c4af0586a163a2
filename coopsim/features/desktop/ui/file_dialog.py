"""A dialog that chooses a file."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents, FileMistake
from coopsim.features.desktop.ui.style import BAD
from coopsim.features.desktop.ui.widgets import button, remember

_SIZE = (620.0, 420.0)  # points; only the first time, people may change it
_LOOK = imgui.ChildFlags_.frame_style | imgui.ChildFlags_.nav_flattened
"""Of the list: framed, and its files are reached by the keys as the buttons below are."""


class FileDialog:
    """Chooses a file to open, or names one to save.

    Attributes:
        folder: That is listed.
        name: Of the file that is chosen.
        is_open: Whether it is shown.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, ""
        self.is_open = False
        self._title, self._is_saving = "", False
        self._suffixes: tuple[str, ...] = ()
        self._then: Callable[[Path], None] = lambda _: None
        self._begins = False

    def ask(
        self,
        title: str,
        suffixes: tuple[str, ...],
        then: Callable[[Path], None],
        *,
        saving: bool = False,
        name: str = "",
    ) -> None:
        """Open it.

        Args:
            title: What for.
            suffixes: Of files that are listed; what is saved without one of them gets the first.
            then: Called with the file that was chosen.
            saving: Whether a new name may be given.
            name: That is proposed.
        """
        self._title, self._suffixes, self._then, self._is_saving = title, suffixes, then, saving
        self.name, self.is_open, self._begins = name, True, True

    def draw(self) -> None:
        """Draw it where it is open."""
        if not self.is_open:
            return
        if self._begins:
            imgui.open_popup(self._title)
            self._begins = False
        imgui.set_next_window_size(imgui.ImVec2(*_SIZE), imgui.Cond_.appearing)
        middle = imgui.get_main_viewport().get_center()
        imgui.set_next_window_pos(middle, imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
        if imgui.begin_popup_modal(self._title, None)[0]:
            imgui.text_disabled(str(self.folder))
            is_clicked = self._list()
            is_chosen, is_left = self._buttons()
            is_done = (is_clicked or is_chosen) and bool(self.name)
            if is_done or is_left:
                self.is_open = False
            if is_done:
                self._choose()
            if is_left or is_done:
                imgui.close_current_popup()
            imgui.end_popup()

    def _list(self) -> bool:
        """Draw the folder; return whether a file was clicked twice, or pressed by a key."""
        is_chosen = False
        flags = imgui.SelectableFlags_.allow_double_click | imgui.SelectableFlags_.no_auto_close_popups
        if imgui.begin_child("files", imgui.ImVec2(0.0, -76.0), _LOOK):
            for path, title in self._entries():
                icon = icons.ICON_FA_FOLDER if path.is_dir() else icons.ICON_FA_FILE_LINES
                if imgui.selectable(f"{icon}  {title}", title == self.name, flags)[0]:
                    if path.is_dir():
                        self.folder = path
                    else:
                        self.name = title
                        is_chosen = imgui.is_mouse_double_clicked(0) or not imgui.is_mouse_released(0)  # or by a key
                remember(f"file.{title}")
        imgui.end_child()
        return is_chosen

    def _entries(self) -> list[tuple[Path, str]]:
        """Return what can be clicked, folders first."""
        try:
            paths = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
        except OSError:
            paths = []
        kept = [path for path in paths if path.is_dir() or path.suffix.lower() in self._suffixes]
        kept.sort(key=lambda path: (path.is_file(), path.name.lower()))
        return [(self.folder.parent, ".."), *((path, path.name) for path in kept)]

    def _buttons(self) -> tuple[bool, bool]:
        """Draw what is below; return whether the file is chosen, and whether nobody wants one."""
        imgui.set_next_item_width(-1)
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        _, self.name = imgui.input_text_with_hint("##name", "name", self.name)
        is_entered = imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.enter)
        remember("file.name")
        is_chosen = button("file.choose", "Save" if self._is_saving else "Open", strong=True, enabled=bool(self.name))
        imgui.same_line()
        is_left = button("file.cancel", "Cancel") or bool(imgui.is_key_pressed(imgui.Key.escape))
        return is_chosen or bool(is_entered), is_left

    def _choose(self) -> None:
        path = self.folder / self.name
        if self._is_saving and path.suffix.lower() not in self._suffixes:
            path = path.with_name(path.name + self._suffixes[0])
        self._then(path)


_MISTAKES_SIZE = (720.0, 360.0)  # points; a line of 100 letters with its place fits


def draw_mistakes(documents: Documents, fonts: SimpleNamespace) -> None:
    """Draw the mistakes of the last file, until somebody closes the list."""
    if not documents.mistakes:
        return
    imgui.set_next_window_size(imgui.ImVec2(*_MISTAKES_SIZE), imgui.Cond_.appearing)
    middle = imgui.get_main_viewport().get_center()
    imgui.set_next_window_pos(middle, imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
    is_shown, is_wanted = imgui.begin("This file cannot be used", True, imgui.WindowFlags_.no_docking)
    if is_shown:
        imgui.begin_child("mistakes", imgui.ImVec2(0.0, -34.0))
        for mistake in documents.mistakes:
            _mistake(mistake, fonts)
        imgui.end_child()
        is_wanted = not button("mistakes.close", "Close", strong=True) and is_wanted
    imgui.end()
    if not is_wanted:
        documents.mistakes = ()


def _mistake(mistake: FileMistake, fonts: SimpleNamespace) -> None:
    place = f"{mistake.file}:{mistake.line}:{mistake.column}" if mistake.line else mistake.file
    imgui.text_colored(imgui.ImVec4(*BAD, 1.0), icons.ICON_FA_CIRCLE_XMARK)
    imgui.same_line()
    imgui.push_font(fonts.mono, 14)
    imgui.text(place)
    imgui.pop_font()
    imgui.text_wrapped(mistake.text)
    if mistake.source:
        imgui.push_font(fonts.mono, 14)
        imgui.text_disabled(mistake.source)
        imgui.text_disabled(" " * max(0, mistake.column - 1) + "^")
        imgui.pop_font()
    imgui.separator()
