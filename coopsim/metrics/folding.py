"""Metrics that take a run piece by piece, so that judging a long run needs no more memory than a short one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from coopsim.metrics.arrays import ArrayPart, RunArrays
from coopsim.metrics.formations import Formation

MetricValue: TypeAlias = float | Mapping[str, float] | None
"""A number, numbers by name, or None where a run has no such thing."""


class Fold(Protocol):
    """A metric of the pieces of one run so far."""

    def add(self, piece: RunArrays, /) -> None:
        """Take the next records: some at least, and those of one instant but once."""
        ...

    def value(self) -> MetricValue:
        """Return the metric of all pieces."""
        ...


@dataclass(frozen=True)
class FoldingMetric:
    """A metric that folds over the pieces of a run, and that can be called with a whole run like any other.

    Attributes:
        begin: Makes the fold of a new run.
    """

    begin: Callable[[], Fold]

    def __call__(self, run: RunArrays) -> MetricValue:
        """Return the metric of a whole run."""
        fold = self.begin()
        if run.parts:
            fold.add(run)
        return fold.value()


class WholeRun:
    """The fold of a metric that needs the whole run at once: it keeps every record.

    Args:
        metric: A function of the arrays of a run.
    """

    def __init__(self, metric: Callable[[RunArrays], MetricValue]) -> None:
        self._metric, self._parts, self._formations = metric, list[ArrayPart](), tuple[Formation, ...]()

    def add(self, piece: RunArrays) -> None:
        """Keep the next records."""
        self._parts += piece.parts
        self._formations = tuple(piece.formations)

    def value(self) -> MetricValue:
        """Return the metric."""
        return self._metric(RunArrays(self._parts, self._formations))
