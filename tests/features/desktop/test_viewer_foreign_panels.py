"""Panels and layouts that plugins bring to the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from viewer_live import frames
from viewer_standins import StandinLink

from coopsim import plugins
from coopsim.features.desktop.application import Application

HARBOUR = """
from coopsim.features.desktop.ui.panel_list import Panel

DRAWN = []

class Mouse:
    band = None
    def press(self, x, y, button): DRAWN.append(button)
    def drag(self, x, y): pass
    def release(self, x, y, *, add): pass

class Sea:
    is_live = True
    def __init__(self, context):
        self.panels = (Panel("Sea", "left", lambda: DRAWN.append("sea"), "sea"),)
        self.mouse_tool, self.asked = Mouse(), False
    def update(self):
        before, self.asked = self.asked, True
        return not before
    def draw(self, view, scale): DRAWN.append("over")
    def close(self): DRAWN.append("closed")

def sink():
    raise OSError("the harbour is closed")

def panels(context):
    return Panel("Boats", "right", lambda: DRAWN.append("boats"), "both"), Panel("Leak", "left", sink, "both")

class Storm(Sea):
    def draw(self, view, scale): 1 / 0
    def update(self): return False

def nothing(context):
    return 3

PLUGINS = {"panels": {"harbour": panels, "nothing": nothing}, "layouts": {"sea": Sea, "storm": Storm, "dry": nothing}}
"""


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Path]:
    """Yield the file of a plugin that brings panels and a layout, loaded."""
    file = tmp_path / "harbour.py"
    file.write_text(HARBOUR)
    plugins.add(file)
    yield file
    plugins.forget(file)


def test_panels_and_a_layout_of_a_plugin_are_drawn_and_what_fails_is_said_in_its_place(harbour: Path) -> None:
    application = Application(StandinLink())  # type: ignore[arg-type]
    try:
        drawn = plugins.load("layouts", "sea").__init__.__globals__["DRAWN"]
        frames(application, 6)
        assert application.settings.arrangement == "sea"
        assert {"sea", "boats", "over"} <= set(drawn)
        notes = " ".join(application.session.notes)
        assert "the harbour is closed" in notes
        assert "harbour.py" in notes
        assert "expected a sequence of Panel" in notes or "not iterable" in notes
        assert "'int' object has no attribute 'panels'" in notes
        application._press(640, 400, 1, 0)
        assert drawn[-1] == "left"
        application.settings.arrange("storm")
        frames(application, 3)
        assert sum("division by zero" in note for note in application.session.notes) == 1
    finally:
        application.close()
    assert drawn[-1] == "closed"
