"""Layouts of the window that packages bring: panels, a mouse of their own, and what lies over the picture."""

from collections.abc import Callable, Sequence
from typing import Protocol

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.panel_list import Panel, WindowContext


class LayoutMouse(Protocol):
    """The mouse over the picture while a layout is chosen and live; pixels count from its lower left corner."""

    @property
    def band(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Corners of a rubber band [pixels], None = there is none."""

    def press(self, x: float, y: float, button: str) -> None:
        """Press a button, `left` or `right`."""

    def drag(self, x: float, y: float) -> None:
        """Move while a button is pressed."""

    def release(self, x: float, y: float, *, add: bool) -> None:
        """Let go, with Ctrl where `add` is true."""


class WindowLayout(Protocol):
    """A layout, registered as `coopsim.layouts` by a function that takes a `WindowContext`."""

    @property
    def panels(self) -> Sequence[Panel]:
        """Its panels; their `layout` is its name."""

    @property
    def mouse_tool(self) -> LayoutMouse:
        """The mouse over the picture."""

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


class GuardedLayout:
    """A layout of a foreign package: one that raises is not asked again, and the window goes on.

    Args:
        name: Of the layout.
        layout: As the package made it.
        note: Takes a line for people.
    """

    def __init__(self, name: str, layout: WindowLayout, note: Callable[[str], None]) -> None:
        self._name, self._layout, self._note = name, layout, note
        self._has_failed = False
        self.panels = layout.panels
        self.mouse_tool = _GuardedMouse(self, layout.mouse_tool)

    @property
    def is_live(self) -> bool:
        """Whether what is shown is meant for it."""
        return not self._has_failed and bool(self.attempt(lambda: self._layout.is_live))

    def update(self) -> bool:
        """Take in what came from the run; return whether the window should change to this layout."""
        return bool(self.attempt(self._layout.update))

    def draw(self, view: Rectangle, scale: float) -> None:
        """Draw over the picture."""
        self.attempt(lambda: self._layout.draw(view, scale))

    def close(self) -> None:
        """Give back what it holds."""
        self.attempt(self._layout.close)

    def attempt(self, call: Callable[[], object]) -> object:
        """Return what a call of the layout gives, None where it raised now or before."""
        if self._has_failed:
            return None
        try:
            with plugins.blamed(f"layout {self._name}"):
                return call()
        except PluginFailed as problem:
            self._has_failed = True
            self._note(str(problem))
            return None


class _GuardedMouse:
    """The mouse of a foreign layout."""

    def __init__(self, guard: GuardedLayout, mouse: LayoutMouse) -> None:
        self._guard, self._mouse = guard, mouse

    @property
    def band(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Corners of a rubber band [pixels], None = there is none."""
        return self._mouse.band

    def press(self, x: float, y: float, button: str) -> None:
        """Press a button."""
        self._guard.attempt(lambda: self._mouse.press(x, y, button))

    def drag(self, x: float, y: float) -> None:
        """Move while a button is pressed."""
        self._guard.attempt(lambda: self._mouse.drag(x, y))

    def release(self, x: float, y: float, *, add: bool) -> None:
        """Let go."""
        self._guard.attempt(lambda: self._mouse.release(x, y, add=add))


def layouts(context: WindowContext) -> dict[str, WindowLayout]:
    """Return the registered layouts by name; one that cannot be made is left out, with a note."""
    by_name: dict[str, WindowLayout] = {}
    for name, plugin in plugins.registered("layouts").items():
        try:
            with plugins.blamed(f"layout {name}"):
                layout = plugins.load("layouts", name)(context)
                by_name[name] = GuardedLayout(name, layout, context.session.note) if plugin.is_foreign else layout
        except PluginFailed as problem:
            context.session.note(str(problem))
    return by_name
