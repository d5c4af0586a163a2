"""Mistakes of a file, as a list with lines and columns, and the line itself."""

from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents, FileMistake
from coopsim.features.desktop.ui.style import BAD
from coopsim.features.desktop.ui.widgets import button

_SIZE = (720.0, 360.0)


def draw_mistakes(documents: Documents, fonts: SimpleNamespace) -> None:
    """Draw the mistakes of the last file, until somebody closes the list."""
    if not documents.mistakes:
        return
    imgui.set_next_window_size(imgui.ImVec2(*_SIZE), imgui.Cond_.appearing)
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
