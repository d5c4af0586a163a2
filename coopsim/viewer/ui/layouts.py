"""Layouts of the window that packages bring: panels, a mouse of their own, and what lies over the picture."""

from collections.abc import Sequence
from typing import Protocol

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.viewer.ui.overlay import Rectangle
from coopsim.viewer.ui.panel_list import Panel, WindowContext


class LayoutMouse(Protocol):
    """The mouse over the picture while a layout is chosen and live; pixels count from its lower left corner.

    Attributes:
        band: Corners of a rubber band [pixels], None = there is none.
    """

    band: tuple[tuple[float, float], tuple[float, float]] | None

    def press(self, x: float, y: float, button: str) -> None:
        """Press a button, `left` or `right`."""

    def drag(self, x: float, y: float) -> None:
        """Move while a button is pressed."""

    def release(self, x: float, y: float, *, add: bool) -> None:
        """Let go, with Ctrl where `add` is true."""


class WindowLayout(Protocol):
    """A layout, registered as `coopsim.layouts` by a function that takes a `WindowContext`.

    Attributes:
        panels: Of this layout; their `layout` is its name.
        hand: The mouse over the picture.
    """

    panels: Sequence[Panel]
    hand: LayoutMouse

    @property
    def is_live(self) -> bool:
        """Whether what is shown is meant for it: then the mouse is its."""

    def update(self) -> bool:
        """Take in what came from the run; return whether the window should change to this layout."""

    def draw(self, view: Rectangle, scale: float) -> None:
        """Draw over the picture.

        Args:
            view: Where the picture is, in units of the window.
            scale: Pixels in a unit of the window.
        """

    def close(self) -> None:
        """Give back what it holds, since the window is closed."""


def layouts(context: WindowContext) -> dict[str, WindowLayout]:
    """Return the registered layouts by name; one that fails is left out, with a note."""
    by_name: dict[str, WindowLayout] = {}
    for name in plugins.registered("layouts"):
        try:
            with plugins.blamed(f"layout {name}"):
                by_name[name] = plugins.load("layouts", name)(context)
        except PluginFailed as problem:
            context.session.note(str(problem))
    return by_name
