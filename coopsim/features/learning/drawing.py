"""Pictures of a world from above, for environments."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from coopsim.features.learning.worlds import Worlds

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
