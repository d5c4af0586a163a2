"""A context of OpenGL: a window, or one in memory."""

from typing import Any

import pyglet
from pyglet import gl
from pyglet.window import Window

from coopsim.errors import CannotDraw
from coopsim.features.desktop.gl import x11

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
    x11.mend(window)
    return window


def renderer_name() -> str:
    """Return what OpenGL calls that which draws."""
    return str(gl.gl_info.get_renderer())
