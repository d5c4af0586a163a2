"""Metrics of control: demands of controllers, and results."""

from collections.abc import Iterator

import numpy as np

from coopsim.geometry import Floats
from coopsim.metrics.arrays import Array, RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue
from coopsim.metrics.quantiles import Quantiles
from coopsim.state.layout import NUMBER, STAMP, VALUES

_SET_VELOCITY = 10


class _TrackingError:
    """Difference between the speeds asked for and measured: median, 95 of 100 do not exceed it, largest [m/s]."""

    def __init__(self) -> None:
        self._errors, self._most = Quantiles(), 0.0

    def take(self, piece: RunArrays) -> None:
        for robot in piece.robots:
            for errors in _speed_errors(piece, robot):
                self._errors.add(errors)
                self._most = max(self._most, float(errors.max(initial=0.0)))

    def value(self) -> MetricValue:
        if not len(self._errors):
            return None
        median, most = self._errors.at([0.5, 0.95])
        return {"p50": float(median), "p95": float(most), "max": self._most}


class _Force:
    """Largest of all readings that are forces [N]."""

    def __init__(self) -> None:
        self._most: float | None = None

    def take(self, piece: RunArrays) -> None:
        for values in _forces(piece):
            self._most = max(self._most or 0.0, float(np.abs(values).max(initial=0.0)))

    def value(self) -> MetricValue:
        return None if self._most is None else {"max": self._most}


class _Commands:
    """How many commands the modules took."""

    def __init__(self) -> None:
        self._total: float | None = None
        self._last: dict[tuple[str, str], float] = {}

    def take(self, piece: RunArrays) -> None:
        for robot in piece.robots:
            self._total = (self._total or 0.0) + self._new(piece, robot)

    def _new(self, piece: RunArrays, robot: str) -> float:
        total = 0.0
        for part, place, module in piece.modules(robot):
            if module.command_offset >= 0 and len(part):
                stamps = part.commands[:, place.command_offset + module.command_offset + STAMP]
                steps = np.diff(stamps, prepend=self._last.get((robot, module.name), 0.0))
                total += float(steps[steps > 0.0].sum())
                self._last[robot, module.name] = float(stamps[-1])
        return total

    def value(self) -> MetricValue:
        return self._total


class _Lateness:
    """Ticks that began late, and the largest lateness [s]."""

    def __init__(self) -> None:
        self._value: dict[str, float] | None = None

    def take(self, piece: RunArrays) -> None:
        last = piece.parts[-1]
        self._value = {"ticks": float(last.overruns[-1]), "max": float(last.lateness[-1])}

    def value(self) -> MetricValue:
        return self._value


def _forces(piece: RunArrays) -> Iterator[Array]:
    for robot in piece.robots:
        for part, place, module in piece.modules(robot):
            for reading in (reading for reading in module.interface.readings if reading.unit == "N"):
                offset, length = module.columns(reading)
                begin = place.reading_offset + offset
                yield part.readings[:, begin : begin + length]


def _speed_errors(piece: RunArrays, robot: str) -> Iterator[Floats]:
    """Yield the errors while a speed was commanded, each of shape (k,) [m/s]."""
    for part, place, module in piece.modules(robot):
        reading = next((reading for reading in module.interface.readings if reading.name == "v"), None)
        if module.interface.kind == "differential_drive" and module.command_offset >= 0 and reading is not None:
            begin = place.command_offset + module.command_offset
            is_asked = part.commands[:, begin + NUMBER] == _SET_VELOCITY
            asked = part.commands[:, begin + VALUES]
            measured = part.readings[:, place.reading_offset + module.columns(reading)[0]]
            yield np.abs(asked - measured)[is_asked].astype(np.float64)


tracking_error = FoldingMetric(_TrackingError)
force = FoldingMetric(_Force)
commands = FoldingMetric(_Commands)
lateness = FoldingMetric(_Lateness)
