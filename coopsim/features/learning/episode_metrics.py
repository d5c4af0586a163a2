"""Metrics of episodes, world by world and step by step, as rewards; each has the bits of the same run judged alone."""

from collections.abc import Iterable

import numpy as np

from coopsim.features.learning.metric_checks import metric_of, value_of
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.metrics import Measurement
from coopsim.replay.judging import formations_of


class EpisodeMetrics:
    """Metrics of the present episode of each world, from its records at the beginning and after each step.

    Args:
        worlds: Whose episodes they are.
        values: What is measured, such as `clearance` or `path_length_mean`.
    """

    def __init__(self, worlds: Worlds, values: Iterable[str]) -> None:
        self._worlds, self._values = worlds, dict.fromkeys(values)
        self._names = [metric_of(value) for value in self._values]
        self._formations = formations_of(worlds.spec(0))
        self._measurements = [Measurement(()) for _ in range(worlds.count)]
        self._now = {value: np.full(worlds.count, np.nan) for value in self._values}
        self._before = {value: now.copy() for value, now in self._now.items()}

    def begin(self, mask: Bools) -> None:
        """Begin episodes in worlds of the mask, shape (worlds,)."""
        for world in np.flatnonzero(mask).tolist():
            self._measurements[world] = Measurement(self._names)
        self._add(mask)
        for value, now in self._now.items():
            self._before[value][mask] = now[mask]

    def advance(self) -> None:
        """Measure how things are after a step; worlds that stand still keep their metrics."""
        for value, now in self._now.items():
            self._before[value][:] = now
        self._add(self._worlds.running)

    def value(self, name: str) -> Floats:
        """Return a metric of the episodes so far, 0 as long as it is not known, shape (worlds,)."""
        measured: Floats = np.nan_to_num(self._now[name])
        return measured

    def change(self, name: str) -> Floats:
        """Return by how much a metric changed in the last step, 0 where it was not known before, shape (worlds,)."""
        change: Floats = np.nan_to_num(self._now[name] - self._before[name])
        return change

    def _add(self, mask: Bools) -> None:
        worlds = self._worlds
        runs = worlds.as_run(self._formations, worlds.ticks * round(worlds.dt * 1e9) / 1e9)
        for world in np.flatnonzero(mask).tolist():
            self._measurements[world].add(runs.world(world))
            metrics = self._measurements[world].metrics()
            for value, now in self._now.items():
                now[world] = value_of(value, metrics)
