"""Windows of the menu Help: shortcuts, the tour, the protocol, about."""

from imgui_bundle import imgui

from coopsim.features.desktop.ui.tour import Tour
from coopsim.interfaces import WORLD

TOPICS = ("Shortcuts", "Tour", "Protocol", "About")
_LOW = 0.64
"""Lower edge of the tour [share of the window]: that of the picture in the default layout."""
_KEYS = (
    ("left button", "select, drag along the floor; beside things: rotate"),
    ("Shift, Ctrl", "while dragging: turn; in steps of 0.5 m or 15 degrees"),
    ("Shift + left button beside things", "select what lies in the band"),
    ("Ctrl + click", "select more"),
    ("Alt + left button, X", "pull a body by a force; the left button pulls, and again drags"),
    ("right button, wheel", "translate, zoom to the cursor"),
    ("Ctrl+L", "all scenes, with pictures"),
    ("Ctrl+N, Ctrl+O, Ctrl+Shift+O", "new, open a scenario, open a recording"),
    ("Ctrl+S, Ctrl+Shift+S", "save, save as"),
    ("Ctrl+Z, Ctrl+Y, Ctrl+D, Del", "undo, redo, duplicate, delete"),
    ("Ctrl+R, P, Ctrl+P", "record, screenshot, film"),
    ("Space, . and ,", "play or pause, step forward, back in a recording"),
    ("End", "the newest state; of a recording its end"),
    ("Ctrl+Backspace", "reset"),
    ("F, 1 2 3 4", "focus; views: isometric, top, front, side"),
    ("L T R C V G", "labels, trails, rays, contacts, sightings, grid"),
    ("arrow keys, joystick", "drive the robot that the Robot Manager has claimed"),
    ("F6, Shift+F6; F10 or Alt", "the next panel, the one before; the menus"),
    ("Tab, arrow keys, Enter", "from widget to widget, press; along the time line"),
    ("Ctrl + arrow keys, with Shift", "turn the camera, move it; Page Up and Page Down zoom"),
    ("Esc, F1", "select nothing; this list"),
)


class HelpWindows:
    """Windows of the menu Help.

    Attributes:
        shown: Which of `TOPICS` are open.
        tour: Of a first user.
    """

    def __init__(self) -> None:
        self.shown: set[str] = set()
        self.tour = Tour()

    def toggle(self, topic: str) -> None:
        """Open a window, or close it."""
        self.shown ^= {topic}
        self.tour.begin()

    def draw(self) -> None:
        """Draw those that are open."""
        for topic, draw in zip(TOPICS, (_shortcuts, self.tour.draw, _protocol, _about), strict=True):
            if topic in self.shown:
                flags = imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_docking
                if topic == "Tour":
                    _put_below_the_middle()
                is_shown, is_wanted = imgui.begin(topic, True, flags)
                if is_shown:
                    draw()
                imgui.end()
                if not is_wanted or (topic == "Tour" and self.tour.is_over):
                    self.shown.discard(topic)


def _put_below_the_middle() -> None:
    """Put the next window where it covers no card at the upper edge of the picture; it can be moved from there."""
    area = imgui.get_main_viewport()
    place = imgui.ImVec2(area.work_pos.x + 0.5 * area.work_size.x, area.work_pos.y + _LOW * area.work_size.y)
    imgui.set_next_window_pos(place, imgui.Cond_.appearing, imgui.ImVec2(0.5, 1.0))


def _shortcuts() -> None:
    for keys, meaning in _KEYS:
        imgui.text(keys)
        imgui.same_line(240.0)
        imgui.text_disabled(meaning)


def _protocol() -> None:
    imgui.text("Everything that is edited here is a message to /sim/world:")
    for command in WORLD.commands:
        imgui.text_disabled(f"{command.number:3d}  {command.name}")
        imgui.same_line(130.0)
        imgui.text(command.summary)
    imgui.text_disabled("coopsim describe MODULE tells the commands of any other one; docs/protocol.md the bytes.")


def _about() -> None:
    from coopsim.version import version

    imgui.text(f"coopsim {version()}")
    imgui.text_disabled("A multi-robot simulator whose robots look on the network like real ones.")
