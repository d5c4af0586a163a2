"""Goals of a scenario, judged by the records of a run alone: live or afterwards, with the same results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.geometry import Floats
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.formations import Formation, formation_errors
from coopsim.metrics.gaps import gaps
from coopsim.metrics.measuring import Metrics
from coopsim.scene import Goal

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GoalResult:
    """What became of a goal.

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
        """What to tell people."""
        value = "not known" if self.value is None else f"{self.value:.3g}{_UNITS.get(self.goal.measure, '')}"
        head = f"goal {self.goal.name}: "
        if self.goal.kind == "score":
            verdict = {True: ", met", False: ", missed", None: ""}[self.met]
            return f"{head}{self.goal.subject} {value}{verdict}"
        if self.goal.kind == "reach":
            return head + (f"reached after {self.at:.2f} s" if self.met else f"missed; nearest {value}")
        return head + (f"kept; worst {value}" if self.met else f"broken after {self.at or 0.0:.2f} s; worst {value}")


_UNITS = dict.fromkeys(("entity", "point", "formation", "distance", "clearance", "area"), " m")


def judge(goals: Sequence[Goal], run: RunArrays, metrics: Metrics) -> tuple[GoalResult, ...]:
    """Return what became of the goals.

    Args:
        goals: Of the scenario, robot by robot.
        run: All records that count.
        metrics: Of this run, for scores.
    """
    reached = {goal.name: _reached(goal, run) for goal in goals if goal.kind == "reach"}
    return tuple(reached.get(goal.name) or _judged(goal, run, metrics, reached) for goal in goals)


def decided_at(goals: Sequence[Goal], run: RunArrays) -> float | None:
    """Return when everything is decided that can be before the run ends by itself [s]; None = not yet, or never.

    Goals to reach decide it, and the times until which others must be kept; a run without either ends by itself.
    """
    if not len(run.times):
        return None
    ends: list[float | None] = [goal.until for goal in goals if goal.until is not None]
    for goal in goals:
        if goal.kind == "reach":
            at = _reached(goal, run).at
            ends.append(goal.within if at is None else at)
    known = [each for each in ends if each is not None]
    if not known or len(known) < len(ends):
        return None
    last = max(known)
    return last if run.times[-1] >= last - _ROUNDING else None


def _reached(goal: Goal, run: RunArrays) -> GoalResult:
    away = _distances(goal, run)
    limit, deadline = goal.numbers[-1], math.inf if goal.within is None else goal.within
    counts = run.times <= deadline + _ROUNDING
    rows = np.flatnonzero(counts & (away <= limit))
    nearest = _least(away[counts])
    if rows.size:
        return GoalResult(goal, True, round(float(run.times[rows[0]]), 9), round(float(away[rows[0]]), 9))
    return GoalResult(goal, False, None, nearest)


def _distances(goal: Goal, run: RunArrays) -> Floats:
    """Return how far the robot that is farthest away is from what is to be reached, shape (k,) [m]."""
    there = np.array(goal.numbers[:2]) if goal.measure == "point" else run.places(goal.subject)
    away = [np.hypot(*(run.places(robot) - there).T) for robot in goal.robots]
    found: Floats = np.max(away, axis=0) if away else np.full(len(run.times), np.nan)
    return found


def _judged(goal: Goal, run: RunArrays, metrics: Metrics, reached: Mapping[str, GoalResult]) -> GoalResult:
    if goal.kind == "score":
        return _scored(goal, metrics)
    excess, values = _MEASURES[goal.measure](goal, run)
    end = _end(goal, reached)
    counts = (run.times <= end + _ROUNDING) & np.isfinite(excess)
    if not counts.any():
        return GoalResult(goal, False, None, None)
    worst = int(np.argmax(np.where(counts, excess, -np.inf)))
    broken = np.flatnonzero(counts & (excess > 0.0))
    at = round(float(run.times[broken[0]]), 9) if broken.size else None
    return GoalResult(goal, not broken.size, at, round(float(values[worst]), 9))


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


# each returns by how much a goal is broken at each time (0 and less: it is not), and what was measured


def _formation(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    ways = np.stack([run.places(robot) for robot in goal.robots], axis=1)
    errors = formation_errors(ways, _places(goal, run, ways))
    return errors - goal.numbers[0], errors


def _places(goal: Goal, run: RunArrays, ways: Floats) -> Floats:
    """Return the places of the goal's robots: those of a formation that holds them all, else those at the beginning."""
    fits: list[Formation] = [each for each in run.formations if set(goal.robots) <= set(each.robots)]
    if fits:
        return fits[0].places[[fits[0].robots.index(robot) for robot in goal.robots]]
    whole = np.flatnonzero(np.isfinite(ways).all(axis=(1, 2)))
    first: Floats = ways[whole[0] if whole.size else 0]
    return first


def _between(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    least, most = goal.numbers
    there = run.places(goal.subject)
    away = np.array([np.hypot(*(run.places(robot) - there).T) for robot in goal.robots if robot != goal.subject])
    if not len(away):
        return _nothing(run)
    excess = np.maximum(least - away, away - most)
    worst = np.argmax(excess, axis=0)
    columns = np.arange(len(run.times))
    return excess[worst, columns], away[worst, columns]


def _area(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    """Measure how deep the robot that is deepest in the area is in it; outside that is negative."""
    x0, y0, x1, y1 = goal.numbers
    low, high = np.array([min(x0, x1), min(y0, y1)]), np.array([max(x0, x1), max(y0, y1)])
    ways = [run.places(robot) for robot in goal.robots]
    if not ways:
        return _nothing(run)
    depth: Floats = np.max([np.minimum(way - low, high - way).min(axis=1) for way in ways], axis=0)
    return depth, depth


def _clearance(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    least = gaps(run, goal.robots).least
    return goal.numbers[0] - least, least


def _reading(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    module, _, name = goal.subject.partition(".")
    columns = [np.abs(run.reading(robot, module, name)) for robot in goal.robots]
    wide = [each.max(axis=1) for each in columns if each.shape[1]]
    if not wide:
        return _nothing(run)
    values: Floats = np.max(wide, axis=0)
    return values - goal.numbers[0], values


def _nothing(run: RunArrays) -> tuple[Floats, Floats]:
    values = np.full(len(run.times), np.nan)
    return values, values


def _least(values: Floats) -> float | None:
    found = values[np.isfinite(values)]
    return round(float(found.min()), 9) if found.size else None


_MEASURES = {
    "formation": _formation,
    "distance": _between,
    "area": _area,
    "clearance": _clearance,
    "reading": _reading,
}
