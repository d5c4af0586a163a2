"""A search for the values with which a metric is best, by Optuna."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.errors import BadArgument, NoSuchPlugin
from coopsim.studies.axes import Axis, in_text, read_axis
from coopsim.studies.job import Row, Task
from coopsim.studies.results import StudyFolder
from coopsim.studies.study import RunsTasks, Study, StudyOptions, plan

JOURNAL = "search.journal"
"""File in the folder of a search, which several processes may share."""


@dataclass(frozen=True)
class SearchTarget:
    """What is searched for.

    Attributes:
        metric: Whose mean over the seeds counts.
        is_maximum: Whether the largest value is best, not the smallest.
        trials: How many combinations of values are tried.
    """

    metric: str
    is_maximum: bool
    trials: int


class ValueSearch:
    """Asks for values that promise most, and learns from the rows of their runs.

    Args:
        study: What all runs have in common, and what identifies it.
        axes: What is varied; ranges without steps are continuous.
        seeds: With which each combination is run.
        target: What is searched for.
        folder: Where the search is kept.

    Raises:
        BadArgument: The folder holds a search for something else.
        NoSuchPlugin: The package is not installed.
    """

    def __init__(
        self, study: Study, axes: Sequence[Axis], seeds: Sequence[int], target: SearchTarget, folder: Path
    ) -> None:
        self._job, self._axes, self._seeds, self._target = study.job, axes, seeds, target
        self._optuna = _optuna(folder, target)
        self._asked: dict[int, Any] = {}
        self._rows: dict[int, list[Row]] = {}

    def rows(self, runner: RunsTasks, kept: StudyFolder) -> Iterator[Row]:
        """Yield the rows of the runs that are still to be done, as they end, and keep them."""
        for row in runner.rows(self._tasks()):
            kept.add(row)
            self._learn(row)
            yield row

    @property
    def best(self) -> tuple[dict[str, str], float] | None:
        """The best values so far, and their metric; None where no run had it."""
        done = [trial for trial in self._optuna.trials if trial.value is not None]
        if not done:
            return None
        found = self._optuna.best_trial
        return found.user_attrs["values"], float(found.value)

    def _tasks(self) -> Iterator[Task]:
        done = sum(trial.state.is_finished() for trial in self._optuna.trials)
        for _ in range(self._target.trials - done):
            trial = self._optuna.ask()
            values = {axis.name: _suggested(trial, axis) for axis in self._axes}
            trial.set_user_attr("values", values)
            self._asked[trial.number], self._rows[trial.number] = trial, []
            for place, seed in enumerate(self._seeds):
                yield Task(trial.number * len(self._seeds) + place, values, seed)

    def _learn(self, row: Row) -> None:
        number = row["number"] // len(self._seeds)
        rows = self._rows[number]
        rows.append(row)
        if len(rows) < len(self._seeds):
            return
        values = [each["metrics"][self._target.metric] for each in rows if self._target.metric in each["metrics"]]
        trial = self._asked.pop(number)
        if len(values) < len(rows):
            self._optuna.tell(trial, state=_failed())
        else:
            self._optuna.tell(trial, float(np.mean(values)))


def _suggested(trial: Any, axis: Axis) -> str:
    if axis.span and not axis.values:
        return in_text(trial.suggest_float(axis.name, *axis.span))
    return str(trial.suggest_categorical(axis.name, list(axis.values)))


def _failed() -> Any:
    from optuna.trial import TrialState

    return TrialState.FAIL


def _optuna(folder: Path, target: SearchTarget) -> Any:
    try:
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
        from optuna.study import StudyDirection
    except ImportError:
        raise NoSuchPlugin("a search needs the package optuna: pip install 'coopsim[studies]'").advise("") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    folder.mkdir(parents=True, exist_ok=True)
    storage = JournalStorage(JournalFileBackend(str(folder / JOURNAL)))
    direction = StudyDirection.MAXIMIZE if target.is_maximum else StudyDirection.MINIMIZE
    sampler = optuna.samplers.TPESampler(seed=0)
    found = optuna.create_study(
        storage=storage, study_name=target.metric, direction=direction, sampler=sampler, load_if_exists=True
    )
    if found.direction != direction:
        raise BadArgument(f"{folder} holds a search for the other end of {target.metric}; give another --out")
    return found


def planned(
    file: str | Path, settings: Sequence[str], options: StudyOptions, folder: Path, target: SearchTarget
) -> Study:
    """Return a study of the first values, checked, whose identity names what is searched for in place of its runs.

    Args:
        file: A scenario.
        settings: What is varied.
        options: How.
        folder: Where recordings go.
        target: What is searched for.

    Raises:
        CoopsimError: As `plan` does.
    """
    texts = [f"{axis.name}={','.join(axis.values or map(in_text, axis.span))}" for axis in map(read_axis, settings)]
    study = plan(file, texts, options, folder)
    asked = {name: each for name, each in study.asked.items() if name not in {"runs", "runs_sha256", "varied"}}
    return replace(study, asked={**asked, "varied": list(settings), "metric": target.metric})
