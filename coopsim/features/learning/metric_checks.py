"""Metrics as rewards in a section `[LEARNING]`: which there are, and which a scenario cannot have."""

from collections.abc import Mapping

import numpy as np

from coopsim import plugins
from coopsim.errors import EngineCannot
from coopsim.features.learning.arrays import part_of
from coopsim.metrics import RunArrays, measure
from coopsim.replay.judging import formations_of
from coopsim.robots import RunSpec
from coopsim.scene import choices, hint, quoted
from coopsim.simulation import Simulation

_OF_CLOCKS = {"lateness"}
"""Metrics of runs in real time: a batch has no clock to be late by."""


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
    if np.isnan(value_of(value, metrics)):
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


def value_of(value: str, metrics: Mapping[str, float]) -> float:
    """Return a value of a metric, NaN if it is not known."""
    # a metric of several values is named by its own name; then the first one counts, as in goals
    names = [value, *(name for name in metrics if name.startswith(f"{value}_"))]
    return next((metrics[name] for name in names if name in metrics), np.nan)
