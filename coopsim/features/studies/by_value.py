"""Metrics of a study value by value: mean, deviation and number of runs of each value that was varied."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from coopsim.features.studies.best import mean_and_sd
from coopsim.features.studies.job import Row

MOST_LINES = 60
"""So many lines of a table are printed; the page and the rows have all."""


@dataclass(frozen=True)
class ValueSummary:
    """A metric of all runs with one value.

    Attributes:
        name: Of what was varied; "" = of all runs.
        sd: Standard deviation; NaN of a single run.
        n: Number of runs that have the metric.
    """

    name: str
    value: str
    metric: str
    mean: float
    sd: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        sd = self.sd if math.isfinite(self.sd) else None
        return {
            "name": self.name,
            "value": self.value,
            "metric": self.metric,
            "mean": self.mean,
            "sd": sd,
            "n": self.n,
        }

    @property
    def cells(self) -> tuple[str, ...]:
        """Cells of a table."""
        sd = f"{self.sd:.4g}" if math.isfinite(self.sd) else "-"
        return self.name, self.value, self.metric, f"{self.mean:.4g}", sd, str(self.n)


HEADS = ("varied", "value", "metric", "mean", "sd", "n")


def summaries(rows: Sequence[Row], metrics: Sequence[str]) -> list[ValueSummary]:
    """Return the metrics of each value of what was varied, metric by metric, values in their order."""
    names = dict.fromkeys(name for row in rows for name in row["values"])
    return [of_value for name in names for metric in metrics for of_value in _of_values(rows, name, metric)]


def _of_values(rows: Sequence[Row], name: str, metric: str) -> Iterator[ValueSummary]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        if name in row["values"] and metric in row["metrics"]:
            groups.setdefault(row["values"][name], []).append(row["metrics"][metric])
    for value in ordered(list(groups)):
        yield ValueSummary(name, value, metric, *mean_and_sd(groups[value]), len(groups[value]))


def ordered(values: Sequence[str]) -> list[str]:
    """Return different values in their order, numbers as such."""
    different = list(dict.fromkeys(values))
    try:
        return sorted(different, key=float)
    except ValueError:
        return different


def reported_metrics(rows: Sequence[Row], first: Sequence[str] = (), most: int = 6) -> list[str]:
    """Return the metrics that a table tells: those asked for and those of goals, else those that change."""
    names = list(dict.fromkeys(name for row in rows for name in row["metrics"]))
    scores = {goal["of"] for row in rows for goal in row["goals"] if goal["kind"] == "score"}
    asked = [name for name in names if name in first or name.startswith(tuple(scores))]
    if asked:
        return asked
    changing = [name for name in names if len({row["metrics"].get(name) for row in rows}) > 1]
    return changing[:most] or names[:most]


def same_samples(rows: Sequence[Row]) -> str:
    """Return a sentence on runs that came out the same with every seed, "" where there are none."""
    groups: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for row in rows:
        if "error" not in row:
            groups.setdefault(tuple(row["values"].items()), []).append(row)
    repeated = [group for group in groups.values() if len(group) > 1]
    same = [group for group in repeated if len({(row.get("state_hash"), repr(row["metrics"])) for row in group}) == 1]
    if not same:
        return ""
    where = "every combination" if len(same) == len(repeated) else f"{len(same)} of {len(repeated)} combinations"
    return (
        f"The samples of {where} are identical: nothing in these runs is random, so their seeds say nothing more, "
        "and their deviation is none."
    )
