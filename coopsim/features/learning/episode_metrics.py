"""Metrics of episodes, world by world and step by step, as rewards; each has the bits of the same run judged alone."""

from collections.abc import Iterable, Mapping

import numpy as np

from coopsim import plugins
from coopsim.errors import EngineCannot
from coopsim.features.learning.arrays import part_of
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.metrics import Measurement, RunArrays, measure
from coopsim.replay.judging import formations_of
from coopsim.robots import RunSpec
from coopsim.scene import choices, hint, quoted
from coopsim.simulation import Simulation

_OF_CLOCKS = {"lateness"}
"""Metrics of runs in real time: a batch has no clock to be late by."""


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
        known: Floats = np.nan_to_num(self._now[name])
        return known

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
                now[world] = _value_of(value, metrics)


def metric_of(value: str) -> str:
    """Return the registered metric that a value is of, "" if there is none: `path_length` for `path_length_mean`."""
    names = [name for name in plugins.registered("metrics") if value == name or value.startswith(f"{name}_")]
    return max(names, key=len, default="")


def metric_flaw(value: str, spec: RunSpec) -> tuple[str, bool]:
    """Return what is wrong with a metric as a reward in a scenario, "" = nothing, and whether it can be none at all."""
    registered, name = plugins.registered("metrics"), metric_of(value)
    if not name:
        return f"no metric is called {quoted(value)}{hint(value, registered)}; known: {choices(registered)}", True
    if name in _OF_CLOCKS:
        return f"{name} is of runs in real time, and worlds of a batch have no clock to be late by", True
    if getattr(plugins.load("metrics", name), "is_of_systems", False):
        return f"{name} is of systems of components that run without robots, and a batch has none", True
    try:
        metrics = measure(run_at_first(spec), [name])
    except EngineCannot:  # said elsewhere, with its place
        return "", False
    if not metrics:
        return f"{name} measures nothing at the beginning of this scenario, and is 0 until it does", False
    if np.isnan(_value_of(value, metrics)):
        return f"{name} has no value {quoted(value)}{hint(value, metrics)}; known: {choices(metrics)}", True
    return "", False


def run_at_first(spec: RunSpec) -> RunArrays:
    """Return the record of a scenario before its first tick.

    Raises:
        EngineCannot: It cannot be simulated here.
    """
    simulation = Simulation(spec)
    arrays = (simulation.engine.poses, simulation.engine.twists, simulation.readings, simulation.commands)
    poses, twists, readings, commands = (array[np.newaxis] for array in arrays)
    return RunArrays((part_of(simulation.layout, np.zeros(1), poses, twists, readings, commands),), formations_of(spec))


def _value_of(value: str, metrics: Mapping[str, float]) -> float:
    # a metric of several values is named by its own name; then the first one counts, as in goals
    names = [value, *(name for name in metrics if name.startswith(f"{value}_"))]
    return next((metrics[name] for name in names if name in metrics), np.nan)
