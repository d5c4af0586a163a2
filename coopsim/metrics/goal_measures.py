"""Measures of goals: distances to what is to be reached, and by how much what must be kept is broken."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, edge_distance, in_polygon
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.formations import Formation, formation_errors
from coopsim.metrics.gaps import gaps
from coopsim.scene import Goal

Measure: TypeAlias = Callable[[RunArrays], tuple[Floats, Floats]]
"""Returns by how much a goal is broken at each time (0 and less: it is not), and what was measured."""


def distances(goal: Goal, run: RunArrays) -> Floats:
    """Return how far the robot that is farthest away is from what is to be reached, shape (k,) [m]."""
    if goal.measure == "inside":
        corners = np.array(goal.numbers[:-1]).reshape(-1, 2)
        away = [np.maximum(-_depth(run.positions(robot), corners), 0.0) for robot in goal.robots]
    else:
        goal_points = np.array(goal.numbers[:2]) if goal.measure == "point" else run.positions(goal.subject)
        away = [np.hypot(*(run.positions(robot) - goal_points).T) for robot in goal.robots]
    farthest: Floats = np.max(away, axis=0) if away else np.full(len(run.times), np.nan)
    return farthest


def measure_of(goal: Goal) -> Measure:
    """Return what measures a goal in the pieces of one run, in order."""
    return _Formation(goal) if goal.measure == "formation" else partial(_MEASURES[goal.measure], goal)


class _Formation:
    """Errors of the formation of a goal's robots.

    Args:
        goal: The goal.
    """

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._places: Floats | None = None

    def __call__(self, run: RunArrays) -> tuple[Floats, Floats]:
        ways = np.stack([run.positions(robot) for robot in self._goal.robots], axis=1)
        if self._places is None:
            self._places = self._found(run, ways)
        if self._places is None:
            return _nothing(run)
        errors = formation_errors(ways, self._places)
        return errors - self._goal.numbers[0], errors

    def _found(self, run: RunArrays, ways: Floats) -> Floats | None:
        """Return the robots' places: those of a formation that holds them all, else those when all were there first."""
        robots = self._goal.robots
        fits: list[Formation] = [formation for formation in run.formations if set(robots) <= set(formation.robots)]
        if fits:
            return fits[0].places[[fits[0].robots.index(robot) for robot in robots]]
        whole = np.flatnonzero(np.isfinite(ways).all(axis=(1, 2)))
        return ways[whole[0]] if whole.size else None


def _between(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    least, most = goal.numbers
    places = run.positions(goal.subject)
    away = np.array([np.hypot(*(run.positions(robot) - places).T) for robot in goal.robots if robot != goal.subject])
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
    ways = [run.positions(robot) for robot in goal.robots]
    if not ways:
        return _nothing(run)
    depth: Floats = np.max([np.minimum(way - low, high - way).min(axis=1) for way in ways], axis=0)
    return depth, depth


def _polygon(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    """Measure how deep the robot that is deepest in a polygon is in it; outside that is negative."""
    corners = np.array(goal.numbers).reshape(-1, 2)
    ways = [run.positions(robot) for robot in goal.robots]
    if not ways or not len(corners):
        return _nothing(run)
    depth: Floats = np.max([_depth(way, corners) for way in ways], axis=0)
    return depth, depth


def _depth(places: Floats, corners: Floats) -> Floats:
    """Return how far inside of a polygon places are [m]; outside that is negative, of robots that are gone nan."""
    away = edge_distance(places, corners)
    depths: Floats = np.where(np.isnan(places[:, 0]), np.nan, np.where(in_polygon(places, corners), away, -away))
    return depths


def _clearance(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    least = gaps(run, goal.robots).least
    return goal.numbers[0] - least, least


def _reading(goal: Goal, run: RunArrays) -> tuple[Floats, Floats]:
    module, _, name = goal.subject.partition(".")
    columns = [np.abs(run.reading(robot, module, name)) for robot in goal.robots]
    wide = [column.max(axis=1) for column in columns if column.shape[1]]
    if not wide:
        return _nothing(run)
    values: Floats = np.fmax.reduce(wide)  # robots that are not there do not count
    return values - goal.numbers[0], values


def _nothing(run: RunArrays) -> tuple[Floats, Floats]:
    values = np.full(len(run.times), np.nan)
    return values, values


_MEASURES = {
    "distance": _between,
    "area": _area,
    "polygon": _polygon,
    "clearance": _clearance,
    "reading": _reading,
}
