"""All registered metrics of a run."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.metrics.arrays import RunArrays

Metrics: TypeAlias = dict[str, float]
"""Values by name; what a run does not have is missing."""


def measure(run: RunArrays, names: Iterable[str] | None = None) -> Metrics:
    """Return the metrics of a run.

    Args:
        run: Its records.
        names: Which metrics; None = all that are registered.

    Raises:
        NoSuchPlugin: One of them is not registered.
        PluginFailed: One raises, or returns something else than numbers; the text names file and line.
    """
    found: Metrics = {}
    for name in plugins.registered("metrics") if names is None else names:
        found |= _values(name, run)
    return found


def _values(name: str, run: RunArrays) -> Metrics:
    metric = plugins.load("metrics", name)
    with plugins.blamed(f"metric {name}"):
        value = metric(run)
    if value is None:
        return {}
    values = {f"{name}_{key}": each for key, each in value.items()} if isinstance(value, Mapping) else {name: value}
    for key, each in values.items():
        if not _is_number(each):
            raise PluginFailed(f"metric {name}: expected a number, or numbers by name; {key} is {each!r}")
    # JSON knows no other numbers
    return {key: round(float(each), 9) for key, each in values.items() if np.isfinite(each)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
