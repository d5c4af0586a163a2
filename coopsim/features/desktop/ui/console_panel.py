"""The console: what was said, with a filter, and a line that sends a message."""

from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import ACCENT, BAD, GOOD, written
from coopsim.features.pictures.palette import SERIES

_COLORS = {"edit": SERIES[4], "sent": ACCENT, "reply": GOOD, "refused": BAD}
_HINT = "/robot1/motors stop   Tab completes"
_FLAGS = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.callback_completion
_FLAGS |= imgui.InputTextFlags_.callback_history


class ConsolePanel:
    """The console.

    Args:
        session: Whose messages are shown.
        fonts: As `style.dress` gives them.
    """

    def __init__(self, session: ViewerSession, fonts: SimpleNamespace) -> None:
        self._session, self._fonts = session, fonts
        self._wanted = self._text = ""
        self._sent: list[str] = []
        self._place = 0

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        imgui.set_next_item_width(-1)
        hint = f"{icons.ICON_FA_FILTER}  Filter"
        _, self._wanted = imgui.input_text_with_hint("##filter", hint, self._wanted)
        hints = self._session.console.hints(self._text) if self._text else []
        below = imgui.get_frame_height_with_spacing() + (imgui.get_text_line_height_with_spacing() if hints else 0.0)
        if imgui.begin_child("lines", imgui.ImVec2(0, -below)):
            self._lines()
        imgui.end_child()
        if hints:
            imgui.text_disabled("   ".join(hints))
        self._entry()

    def _lines(self) -> None:
        lines = self._session.console.found(self._wanted)
        is_low = imgui.get_scroll_y() >= imgui.get_scroll_max_y() - 2.0
        imgui.push_font(self._fonts.mono, 13.5)
        for line in lines:
            imgui.text_disabled(line.clock)
            imgui.same_line(0, 8)
            color = _COLORS.get(line.level)
            if color is None:
                imgui.text_disabled(f"{line.level:7}")
            else:
                imgui.text_colored(written(color), f"{line.level:7}")
            imgui.same_line(0, 8)
            imgui.text_wrapped(line.text)
        imgui.pop_font()
        if is_low:
            imgui.set_scroll_here_y(1.0)

    def _entry(self) -> None:
        imgui.set_next_item_width(-1)
        imgui.push_font(self._fonts.mono, 14)
        is_sent, self._text = imgui.input_text_with_hint("##send", _HINT, self._text, _FLAGS, self._help)
        imgui.pop_font()
        if is_sent and self._text.strip():
            self._session.console.send(self._text.strip())
            self._sent.append(self._text.strip())
            self._place, self._text = len(self._sent), ""
            imgui.set_keyboard_focus_here(-1)

    def _help(self, data: imgui.InputTextCallbackData) -> int:
        """Complete by Tab, go through what was sent by the arrows."""
        if data.event_flag == imgui.InputTextFlags_.callback_completion:
            _write(data, self._session.console.completed(str(data.buf)))
        elif self._sent:
            step = -1 if data.event_key == imgui.Key.up_arrow else 1
            self._place = min(len(self._sent), max(0, self._place + step))
            _write(data, self._sent[self._place] if self._place < len(self._sent) else "")
        return 0


def _write(data: imgui.InputTextCallbackData, text: str) -> None:
    data.delete_chars(0, data.buf_text_len)
    data.insert_chars(0, text)
