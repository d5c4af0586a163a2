"""What a run is worth: metrics and goals, from the arrays of its records alone.

A metric is a function of `RunArrays` that returns a number, or several by name; None where the run has no such thing.
It is registered by the entry point `coopsim.metrics`, or in `PLUGINS` of a loose file.
"""

from coopsim.metrics.arrays import ArrayPart, RunArrays, last_of_each_instant
from coopsim.metrics.formations import Formation
from coopsim.metrics.goals import GoalResult, decided_at, judge
from coopsim.metrics.measuring import Metrics, measure

__all__ = [
    "ArrayPart",
    "Formation",
    "GoalResult",
    "Metrics",
    "RunArrays",
    "decided_at",
    "judge",
    "last_of_each_instant",
    "measure",
]
