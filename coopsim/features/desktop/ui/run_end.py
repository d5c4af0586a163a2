"""Card over the picture that says how a run ended, or why it died, and what can be done then."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.style import BAD, GOOD, WARN
from coopsim.features.desktop.ui.widgets import button
from coopsim.features.presentation.run_end import EndKind, end_lines, end_mark

_TOP = 14.0
_WIDTH = 460.0
_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_focus_on_appearing
)


class RunEndCard:
    """Card that tells the end of the run.

    Args:
        session: What is shown.
        documents: Starts a run again that died.
    """

    def __init__(self, session: ViewerSession, documents: Documents) -> None:
        self._session, self._documents = session, documents
        self._closed: object = None

    def draw(self, view: Rectangle) -> None:
        """Draw it where there is something to say and nobody has closed it.

        Args:
            view: Where the picture is.
        """
        facts = self._session.link.facts
        death = self._documents.death() if facts.connection == "lost" else None
        ending = facts.ending
        if death is not None:
            self._frame(view, lambda: self._dead(death))
        elif (
            facts.connection != "lost"
            and ending is not None
            and self._closed != end_mark(ending)
            and not self._session.is_past
        ):
            self._frame(view, lambda: self._over(ending, facts.standing))

    def _frame(self, view: Rectangle, draw: Any) -> None:
        left, top, width, _ = view
        half = min(_WIDTH, width - 2.0 * _TOP) / 2.0
        imgui.set_next_window_pos(imgui.ImVec2(left + width / 2.0 - half, top + _TOP))
        imgui.set_next_window_size(imgui.ImVec2(2.0 * half, 0.0))
        imgui.begin("##run end", None, _FLAGS)
        draw()
        imgui.end()

    def _over(self, ending: Mapping[str, Any], standing: Mapping[str, Any]) -> None:
        for line in end_lines(ending, standing):
            icon, color = _LOOKS[line.kind]
            _line(icon, line.text, color)
        imgui.spacing()
        can = self._session.is_connected
        if button("Run again", f"{icons.ICON_FA_ROTATE_RIGHT}  Run again", strong=True, enabled=can):
            self._session.time_control.run_again()
        imgui.same_line()
        if button("Reset the scene", "Reset", enabled=can):
            self._session.reset()
        imgui.same_line()
        if button("Go on from here", "Go on", enabled=can):
            self._session.toggle_play()
            self._closed = end_mark(ending)
        imgui.same_line()
        if button("Close the card", "Close"):
            self._closed = end_mark(ending)

    def _dead(self, death: Mapping[str, Any]) -> None:
        _line(icons.ICON_FA_PLUG_CIRCLE_XMARK, f"The simulation has ended: {death['reason']}", BAD)
        imgui.spacing()
        documents, recording, time = self._documents, death.get("file"), death.get("time")
        if not documents.can_begin:
            return
        if recording is not None:
            where = "the end of the recording" if time is None else f"{time:.2f} s"
            if button("Go on from where it died", f"{icons.ICON_FA_FORWARD_STEP}  Go on from {where}", strong=True):
                documents.go_on(Path(recording))
            imgui.same_line()
        else:
            _line(icons.ICON_FA_MINUS, "Nothing of it was kept to go on from.", None)
        if button("Start again", f"{icons.ICON_FA_ROTATE_RIGHT}  Start again", strong=recording is None):
            documents.start_again()


_LOOKS: Final[Mapping[EndKind, tuple[str, tuple[float, float, float] | None]]] = {
    "good": (icons.ICON_FA_FLAG_CHECKERED, GOOD),
    "warn": (icons.ICON_FA_TRIANGLE_EXCLAMATION, WARN),
    "met": (icons.ICON_FA_CHECK, GOOD),
    "missed": (icons.ICON_FA_XMARK, BAD),
    "open": (icons.ICON_FA_MINUS, None),
    "law": (icons.ICON_FA_GEARS, None),
    "failed": (icons.ICON_FA_GEARS, BAD),
}
"""Icon and colour of a line about the end."""


def _line(icon: str, text: str, color: tuple[float, float, float] | None) -> None:
    paint = imgui.get_style_color_vec4(imgui.Col_.text) if color is None else imgui.ImVec4(*color, 1.0)
    imgui.text_colored(paint, icon)
    imgui.same_line(30.0)
    imgui.push_text_wrap_pos(0.0)
    imgui.text_wrapped(text.partition("\n")[0])
    imgui.pop_text_wrap_pos()
