"""Units of the window: panels, words and handles measure by them; on a fine display each is several pixels."""

from typing import Any

import pyglet

from coopsim.features.desktop.ui.overlay import Rectangle


def scaled(size: tuple[int, int], scale: float) -> tuple[int, int]:
    """Return how large pyglet is to open a window.

    Args:
        size: In units.
        scale: Pixels for each unit, 0 = as many as the display says, which pyglet sees to.
    """
    if not scale:
        return size
    # displays in memory have no scale
    screen_scale = 1.0 if pyglet.options.headless else pyglet.display.get_display().get_default_screen().get_scale()
    return round(size[0] * scale / screen_scale), round(size[1] * scale / screen_scale)


class WindowUnits:
    """Sizes and places of a window in units, whatever pyglet counts in.

    Args:
        window: Of pyglet.
        scale: Pixels for each unit, 0 = as many as the display says.
    """

    def __init__(self, window: Any, scale: float = 0.0) -> None:
        self._window = window
        self.scale = scale

    @property
    def pixels(self) -> tuple[float, float]:
        """Pixels for each unit, across and up."""
        if self.scale:
            return self.scale, self.scale
        (width, height), (across, up) = self._window.get_size(), self._window.get_framebuffer_size()
        return across / max(1, width), up / max(1, height)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the window."""
        return self._window.width / self.factor, self._window.height / self.factor

    @property
    def factor(self) -> float:
        """Units of pyglet for each of these."""
        if not self.scale:
            return 1.0
        return float(self.scale * self._window.height / max(1, self._window.get_framebuffer_size()[1]))

    def in_picture(self, view: Rectangle, x: float, y: float) -> tuple[float, float]:
        """Return a place as a pixel of the picture, both from a lower left corner.

        Args:
            view: Where the picture is.
            x: Of the place in the window, as pyglet counts.
            y: The same, upwards.
        """
        left, top, _, high = view
        across, up = self.pixels
        return (x / self.factor - left) * across, (y / self.factor - (self.size[1] - top - high)) * up

    def in_window(self, x: float, y: float) -> tuple[float, float]:
        """Return a place in units, from the upper left corner, as pyglet counts it from the lower left one."""
        return x * self.factor, self._window.height - y * self.factor
