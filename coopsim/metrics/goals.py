"""Goals of a scenario, judged by the records of a run alone: live or afterwards, with the same results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.goal_measures import distances, measure_of
from coopsim.metrics.measuring import Metrics
from coopsim.scene import Goal

_ROUNDING = 1e-9  # s; times are whole nanoseconds, which doubles round


@dataclass(frozen=True, slots=True)
class GoalResult:
    """Outcome of a goal.

    Attributes:
        met: Whether it was met; None = it is a score without a limit.
        at: When it was reached, or broken [s]; None = never.
        value: What was measured where it counts most: the nearest approach, the worst error, the score; None = nothing.
    """

    goal: Goal
    met: bool | None
    at: float | None
    value: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        goal = self.goal
        about = {"name": goal.name, "kind": goal.kind, "of": goal.subject or goal.measure}
        return {**about, "met": self.met, "at": self.at, "value": self.value}

    @property
    def text(self) -> str:
        """Message for people."""
        value = "not known" if self.value is None else f"{self.value:.3g}{_UNITS.get(self.goal.measure, '')}"
        head = f"goal {self.goal.name}: "
        if self.goal.kind == "score":
            verdict = {True: ", met", False: ", missed", None: ""}[self.met]
            return f"{head}{self.goal.subject} {value}{verdict}"
        if self.goal.kind == "reach":
            return head + (f"reached after {self.at:.2f} s" if self.met else f"missed; nearest {value}")
        return head + (f"kept; worst {value}" if self.met else f"broken after {self.at or 0.0:.2f} s; worst {value}")


_UNITS = dict.fromkeys(("entity", "point", "inside", "formation", "distance", "clearance", "area", "polygon"), " m")


class RunningGoals:
    """The goals of a run that comes piece by piece.

    Args:
        goals: Of the scenario, robot by robot.
    """

    def __init__(self, goals: Sequence[Goal]) -> None:
        self._goals = tuple(goals)
        self._reached = {goal.name: GoalResult(goal, False, None, None) for goal in goals if goal.kind == "reach"}
        self._kept = [(goal, _Kept(goal)) for goal in goals if goal.kind not in {"reach", "score"}]

    @property
    def count(self) -> int:
        """Number of goals."""
        return len(self._goals)

    def decided_at(self, piece: RunArrays) -> float | None:
        """Return when everything is decided that can be before the run ends by itself [s]; None = not yet, or never.

        Goals to reach decide it, and the times until which others must be kept; a run without either ends by itself.

        Args:
            piece: The next records, which are not taken.
        """
        if not len(piece.times):
            return None
        ends: list[float | None] = [goal.until for goal in self._goals if goal.until is not None]
        for before in self._reached.values():
            at = _reached(before, piece).at
            ends.append(before.goal.within if at is None else at)
        ends_known = [end for end in ends if end is not None]
        if not ends_known or len(ends_known) < len(ends):
            return None
        last = max(ends_known)
        return last if piece.times[-1] >= last - _ROUNDING else None

    def add(self, piece: RunArrays) -> None:
        """Judge the next records."""
        if not len(piece.times):
            return
        self._reached = {name: _reached(before, piece) for name, before in self._reached.items()}
        for goal, kept in self._kept:
            kept.add(piece, _end(goal, self._reached))

    def results(self, metrics: Metrics) -> tuple[GoalResult, ...]:
        """Return what became of the goals.

        Args:
            metrics: Of this run, for scores.
        """
        kept = {id(goal): running_goal.result() for goal, running_goal in self._kept}
        return tuple(
            self._reached.get(goal.name) or kept.get(id(goal)) or _scored(goal, metrics) for goal in self._goals
        )


def judge(goals: Sequence[Goal], run: RunArrays, metrics: Metrics) -> tuple[GoalResult, ...]:
    """Return what became of the goals of a whole run.

    Args:
        goals: Of the scenario, robot by robot.
        run: All records that count.
        metrics: Of this run, for scores.
    """
    running = RunningGoals(goals)
    running.add(run)
    return running.results(metrics)


def _reached(before: GoalResult, piece: RunArrays) -> GoalResult:
    """Return what became of a goal to reach, from what had become of it before these records."""
    if before.met:
        return before
    goal, away = before.goal, distances(before.goal, piece)
    counts = piece.times <= (math.inf if goal.within is None else goal.within) + _ROUNDING
    rows = np.flatnonzero(counts & (away <= goal.numbers[-1]))
    if rows.size:
        return GoalResult(goal, True, round(float(piece.times[rows[0]]), 9), round(float(away[rows[0]]), 9))
    seen = away[counts & np.isfinite(away)]
    nearest = [round(float(seen.min()), 9)] if seen.size else []
    values = [] if before.value is None else [before.value]
    return GoalResult(goal, False, None, min([*values, *nearest], default=None))


class _Kept:
    """A goal that must be kept, or an avoidance, judged so far.

    Args:
        goal: The goal.
    """

    def __init__(self, goal: Goal) -> None:
        self._goal, self._measure = goal, measure_of(goal)
        self._broken_at: float | None = None
        self._worst, self._value = -math.inf, math.nan

    def add(self, piece: RunArrays, end: float) -> None:
        """Judge the next records up to the time `end` [s]."""
        excess, values = self._measure(piece)
        counts = (piece.times <= end + _ROUNDING) & np.isfinite(excess)
        if not counts.any():
            return
        worst = int(np.argmax(np.where(counts, excess, -np.inf)))
        if excess[worst] > self._worst:
            self._worst, self._value = float(excess[worst]), float(values[worst])
        broken = np.flatnonzero(counts & (excess > 0.0))
        if broken.size and self._broken_at is None:
            self._broken_at = round(float(piece.times[broken[0]]), 9)

    def result(self) -> GoalResult:
        """Return what became of it."""
        if self._worst == -math.inf:
            return GoalResult(self._goal, False, None, None)
        return GoalResult(self._goal, self._broken_at is None, self._broken_at, round(self._value, 9))


def _end(goal: Goal, reached: Mapping[str, GoalResult]) -> float:
    if goal.until_goal in reached:
        at = reached[goal.until_goal].at
        return math.inf if at is None else at
    return math.inf if goal.until is None else goal.until


def _scored(goal: Goal, metrics: Metrics) -> GoalResult:
    # a metric of several values is named by its own name; then the first one counts
    names = [goal.subject, *(name for name in metrics if name.startswith(f"{goal.subject}_"))]
    value = next((metrics[name] for name in names if name in metrics), None)
    if goal.measure == "value":
        return GoalResult(goal, None, None, value)
    if value is None:
        return GoalResult(goal, False, None, None)
    return GoalResult(
        goal, value < goal.numbers[0] if goal.measure == "below" else value > goal.numbers[0], None, value
    )
