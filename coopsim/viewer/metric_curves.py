"""Metrics over time for plots: at each instant what the metric of the run so far is, by the states that were seen."""

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.metrics import ArrayPart, Measurement, RunArrays
from coopsim.state import Layout, RobotPlace, TypeLayout
from coopsim.viewer.history import History

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

_NEED_MORE = frozenset(
    ("energy", "formation_error", "tracking_error", "force", "bar_force", "bar_angle", "commands", "lateness")
)
"""Metrics of coopsim that ask for more of a run than the poses of its state stream."""
_AT_ONCE = 8
"""States from point to point of a curve."""
_PATIENCE = 0.004
"""Time that metrics may take in a frame [s]; one piece of the run is measured in any case."""


def offered() -> tuple[str, ...]:
    """Return the names of metrics that poses are enough for; those of plugins are taken for such."""
    return tuple(name for name in plugins.registered("metrics") if name not in _NEED_MORE)


class MetricCurve:
    """A metric of the run up to each instant.

    Attributes:
        times: Ascending [s].
        values: At these times, by name: a metric may be several numbers.
        problem: Why it cannot be measured, "" = it can.
    """

    def __init__(self, metric: str) -> None:
        self._metric = metric
        self.problem = ""
        self._begin()

    def _begin(self) -> None:
        self.times: list[float] = []
        self.values: dict[str, list[float]] = {}
        self._last: State | None = None
        self._count = 0
        self._measurement: Measurement | None = None

    def advance(self, history: History, scene_of: "Callable[[State], SceneView | None]") -> None:
        """Measure what was seen since; all anew where something was seen between."""
        place = 0 if self._last is None else bisect_right(history.times, self._last.time)
        is_known = place > 0 and history.states[place - 1] is self._last
        if self._last is not None and not (is_known and place <= self._count):
            self._begin()
            place = 0
        self._count = place
        end = time.perf_counter() + _PATIENCE
        while not self.problem and len(states := history.states[self._count : self._count + _AT_ONCE]) == _AT_ONCE:
            try:
                self._take(states, scene_of)
            except CoopsimError as problem:
                self.problem = str(problem).partition("\n")[0]
            if time.perf_counter() > end:
                break

    def _take(self, states: "Sequence[State]", scene_of: "Callable[[State], SceneView | None]") -> None:
        if self._measurement is None:
            self._measurement = Measurement((self._metric,))
        alike = [list(each) for _, each in groupby(states, _kind)]
        known = [(each, scene_of(each[0])) for each in alike]
        self._measurement.take(RunArrays([part_of(each, scene) for each, scene in known if scene is not None]))
        found = self._measurement.metrics()
        self._count += len(states)
        self._last = states[-1]
        self.times.append(states[-1].time)
        for name in found:
            self.values.setdefault(name, [np.nan] * (len(self.times) - 1))
        for name, column in self.values.items():
            column.append(found.get(name, np.nan))


class MetricCurves:
    """The metrics that are plotted.

    Args:
        history: What was seen.
        scene_of: Returns what there was at a state, None while that is not known.

    Attributes:
        chosen: By their names.
    """

    def __init__(self, history: History, scene_of: "Callable[[State], SceneView | None]") -> None:
        self._history, self._scene_of = history, scene_of
        self.chosen: dict[str, MetricCurve] = {}

    def toggle(self, metric: str) -> None:
        """Plot a metric, or no more."""
        if self.chosen.pop(metric, None) is None:
            self.chosen[metric] = MetricCurve(metric)

    def update(self) -> None:
        """Measure what came."""
        for curve in self.chosen.values():
            curve.advance(self._history, self._scene_of)


def part_of(states: "Sequence[State]", scene: "SceneView") -> ArrayPart:
    """Return states of one layout as metrics take them; what the stream does not tell is not a number, or missing.

    Args:
        states: Some at least, with the same bodies.
        scene: What there is in them.
    """
    names, count = states[0].names, len(states)
    rows = {name: number for number, name in enumerate(names)}
    entities = tuple(
        replace(row, body=rows[row.name] if row.body >= 0 else -1)
        for row in scene.entities
        if row.body < 0 or row.name in rows
    )
    robots = tuple(
        RobotPlace(row.name, TypeLayout(row.type, (), 0, 0), 0, 0, row.body) for row in entities if row.kind == "robot"
    )
    nothing = np.zeros((count, 0))
    return ArrayPart(
        Layout(scene.generation, (), robots, entities, names),
        np.array([state.time for state in states]),
        np.stack([state.poses for state in states]),
        np.full((count, len(names), 6), np.nan),
        nothing,
        nothing,
        np.zeros(count),
        np.zeros(count),
    )


def _kind(state: "State") -> tuple[int, tuple[str, ...]]:
    return state.raw.generation, state.names
