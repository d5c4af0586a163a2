"""Metrics of places: robots relative to one another and to everything else."""

from itertools import combinations

import numpy as np

from coopsim.features.metrics.moments import Moments
from coopsim.geometry import Bools, Floats
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.folding import FoldingMetric, MetricValue
from coopsim.metrics.formations import Formation, formation_errors
from coopsim.metrics.gaps import Pair, gaps

_MOST = 30
"""Of more robots not all pairs are looked at."""
_FREE = 1.0  # m; avoidance bends ways within it, which is no fault of the formation
_FREE_FOR = 5.0  # s; what a formation needs to close up again


class _FormationError:
    """Distance from its place of the robot that is farthest from it: mean, largest, RMS, RMS if free [m].

    Free is a formation when nothing else was within a metre of any of its robots for five seconds.
    """

    def __init__(self) -> None:
        self._all, self._free = Moments(), Moments()
        self._near: dict[tuple[str, ...], float] = {}

    def add(self, piece: RunArrays) -> None:
        if not piece.formations:
            return
        errors = np.concatenate([_errors(piece, formation) for formation in piece.formations])
        is_free = np.concatenate([self._is_free(piece, formation.robots) for formation in piece.formations])
        self._all.add(errors[np.isfinite(errors)])
        self._free.add(errors[np.isfinite(errors) & is_free])

    def _is_free(self, piece: RunArrays, robots: tuple[str, ...]) -> Bools:
        """Return when a formation is free, shape (k,)."""
        is_near = gaps(piece, robots, with_each_other=False).least < _FREE
        last = np.maximum.accumulate(np.where(is_near, piece.times, self._near.get(robots, -np.inf)))
        self._near[robots] = float(last[-1])
        free: Bools = piece.times - last > _FREE_FOR
        return free

    def value(self) -> MetricValue:
        if not self._all.count:
            return None
        values = {"mean": self._all.mean, "max": self._all.most, "rms": self._all.rms}
        return {**values, "free_rms": self._free.rms} if self._free.count else values


def _errors(piece: RunArrays, formation: Formation) -> Floats:
    return formation_errors(np.stack([piece.positions(robot) for robot in formation.robots], axis=1), formation.places)


class _Clearance:
    """Smallest gap between a robot and anything else, from hull to hull, seen from above [m]."""

    def __init__(self) -> None:
        self._least = np.inf

    def add(self, piece: RunArrays) -> None:
        self._least = min(self._least, float(gaps(piece, piece.robots).least.min(initial=np.inf)))

    def value(self) -> MetricValue:
        return self._least if np.isfinite(self._least) else None


class _Contacts:
    """Number of times that a robot came to touch something."""

    def __init__(self) -> None:
        self._count: int | None = None
        self._touching: frozenset[Pair] = frozenset()

    def add(self, piece: RunArrays) -> None:
        distances = gaps(piece, piece.robots)
        if piece.robots:
            self._count = (self._count or 0) + distances.contacts - len(self._touching & distances.touching_first)
        self._touching = distances.touching_last

    def value(self) -> MetricValue:
        return self._count


class _Distance:
    """Distance between robots, from middle to middle: smallest and largest [m]."""

    def __init__(self) -> None:
        self._robots: dict[str, None] = {}
        self._least = self._most = np.nan

    def add(self, piece: RunArrays) -> None:
        self._robots |= dict.fromkeys(piece.robots)
        if len(piece.robots) < 2 or len(self._robots) > _MOST:
            return
        ways = [piece.positions(robot) for robot in piece.robots]
        apart = np.array([np.hypot(*(first - second).T) for first, second in combinations(ways, 2)])
        self._least = np.fmin(self._least, np.fmin.reduce(apart, axis=None))
        self._most = np.fmax(self._most, np.fmax.reduce(apart, axis=None))

    def value(self) -> MetricValue:
        is_measured = 2 <= len(self._robots) <= _MOST
        return {"min": float(self._least), "max": float(self._most)} if is_measured else None


formation_error = FoldingMetric(_FormationError)
clearance = FoldingMetric(_Clearance)
contacts = FoldingMetric(_Contacts)
distance = FoldingMetric(_Distance)
