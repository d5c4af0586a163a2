"""Metrics of time and way."""

import numpy as np

from coopsim.geometry import Floats
from coopsim.metrics.arrays import Array, RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue


class _Time:
    """Simulated time from the first record to the last [s]."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last = 0.0

    def add(self, piece: RunArrays) -> None:
        self._first = float(piece.times[0]) if self._first is None else self._first
        self._last = float(piece.times[-1])

    def value(self) -> MetricValue:
        return 0.0 if self._first is None else self._last - self._first


class _PathLength:
    """Way of the robots: mean, and of the one that went farthest [m]."""

    def __init__(self) -> None:
        self._ways: dict[str, float] = {}
        self._followed = _Followed()

    def add(self, piece: RunArrays) -> None:
        places = self._followed.next({robot: piece.positions(robot) for robot in piece.robots})
        for robot, way in places.items():
            steps = np.hypot(*np.diff(way, axis=0).T)
            self._ways[robot] = self._ways.get(robot, 0.0) + float(np.nansum(steps))

    def value(self) -> MetricValue:
        ways = list(self._ways.values())
        return {"mean": float(np.mean(ways)), "max": max(ways)} if ways else None


class _Energy:
    """The least energy that drives took to move the robots: all rises of their kinetic energies [J]."""

    def __init__(self) -> None:
        self._total: float | None = None
        self._followed = _Followed()

    def add(self, piece: RunArrays) -> None:
        energies = self._followed.next({robot: _kinetic(piece, robot) for robot in piece.robots})
        for energy in energies.values():
            rises = np.diff(energy)
            self._total = (self._total or 0.0) + float(rises[rises > 0.0].sum())

    def value(self) -> MetricValue:
        return self._total


class _Followed:
    """Puts before the values of robots in a piece those at the end of the piece before it, where they were in that."""

    def __init__(self) -> None:
        self._last: dict[str, Array] = {}

    def next(self, values: dict[str, Floats]) -> dict[str, Floats]:
        before, self._last = self._last, {robot: value[-1:] for robot, value in values.items()}
        return {
            robot: np.concatenate((before[robot], value)) if robot in before else value
            for robot, value in values.items()
        }


def _kinetic(piece: RunArrays, robot: str) -> Floats:
    speeds: Floats = (piece.twists(robot)[:, :3] ** 2).sum(axis=1)
    return 0.5 * piece.entities[robot].mass * speeds


time = FoldingMetric(_Time)
path_length = FoldingMetric(_PathLength)
energy = FoldingMetric(_Energy)
