"""The values that are best in each context of a study, by the means of a metric over the seeds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coopsim.errors import BadArgument
from coopsim.features.studies.job import Row
from coopsim.scene import choices, hint

_ENDS = {"min": False, "max": True}


@dataclass(frozen=True)
class BestBy:
    """A metric by which runs are compared.

    Attributes:
        is_maximum: Whether the largest value is best, not the smallest.
    """

    metric: str
    is_maximum: bool = False

    def __str__(self) -> str:
        return f"{self.metric}:max" if self.is_maximum else self.metric


def read_best(text: str, metrics: Sequence[str] | None = None) -> BestBy:
    """Return what `METRIC`, `METRIC:min` or `METRIC:max` says.

    Args:
        text: As on the command line.
        metrics: Those that there are; None = not known yet.

    Raises:
        BadArgument: It is something else, or there is no such metric.
    """
    metric, colon, end = text.partition(":")
    if not metric or (colon and end not in _ENDS):
        raise BadArgument(f"--best {text}: expected METRIC, METRIC:min or METRIC:max, as rms_error:min")
    if metrics is not None and metric not in metrics:
        raise BadArgument(
            f"--best {text}: no run has a metric {metric!r}{hint(metric, metrics)}; there are: {choices(metrics)}"
        ).advise("A plugin brings others: --plugin FILE.")
    return BestBy(metric, _ENDS.get(end, False))


@dataclass(frozen=True)
class BestValues:
    """The values that are best in a context.

    Attributes:
        context: Values of all else that was varied.
        values: The best ones.
        mean: Of the metric over the seeds.
        sd: Standard deviation over the seeds; NaN of a single one.
        n: Number of runs.
    """

    by: BestBy
    context: Mapping[str, str]
    values: Mapping[str, str]
    mean: float
    sd: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it and `study.json` keeps it."""
        sd = self.sd if math.isfinite(self.sd) else None
        numbers = {"mean": self.mean, "sd": sd, "n": self.n}
        end = "max" if self.by.is_maximum else "min"
        return {
            "by": self.by.metric,
            "end": end,
            "context": dict(self.context),
            "values": dict(self.values),
            **numbers,
        }


def best_values(rows: Sequence[Row], measures: Sequence[BestBy], laws: Sequence[str]) -> list[BestValues]:
    """Return the best values of each context, context by context.

    Source: AMSA, sections 2.1 and 4 (parameters of control laws are a quality of control, all others a context).

    Args:
        rows: Of all runs.
        measures: What is compared.
        laws: Names of what is chosen; everything else that was varied is a context.
    """
    contexts: dict[tuple[tuple[str, str], ...], dict[tuple[tuple[str, str], ...], list[Row]]] = {}
    for row in rows:
        context = tuple((name, value) for name, value in row["values"].items() if name not in laws)
        chosen = tuple((name, value) for name, value in row["values"].items() if name in laws)
        contexts.setdefault(context, {}).setdefault(chosen, []).append(row)
    return [
        winner
        for context, groups in contexts.items()
        if len(groups) > 1
        for winner in _winners(dict(context), groups, measures)
    ]


def _winners(
    context: Mapping[str, str], groups: Mapping[tuple[tuple[str, str], ...], Sequence[Row]], measures: Sequence[BestBy]
) -> Iterator[BestValues]:
    for by in measures:
        judged = []
        for chosen, rows in groups.items():
            numbers = [row["metrics"][by.metric] for row in rows if by.metric in row["metrics"]]
            if numbers:
                judged.append(BestValues(by, context, dict(chosen), *mean_and_sd(numbers), len(numbers)))
        if judged:
            yield (max if by.is_maximum else min)(judged, key=lambda value: value.mean)


def mean_and_sd(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the mean, and the standard deviation of a sample: NaN of a single number."""
    mean = math.fsum(numbers) / len(numbers)
    if len(numbers) < 2:
        return mean, math.nan
    return mean, math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1))


def best_in_words(best_values: Sequence[BestValues]) -> list[str]:
    """Return a line for each context: what is best there, by each measure."""
    names = dict.fromkeys(name for evaluation in best_values for name in (*evaluation.context, *evaluation.values))
    ends = [name.rpartition(".")[2] for name in names]
    short = {name: end if ends.count(end) == 1 else name for name, end in zip(names, ends, strict=True)}

    def words(values: Mapping[str, str]) -> str:
        return " ".join(f"{short[name]}={value}" for name, value in values.items())

    contexts: dict[str, list[str]] = {}
    for best in best_values:
        about = f"best by {best.by.metric}{' (largest)' if best.by.is_maximum else ''} {words(best.values)}"
        spread = f", sd {best.sd:.2g}, n {best.n}" if best.n > 1 else ""
        contexts.setdefault(words(best.context), []).append(f"{about} ({best.mean:.4g}{spread})")
    return [f"{context or 'any context'}: {', '.join(parts)}" for context, parts in contexts.items()]
