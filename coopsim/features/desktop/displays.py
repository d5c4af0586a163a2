"""Choice between windows and memory for pictures: that has to be settled before OpenGL is loaded."""

import os
import sys

import pyglet

from coopsim.errors import CannotDraw


def has_display() -> bool:
    """Return whether windows can be opened here."""
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY"))


def use_windows() -> None:
    """Draw into windows from now on.

    Raises:
        CannotDraw: There is no display.
    """
    if not has_display():
        problem = CannotDraw("there is no display to open a window on (DISPLAY is not set)")
        problem.cure = (
            "On a machine without one draw files: coopsim screenshot FILE OUT.png, coopsim video FILE OUT.mp4"
        )
        raise problem
    _settle(headless=False)


def settle() -> None:
    """Draw into memory where nobody asked for windows."""
    if pyglet.options.shadow_window:
        _settle(headless=True)


def _settle(*, headless: bool) -> None:
    pyglet.options.headless = headless
    pyglet.options.shadow_window = False
    pyglet.options.debug_gl = False
    pyglet.options.dpi_scaling = "stretch"
