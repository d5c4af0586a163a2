"""Rendering of environments: pictures from above as arrays, or a window that follows a world."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from coopsim.errors import BadArgument
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.worlds import Worlds
from coopsim.suggest import hint

if TYPE_CHECKING:
    from coopsim.features.learning.human.window import EpisodeWindow

_MODES = ("human", "rgb_array")
# ten ticks of 10 ms are the usual action; an environment itself knows its own
USUAL_METADATA: dict[str, Any] = {"render_modes": list(_MODES), "render_fps": 10}
"""Metadata of a class of environments."""


class EpisodeRendering:
    """Shows the first world of a batch as `render_mode` asks for it.

    Args:
        batch: Of the environment.
        mode: None, "rgb_array", or "human".

    Attributes:
        metadata: Of the environment: its modes, and the pictures of a second in which it is shown as time goes.

    Raises:
        BadArgument: There is no such mode.
    """

    def __init__(self, batch: LearningBatch, mode: str | None) -> None:
        if mode is not None and mode not in _MODES:
            modes = ", ".join(_MODES)
            raise BadArgument(f"expected a render_mode of {modes} or None, got {mode!r}{hint(str(mode), _MODES)}")
        self._batch, self._mode = batch, mode
        self._step = batch.worlds.dt * batch.task.every
        self.metadata = {**USUAL_METADATA, "render_fps": max(1, round(1.0 / self._step))}
        self._window: EpisodeWindow | None = None

    def show(self) -> None:
        """Let the window show the world after a step, or a reset; it is opened the first time.

        Raises:
            CannotDraw: The window does not open.
        """
        if self._mode != "human":
            return
        worlds = self._batch.worlds
        if self._window is None:
            # who wants no window need not have what serves one
            from coopsim.features.learning.human.window import EpisodeWindow

            self._window = EpisodeWindow(worlds)
            return
        self._window.show(self._step if worlds.ticks[0] else 0.0)

    @property
    def endpoint(self) -> str:
        """Endpoint at which others may look on, "" = there is no window."""
        return self._window.endpoint if self._window is not None and self._window.is_open else ""

    def picture(self, world: int = 0) -> NDArray[np.uint8] | None:
        """Return a picture of a world from above, shape (height, width, 3); None in other modes."""
        return draw(self._batch.worlds, world) if self._mode == "rgb_array" else None

    def close(self) -> None:
        """Close the window; a step after it opens no other one."""
        if self._window is not None:
            self._window.close()


_SIZE = 320  # pixels of the longer side
_FLOOR, _SOLID, _ROBOT, _TARGET = (236, 236, 236), (90, 90, 90), (49, 130, 189), (237, 115, 33)
_LINE = 2
_RADIUS = 0.12  # m, of a target


def draw(worlds: Worlds, world: int) -> NDArray[np.uint8]:
    """Return a picture of a world as it is now, shape (height, width, 3)."""
    floor, solids, radii = worlds.drawn(world)
    scale = _SIZE / max(floor)
    width, height = (max(int(side * scale), 1) for side in floor)
    image = Image.new("RGB", (width, height), _FLOOR)
    pen = ImageDraw.Draw(image)

    def pixel(x: float, y: float) -> tuple[float, float]:
        return width / 2 + x * scale, height / 2 - y * scale

    for x, y, cos, sin, half_length, half_width in solids.tolist():
        if half_width == 0.0:
            _disc(pen, pixel(x, y), half_length * scale, _SOLID)
            continue
        corners = [(half_length * i, half_width * j) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        pen.polygon([pixel(x + cos * u - sin * v, y + sin * u + cos * v) for u, v in corners], fill=_SOLID)
    for x, y in worlds.targets[world].tolist():
        _disc(pen, pixel(x, y), _RADIUS * scale, _TARGET)
    for (x, y, yaw, *_), radius in zip(worlds.poses[world].tolist(), radii, strict=True):
        _disc(pen, pixel(x, y), radius * scale, _ROBOT)
        nose = pixel(x + radius * math.cos(yaw), y + radius * math.sin(yaw))
        pen.line([pixel(x, y), nose], fill=_FLOOR, width=_LINE)
    return np.asarray(image)


def _disc(pen: Any, middle: tuple[float, float], radius: float, color: tuple[int, int, int]) -> None:
    x, y = middle
    pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=color)
