"""The line that messages are typed into: what was sent comes back by the arrows, and names are completed by Tab."""

from types import SimpleNamespace
from typing import Any

import pytest
from imgui_bundle import imgui

from coopsim.features.desktop.ui.console_panel import ConsolePanel

SENT = ["/sim/clock pause", "/sim/clock step 10", "/sim/clock continue"]


class Line:
    """The text in the line, as imgui gives it to a callback."""

    def __init__(self) -> None:
        self.buf, self.event_key, self.event_flag = "", imgui.Key.none, imgui.InputTextFlags_.callback_history

    @property
    def buf_text_len(self) -> int:
        return len(self.buf)

    def delete_chars(self, at: int, count: int) -> None:
        self.buf = self.buf[:at] + self.buf[at + count :]

    def insert_chars(self, at: int, text: str) -> None:
        self.buf = self.buf[:at] + text + self.buf[at:]


class Typing:
    def __init__(self, sent: list[str]) -> None:
        console = SimpleNamespace(completed=lambda text: f"{text}/motors")
        session: Any = SimpleNamespace(console=console)
        self.panel, self.line = ConsolePanel(session, SimpleNamespace()), Line()  # type: ignore[arg-type]
        self.panel._sent.extend(sent)
        self.panel._place = len(sent)

    def press(self, key: imgui.Key) -> str:
        self.line.event_key = key
        self.panel._help(self.line)  # type: ignore[arg-type]
        return self.line.buf


@pytest.fixture
def typing() -> Typing:
    return Typing(SENT)


def test_arrows_go_through_what_was_sent_one_by_one(typing: Typing) -> None:
    up, down = imgui.Key.up_arrow, imgui.Key.down_arrow
    assert [typing.press(up) for _ in range(4)] == [SENT[2], SENT[1], SENT[0], SENT[0]]
    assert [typing.press(down) for _ in range(4)] == [SENT[1], SENT[2], "", ""]
    assert typing.press(up) == SENT[2]


def test_where_nothing_was_sent_what_is_typed_stays() -> None:
    typing = Typing([])
    typing.line.buf = "half a mess"
    assert typing.press(imgui.Key.up_arrow) == "half a mess"


def test_tab_completes_what_is_typed(typing: Typing) -> None:
    typing.line.buf, typing.line.event_flag = "/robot1", imgui.InputTextFlags_.callback_completion
    assert typing.press(imgui.Key.tab) == "/robot1/motors"
