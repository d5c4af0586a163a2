"""The rows of a study as columns: what was varied, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.studies.best import BestBy, BestValues, best_values, read_best
from coopsim.features.studies.job import Row
from coopsim.features.studies.results import stored_question, stored_rows
from coopsim.geometry import Floats


@dataclass(frozen=True)
class StudyTable:
    """A study as columns.

    Attributes:
        name: Of its folder.
        rows: Of the runs, in order.
        varied: Names of what was varied.
        metrics: Values by name, shape (k,), NaN where a run does not have one.
        scores: Metrics that goals of the scenario are about.
        versions: Of Python and of packages, by name; with which the study was made.
        plugins: Hashes of its loose plugins by file name.
        best: The best values of each context, by what the study compared its runs by.
    """

    name: str
    rows: Sequence[Row]
    varied: tuple[str, ...]
    metrics: dict[str, Floats]
    scores: tuple[str, ...]
    versions: Mapping[str, str]
    plugins: Mapping[str, str]
    best: Sequence[BestValues] = ()

    @property
    def changing(self) -> list[str]:
        """Metrics that are not the same in all runs, those of goals first."""
        names = [name for name, values in self.metrics.items() if np.nanmin(values) < np.nanmax(values)]
        return sorted(names, key=lambda name: not name.startswith(self.scores))

    @property
    def goals(self) -> dict[str, tuple[int, int]]:
        """In how many runs each goal was met, and in how many it could be missed, by name."""
        outcomes: dict[str, list[bool]] = {}
        for goal in (goal for row in self.rows for goal in row["goals"] if goal["met"] is not None):
            outcomes.setdefault(goal["name"], []).append(goal["met"])
        return {name: (sum(met), len(met)) for name, met in outcomes.items()}

    def column(self, name: str) -> list[str]:
        """Return the values of what was varied, as text, run by run."""
        return [row["values"].get(name, "") for row in self.rows]

    def successes(self) -> Floats:
        """Return 1 for each run that succeeded, else 0, shape (k,)."""
        return np.array([float(row["success"]) for row in self.rows])


def read_study(folder: Path, best: Sequence[str] = ()) -> StudyTable:
    """Return the study in a folder.

    Args:
        folder: Where it is kept.
        best: By what runs are compared, `METRIC` or `METRIC:max`; () = as when it was done.

    Raises:
        BadArgument: It holds none, or no run has such a metric.
    """
    rows = stored_rows(folder)
    if not rows:
        raise BadArgument(f"{folder} holds a study without a single run; do it again, or go on with it by --resume")
    varied = dict.fromkeys(name for row in rows for name in row["values"])
    names = dict.fromkeys(name for row in rows for name in row["metrics"])
    metrics = {name: np.array([row["metrics"].get(name, np.nan) for row in rows]) for name in names}
    scores = dict.fromkeys(goal["of"] for row in rows for goal in row["goals"] if goal["kind"] == "score")
    asked = stored_question(folder)
    versions, plugins = asked.get("versions", {}), asked.get("plugins", {})
    chosen = [read_best(text, list(names)) for text in best] or _compared_by(asked)
    laws = [str(name) for name in asked.get("laws", varied)]
    winners = best_values(rows, chosen, laws)
    return StudyTable(folder.name, rows, tuple(varied), metrics, tuple(scores), versions, plugins, winners)


def _compared_by(asked: Mapping[str, Any]) -> list[BestBy]:
    return [read_best(text) for text in asked.get("best_by", []) if isinstance(text, str)]
