"""Two studies compared: by how much each metric differs, and whether that is more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coopsim.errors import NoSuchPlugin
from coopsim.features.studies.table import StudyTable
from coopsim.geometry import Floats
from coopsim.interpreter import extra_command

_MOST = 5000
"""Of more runs some are drawn: an interval does not become much better by more."""
_RESAMPLES = 2000  # fifty lie beyond each bound of 95 %


@dataclass(frozen=True)
class MetricDifference:
    """Difference of a metric of two studies.

    Attributes:
        first: Its mean in the first study.
        second: Its mean in the second one.
        low: Of the 95 % confidence interval of the difference.
        high: Of the same.
        effect: Cohen's d: the difference in standard deviations.
    """

    name: str
    first: float
    second: float
    low: float
    high: float
    effect: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0.0 or self.high < 0.0


def made_differently(first: StudyTable, second: StudyTable) -> list[str]:
    """Return a line where two studies come from different versions, and one where their plugins differ."""
    unlike = [
        f"{name} {first.versions.get(name, 'none')} and {second.versions.get(name, 'none')}"
        for name in _unlike(first.versions, second.versions)
    ]
    plugins = _unlike(first.plugins, second.plugins)
    head = f"{first.name} and {second.name} were made"
    lines = [f"{head} by different versions, which alone may make them differ: {', '.join(unlike)}."] if unlike else []
    return [*lines, *([f"{head} with different plugins: {', '.join(plugins)}."] if plugins else [])]


def _unlike(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Return the names of what differs; nothing where one study does not say it."""
    names = dict.fromkeys([*first, *second]) if first and second else {}
    return [name for name in names if first.get(name) != second.get(name)]


def differences(first: StudyTable, second: StudyTable) -> list[MetricDifference]:
    """Return how the metrics that both studies have differ, success among them.

    Raises:
        NoSuchPlugin: The package for confidence intervals is not installed.
    """
    both = [name for name in first.metrics if name in second.metrics]
    pairs = [("success", first.successes(), second.successes())]
    pairs += [(name, _finite(first.metrics[name]), _finite(second.metrics[name])) for name in both]
    return [_difference(name, first, second) for name, first, second in pairs if first.size and second.size]


def _finite(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _difference(name: str, one: Floats, other: Floats) -> MetricDifference:
    gap = float(other.mean() - one.mean())
    spread = float(np.sqrt((one.var() + other.var()) / 2.0))
    low, high = _interval(one, other) if spread > 0.0 and min(one.size, other.size) > 1 else (gap, gap)
    return MetricDifference(name, float(one.mean()), float(other.mean()), low, high, gap / spread if spread else 0.0)


def _interval(one: Floats, other: Floats) -> tuple[float, float]:
    try:
        from scipy.stats import bootstrap
    except ImportError:
        raise NoSuchPlugin("comparing needs the package scipy").advise(extra_command("studies")) from None

    def gap(a: Floats, b: Floats, axis: int = -1) -> Floats:
        interval: Floats = np.mean(b, axis=axis) - np.mean(a, axis=axis)
        return interval

    chance = np.random.default_rng(0)
    samples = [
        sample if sample.size <= _MOST else chance.choice(sample, _MOST, replace=False) for sample in (one, other)
    ]
    interval = bootstrap(
        samples, gap, n_resamples=_RESAMPLES, method="percentile", vectorized=True, batch=50, rng=chance
    )
    return float(interval.confidence_interval.low), float(interval.confidence_interval.high)
