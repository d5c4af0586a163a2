"""Where robots were, in this viewer's time."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from coopsim.geometry import Floats

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
