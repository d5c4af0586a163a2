"""Worth of a run: metrics and goals, from the arrays of its records alone.

A metric is a function of `RunArrays` that returns a number, or several by name; None where the run has no such thing.
A `FoldingMetric` takes the run piece by piece, so that long runs need no more memory than short ones. Metrics are
registered by the entry point `coopsim.metrics`, or in `PLUGINS` of a loose file.
"""

from coopsim.metrics.arrays import ArrayPart, RunArrays
from coopsim.metrics.folding import Fold, FoldingMetric, MetricValue
from coopsim.metrics.formations import Formation, kept_formations
from coopsim.metrics.goals import GoalResult, RunningGoals, judge
from coopsim.metrics.measuring import Measurement, Metrics, measure
from coopsim.metrics.pieces import Pieces

__all__ = [
    "ArrayPart",
    "Fold",
    "FoldingMetric",
    "Formation",
    "GoalResult",
    "Measurement",
    "MetricValue",
    "Metrics",
    "Pieces",
    "RunArrays",
    "RunningGoals",
    "judge",
    "kept_formations",
    "measure",
]
