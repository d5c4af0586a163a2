"""Last steps when the display goes away: Xlib then ends the process, and no `finally` of Python is reached."""

import sys
from collections.abc import Callable
from typing import Any

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
