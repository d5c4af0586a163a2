"""Metrics over time for plots: at each instant what the metric of the run so far is, by the states that were seen."""

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.features.desktop.history import History
from coopsim.features.desktop.live_arrays import NOT_LIVE, RunExtras, part_of

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView
    from coopsim.metrics import Measurement

_AT_ONCE = 8
"""States from point to point of a curve."""
# a quarter of a frame at 60 Hz: the picture goes on while a long run is measured
_PATIENCE = 0.004
"""Time that metrics may take in a frame [s]; one piece of the run is measured in any case."""


def offered() -> tuple[str, ...]:
    """Return the names of metrics that a live run can give; those of plugins are taken for such."""
    return tuple(name for name in plugins.registered("metrics") if name not in NOT_LIVE)


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

    def advance(
        self, history: History, scene_of: "Callable[[State], SceneView | None]", extras: RunExtras | None = None
    ) -> None:
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
                self._add_states(states, scene_of, extras or RunExtras({}))
            except CoopsimError as problem:
                self.problem = str(problem).partition("\n")[0]
            if time.perf_counter() > end:
                break

    def _add_states(
        self, states: "Sequence[State]", scene_of: "Callable[[State], SceneView | None]", extras: RunExtras
    ) -> None:
        from coopsim.metrics import Measurement, RunArrays  # here, for a window opens without them

        if self._measurement is None:
            self._measurement = Measurement((self._metric,))
        alike = [list(state_run) for _, state_run in groupby(states, _kind)]
        parts_with_scenes = [(part, scene_of(part[0])) for part in alike]
        parts = [part_of(states_alike, scene, extras) for states_alike, scene in parts_with_scenes if scene is not None]
        self._measurement.add(RunArrays(parts, extras.formations))
        metrics = self._measurement.metrics()
        self._count += len(states)
        self._last = states[-1]
        self.times.append(states[-1].time)
        for name in metrics:
            self.values.setdefault(name, [np.nan] * (len(self.times) - 1))
        for name, column in self.values.items():
            column.append(metrics.get(name, np.nan))


class MetricCurves:
    """The metrics that are plotted.

    Args:
        history: What was seen.
        scene_of: Returns what there was at a state, None while that is not known.
        extras: Returns what else is known of the run.

    Attributes:
        chosen: By their names.
    """

    def __init__(
        self,
        history: History,
        scene_of: "Callable[[State], SceneView | None]",
        extras: Callable[[], RunExtras] = lambda: RunExtras({}),
    ) -> None:
        self._history, self._scene_of, self._extras = history, scene_of, extras
        self.chosen: dict[str, MetricCurve] = {}

    def toggle(self, metric: str) -> None:
        """Plot a metric, or no more."""
        if self.chosen.pop(metric, None) is None:
            self.chosen[metric] = MetricCurve(metric)

    def update(self) -> None:
        """Measure what came."""
        for curve in self.chosen.values():
            curve.advance(self._history, self._scene_of, self._extras())


def _kind(state: "State") -> tuple[int, tuple[str, ...]]:
    return state.raw.generation, state.names
