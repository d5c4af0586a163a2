"""Metrics of control: demands of controllers, and results."""

from collections.abc import Iterator, Sequence

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.metrics.arrays import Array, RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue
from coopsim.state.layout import NUMBER, STAMP, VALUES

# Quantiles of many values in little memory.
EXACT = 2**20
"""Of so many values quantiles are exact."""
_DROPPED = 12  # low bits of a float's pattern: bins of one part in two thousand
_BINS = 2 ** (31 - _DROPPED)


class Quantiles:
    """Quantiles of values that are not negative: of more than a million of them to 0.05 %.

    From then on values are counted in bins whose width grows with the value: the first bits of its 32-bit float.
    """

    def __init__(self) -> None:
        self._values: list[Floats] = []
        self._count = 0
        self._bins: Ints | None = None

    def __len__(self) -> int:
        return self._count

    def add(self, values: Floats) -> None:
        """Add values."""
        self._values.append(values)
        self._count += len(values)
        if self._count > EXACT:
            counts = np.bincount(_bins(np.concatenate(self._values)), minlength=_BINS)
            self._bins = counts if self._bins is None else self._bins + counts
            self._values = []

    def at(self, shares: Sequence[float]) -> Floats:
        """Return the values that these shares of all values do not exceed."""
        if self._bins is None:
            quantiles: Floats = np.quantile(np.concatenate(self._values), shares)
            return quantiles
        ranks = np.array(shares) * (self._count - 1)
        bins = np.searchsorted(np.cumsum(self._bins), ranks, side="right")
        middle = (bins.astype(np.uint32) << _DROPPED) | (1 << (_DROPPED - 1))
        return middle.astype(np.uint32).view(np.float32).astype(np.float64)


def _bins(values: Floats) -> Ints:
    return (values.astype(np.float32).view(np.uint32) >> _DROPPED).astype(np.int64)


_SET_VELOCITY = 10  # its number in the interface `motors`, which never changes


class _TrackingError:
    """Difference between the speeds asked for and measured: median, 95 of 100 do not exceed it, largest [m/s]."""

    def __init__(self) -> None:
        self._errors, self._most = Quantiles(), 0.0

    def add(self, piece: RunArrays) -> None:
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

    def add(self, piece: RunArrays) -> None:
        for values in _forces(piece):
            self._most = max(self._most or 0.0, float(np.abs(values).max(initial=0.0)))

    def value(self) -> MetricValue:
        return None if self._most is None else {"max": self._most}


class _Commands:
    """Number of commands that the modules took."""

    def __init__(self) -> None:
        self._total: float | None = None
        self._last: dict[tuple[str, str], float] = {}

    def add(self, piece: RunArrays) -> None:
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

    def add(self, piece: RunArrays) -> None:
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
