"""Metrics of loads: forces of robots that carry a bar together on their supports."""

from collections.abc import Iterator

import numpy as np

from coopsim.features.metrics.moments import Moments
from coopsim.geometry import Floats
from coopsim.interfaces import SUPPORT
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue

_COLUMN = {reading.name: place for place, reading in enumerate(SUPPORT.readings)}
_ACROSS = np.pi / 2  # rad; both robots abreast
_HALF = 0.5  # a reading of 0 or 1 as a number


class _BarForce:
    """Force of the bar on the supports that carry it: mean over robots and time, and largest [N]."""

    def __init__(self) -> None:
        self._moments = Moments()

    def add(self, piece: RunArrays) -> None:
        for loaded in _loaded(piece):
            self._moments.add(np.hypot(loaded[:, _COLUMN["force_x"]], loaded[:, _COLUMN["force_y"]]))

    def value(self) -> MetricValue:
        return _mean_and_most(self._moments)


class _BarAngle:
    """Angle between the bar and the line across a robot that carries it: mean over robots and time, largest [rad]."""

    def __init__(self) -> None:
        self._moments = Moments()

    def add(self, piece: RunArrays) -> None:
        for loaded in _loaded(piece):
            self._moments.add(np.abs(np.abs(loaded[:, _COLUMN["angle"]]) - _ACROSS))

    def value(self) -> MetricValue:
        return _mean_and_most(self._moments)


def _mean_and_most(moments: Moments) -> MetricValue:
    return {"mean": moments.mean, "max": moments.most} if moments.count else None


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
