"""All registered metrics of a run."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.metrics.arrays import RunArrays
from coopsim.metrics.folding import Fold, FoldingMetric, MetricValue, WholeRun

Metrics: TypeAlias = dict[str, float]
"""Values by name; what a run does not have is missing."""


class Measurement:
    """The metrics of a run that comes piece by piece.

    Args:
        names: Which metrics; None = all that are registered.

    Raises:
        NoSuchPlugin: One of them is not registered.
        PluginFailed: One raises, or returns something else than numbers; the text names file and line.
    """

    def __init__(self, names: Iterable[str] | None = None) -> None:
        self._folds = {name: _begun(name) for name in (_of_robots() if names is None else names)}

    def add(self, piece: RunArrays) -> None:
        """Measure the next records."""
        if not piece.parts:
            return
        for name, fold in self._folds.items():
            with plugins.blamed(f"metric {name}"):
                fold.add(piece)

    def metrics(self) -> Metrics:
        """Return the metrics of all pieces."""
        metrics_: Metrics = {}
        for name, fold in self._folds.items():
            with plugins.blamed(f"metric {name}"):
                value = fold.value()
            metrics_ |= _numbers(name, value)
        return metrics_


def measure(run: RunArrays, names: Iterable[str] | None = None) -> Metrics:
    """Return the metrics of a run.

    Args:
        run: Its records.
        names: Which metrics; None = all that are registered.

    Raises:
        NoSuchPlugin: One of them is not registered.
        PluginFailed: One raises, or returns something else than numbers; the text names file and line.
    """
    measurement = Measurement(names)
    measurement.add(run)
    return measurement.metrics()


def _of_robots() -> Iterator[str]:
    """Go through the registered metrics but those of systems of components, which run without robots."""
    for name in plugins.registered("metrics"):
        if not getattr(plugins.load("metrics", name), "is_of_systems", False):
            yield name


def _begun(name: str) -> Fold:
    metric = plugins.load("metrics", name)
    with plugins.blamed(f"metric {name}"):
        return metric.begin() if isinstance(metric, FoldingMetric) else WholeRun(metric)


def _numbers(name: str, value: MetricValue) -> Metrics:
    if value is None:
        return {}
    values = {f"{name}_{key}": number for key, number in value.items()} if isinstance(value, Mapping) else {name: value}
    for key, each in values.items():
        if not _is_number(each):
            raise PluginFailed(f"metric {name}: expected a number, or numbers by name; {key} is {each!r}")
    # JSON knows no other numbers
    return {key: round(float(value), 9) for key, value in values.items() if np.isfinite(value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
