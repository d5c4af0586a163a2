"""What robots that carry a bar together feel of it on their supports."""

from collections.abc import Iterator

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import SUPPORT
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue

_COLUMN = {each.name: place for place, each in enumerate(SUPPORT.readings)}
_ACROSS = np.pi / 2
_HALF = 0.5


class _Moments:
    """Mean and maximum of values that are not negative."""

    def __init__(self) -> None:
        self._count, self._sum, self._most = 0, 0.0, 0.0

    def add(self, values: Floats) -> None:
        self._count += len(values)
        self._sum += float(values.sum())
        self._most = max(self._most, float(values.max(initial=0.0)))

    def value(self) -> MetricValue:
        return {"mean": self._sum / self._count, "max": self._most} if self._count else None


class _BarForce:
    """Force of the bar on the supports that carry it: mean over robots and time, and largest [N]."""

    def __init__(self) -> None:
        self._moments = _Moments()

    def take(self, piece: RunArrays) -> None:
        for loaded in _loaded(piece):
            self._moments.add(np.hypot(loaded[:, _COLUMN["force_x"]], loaded[:, _COLUMN["force_y"]]))

    def value(self) -> MetricValue:
        return self._moments.value()


class _BarAngle:
    """Angle between the bar and the line across a robot that carries it: mean over robots and time, largest [rad]."""

    def __init__(self) -> None:
        self._moments = _Moments()

    def take(self, piece: RunArrays) -> None:
        for loaded in _loaded(piece):
            self._moments.add(np.abs(np.abs(loaded[:, _COLUMN["angle"]]) - _ACROSS))

    def value(self) -> MetricValue:
        return self._moments.value()


def _loaded(piece: RunArrays) -> Iterator[Floats]:
    """Yield the readings of supports while a load lies on them, each of shape (k, 6)."""
    for robot in piece.robots:
        for part, place, module in piece.modules(robot):
            if module.interface.kind == SUPPORT.kind:
                begin = place.reading_offset + module.reading_offset
                readings = part.readings[:, begin : begin + module.reading_width].astype(np.float64)
                yield readings[readings[:, _COLUMN["loaded"]] > _HALF]


bar_force = FoldingMetric(_BarForce)
bar_angle = FoldingMetric(_BarAngle)
