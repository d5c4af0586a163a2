"""Choice between windows and memory for pictures: that has to be settled before OpenGL is loaded."""

import os
import sys
from collections.abc import Callable
from typing import Any

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


# Last steps when the display goes away: Xlib then ends the process, and no `finally` of Python is reached.
_kept: list[Any] = []
"""Functions that Xlib may call as long as the process lives."""


def on_lost_display(act: Callable[[], None]) -> None:
    """Have something done before Xlib ends the process, because the X server is gone; elsewhere nothing.

    Args:
        act: Must not use the display.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        from pyglet.libs.x11 import xlib
    except ImportError:  # no Xlib is here: whoever opens the window says so
        return

    def lost(_display: Any) -> int:
        act()
        return 0

    _kept.append(xlib.XIOErrorHandler(lost))
    xlib.XSetIOErrorHandler(_kept[-1])
