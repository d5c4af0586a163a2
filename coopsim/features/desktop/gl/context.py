"""A context of OpenGL: a window, or one in memory."""

import ctypes
from functools import partial
from typing import Any

import pyglet
from pyglet import gl
from pyglet.window import Window

from coopsim.errors import CannotDraw

# Additions to pyglet's windows of X11: files that are dropped on them, and text that others take from them.
_HAS_LIST, _TYPES = 1, slice(2, 5)
"""In the words of XdndEnter: whether its types stand in a property instead, and where they stand (XDND, version 5)."""


def mend(window: Any) -> None:
    """Have a window take files, and hand out what was copied in it; windows of other systems are left as they are.

    With pyglet up to 2.1.19 at least, what is dragged over a window with at most three types ends the program
    (https://github.com/pyglet/pyglet/issues/1010), and only programs that leave their loop to it hear of selections.

    Args:
        window: Of pyglet.
    """
    if hasattr(window, "_event_drag_enter"):
        window._event_drag_enter = partial(_enter, window, window._event_drag_enter)  # noqa: SLF001 - of pyglet
        window.dispatch_events = partial(_dispatch, window, window.dispatch_events)


def _enter(window: Any, usual: Any, event: Any) -> None:
    words = event.xclient.data.l
    if words[1] & _HAS_LIST:
        usual(event)
        return
    wanted = window._xdnd_atoms["text/uri-list"]  # noqa: SLF001
    window._xdnd_source, window._xdnd_version = words[0], words[1] >> 24  # noqa: SLF001
    window._xdnd_format = wanted if wanted in words[_TYPES] else None  # noqa: SLF001


def _dispatch(window: Any, usual: Any) -> None:
    from pyglet.libs.x11 import xlib

    event = xlib.XEvent()
    for kind in (xlib.SelectionNotify, xlib.SelectionRequest):
        while xlib.XCheckTypedWindowEvent(window._x_display, window._window, kind, ctypes.byref(event)):  # noqa: SLF001
            window.dispatch_platform_event(event)
    usual()  # which also tells what is queued by that


_OPTIONS = {"major_version": 3, "minor_version": 3, "depth_size": 24, "stencil_size": 8}
_BYTES = {"red_size": 8, "green_size": 8, "blue_size": 8, "alpha_size": 8}


def open_window(size: tuple[int, int], **options: Any) -> Any:
    """Return a window of pyglet; without windows (`displays`) one that nobody sees.

    Args:
        size: Width and height.
        options: Of `pyglet.window.Window`.

    Raises:
        CannotDraw: There is no OpenGL 3.3.
    """
    try:
        config = gl.Config(**_OPTIONS, **_BYTES, double_buffer=not pyglet.options.headless)
        window = Window(*size, config=config, vsync=False, **options)
    except Exception as problem:  # each driver and each display refuses with an exception of its own
        raise CannotDraw(f"OpenGL 3.3 cannot be used here: {problem or type(problem).__name__}") from problem
    mend(window)
    return window


def renderer_name() -> str:
    """Return what OpenGL calls that which draws."""
    return str(gl.gl_info.get_renderer())
