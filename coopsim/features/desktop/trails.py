"""Trails of robots, in this viewer's time."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.ribbons import joined, trail
from coopsim.geometry import Floats, Vector3

_TRAIL = 160


@dataclass
class Trails:
    """Where robots were, in this viewer's time."""

    points: dict[str, deque[Floats]] = field(default_factory=dict)

    def add(self, name: str, point: Floats) -> None:
        """Append where a robot is, if it moved."""
        way = self.points.setdefault(name, deque(maxlen=_TRAIL))
        if not way or np.abs(way[-1] - point).max() > 0.02:
            if way and np.abs(way[-1] - point).max() > 1.0:
                way.clear()  # it was put elsewhere
            way.append(point.copy())

    def ribbons(self, colors: Mapping[str, Vector3]) -> NDArray[np.void]:
        """Return rows of `RIBBON`.

        Args:
            colors: Of those whose ways are drawn, by name: red, green, blue, 0 to 1.
        """
        points = [
            trail(np.array(way), _shade(colors[name]))
            for name, way in self.points.items()
            if name in colors and len(way) > 1
        ]
        return joined(points)


def _shade(color: Vector3) -> tuple[int, int, int]:
    red, green, blue = (round(255 * channel) for channel in color)
    return red, green, blue
