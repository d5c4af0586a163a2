"""A search for the values with which a metric is best, by Optuna."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from coopsim import plugins
from coopsim.errors import BadArgument, NoSuchName, NoSuchPlugin
from coopsim.features.studies.axes import Axis, in_text, read_axis
from coopsim.features.studies.job import Row, Task
from coopsim.features.studies.results import StudyFolder
from coopsim.features.studies.study import RunsTasks, Study, StudyOptions, plan
from coopsim.interpreter import extra_command
from coopsim.scene import choices, hint

JOURNAL = "search.journal"
"""File in the folder of a search, which several processes may share."""


SAMPLERS = ("tpe", "cma")


@dataclass(frozen=True)
class SearchTarget:
    """Goal of a search.

    Attributes:
        metric: Whose mean over the seeds counts.
        is_maximum: Whether the largest value is best, not the smallest.
        trials: How many combinations of values are tried, by all processes together.
        sampler: How values are chosen, one of `SAMPLERS`.
    """

    metric: str
    is_maximum: bool
    trials: int
    sampler: str = "tpe"


class ValueSearch:
    """Asks for values that promise most, and learns from the rows of their runs.

    Several processes may work on the same search; each learns from the runs of all. What a process that died had begun
    is done again by the next one that finds itself alone.

    Args:
        study: What all runs have in common, and what identifies it.
        axes: What is varied; ranges without steps are continuous.
        seeds: With which each combination is run.
        target: What is searched for.
        kept: Where the search is kept.

    Raises:
        BadArgument: The folder holds a search for something else, or the sampler cannot vary these.
        NoSuchPlugin: A package for it is not installed.
    """

    def __init__(
        self, study: Study, axes: Sequence[Axis], seeds: Sequence[int], target: SearchTarget, kept: StudyFolder
    ) -> None:
        self._job, self._axes, self._seeds, self._target, self._kept = study.job, axes, seeds, target, kept
        self._optuna = _optuna(kept, target, axes)
        self._asked: dict[int, Any] = {}
        self._rows: dict[int, list[Row]] = {}
        if kept.is_alone:
            self._begin_again()
        kept.share()

    def rows(self, runner: RunsTasks) -> Iterator[Row]:
        """Yield the rows of the runs that are still to be done, as they end, and keep them."""
        for row in runner.rows(self._tasks()):
            self._kept.add(row)
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

    def _begin_again(self) -> None:
        """Give up what nobody does any longer; its values are tried again."""
        left = [trial for trial in self._optuna.get_trials(deepcopy=False) if trial.state.name == "RUNNING"]
        numbers = {trial.number for trial in left}
        self._kept.keep_only(lambda row: row["number"] // len(self._seeds) not in numbers)
        for each in left:
            self._give_up(_trial(self._optuna, each))
            if each.params:
                self._optuna.enqueue_trial(each.params)

    def _tasks(self) -> Iterator[Task]:
        while (trial := self._next()) is not None:
            values = {axis.name: _suggested(trial, axis) for axis in self._axes}
            trial.set_user_attr("values", values)
            self._asked[trial.number], self._rows[trial.number] = trial, []
            for place, seed in enumerate(self._seeds):
                yield Task(trial.number * len(self._seeds) + place, values, seed)

    def _next(self) -> Any:
        """Return a trial to do; None when as many as asked for are done or being done, here or elsewhere."""
        if self._count() >= self._target.trials:
            return None
        trial = self._optuna.ask()
        if self._count(trial.number) < self._target.trials:
            return trial
        self._give_up(trial)  # another process was faster
        return None

    def _count(self, below: float = math.inf) -> int:
        trials = self._optuna.get_trials(deepcopy=False)
        return sum(
            trial.number < below and trial.state.name != "WAITING" and _GIVEN_UP not in trial.user_attrs
            for trial in trials
        )

    def _give_up(self, trial: Any) -> None:
        trial.set_user_attr(_GIVEN_UP, True)
        self._optuna.tell(trial, state=_failed())

    def _learn(self, row: Row) -> None:
        number = row["number"] // len(self._seeds)
        rows = self._rows[number]
        rows.append(row)
        if len(rows) < len(self._seeds):
            return
        values = [row["metrics"][self._target.metric] for row in rows if self._target.metric in row["metrics"]]
        trial = self._asked.pop(number)
        del self._rows[number]
        if len(values) < len(rows):
            self._optuna.tell(trial, state=_failed())
        else:
            self._optuna.tell(trial, float(np.mean(values)))


_GIVEN_UP = "given_up"


def _suggested(trial: Any, axis: Axis) -> str:
    if not axis.span:
        return str(trial.suggest_categorical(axis.name, list(axis.values)))
    if axis.values:  # steps of a range, in their order
        return axis.values[int(trial.suggest_int(axis.name, 0, len(axis.values) - 1))]
    return in_text(trial.suggest_float(axis.name, *axis.span))


def _failed() -> Any:
    from optuna.trial import TrialState

    return TrialState.FAIL


def _trial(study: Any, frozen: Any) -> Any:
    from optuna.trial import Trial

    return Trial(study, frozen._trial_id)  # noqa: SLF001 - optuna has no other way to one that was begun elsewhere


def _optuna(kept: StudyFolder, target: SearchTarget, axes: Sequence[Axis]) -> Any:
    try:
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
        from optuna.study import StudyDirection
    except ImportError:
        raise NoSuchPlugin("a search needs the package optuna").advise(extra_command("studies")) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(kept.path / JOURNAL)))
    direction = StudyDirection.MAXIMIZE if target.is_maximum else StudyDirection.MINIMIZE
    study = optuna.create_study(storage=storage, study_name=target.metric, direction=direction, load_if_exists=True)
    if study.direction != direction:
        raise BadArgument(f"{kept.path} holds a search for the other end of {target.metric}; give another --out")
    # as many trials as there are make another seed: who goes on does not begin with the same values
    seed = len(study.get_trials(deepcopy=False)) if kept.is_alone else None
    study.sampler = _sampler(target.sampler, axes, seed)
    return study


def _sampler(name: str, axes: Sequence[Axis], seed: int | None) -> Any:
    import optuna

    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    if sum(bool(axis.span) for axis in axes) < 2:
        raise BadArgument(
            "--sampler cma needs two ranges at least, as --set NAME=A:B; for lists, or one range, use tpe"
        )
    if find_spec("cmaes") is None:
        raise NoSuchPlugin("--sampler cma needs the package cmaes").advise(extra_command("studies"))
    return optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)


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
    study = plan(file, texts, replace(options, with_phases=False), folder)
    _check_metric(target.metric, study.metrics)
    asked = {name: value for name, value in study.asked.items() if name not in {"runs", "runs_sha256", "varied"}}
    return replace(study, asked={**asked, "varied": list(settings), "metric": target.metric})


def _check_metric(metric: str, measured: Sequence[str]) -> None:
    """See to it that there may be such a metric; some are measured only later in a run.

    Raises:
        NoSuchName: There is none.
    """
    owners = [name for name in plugins.registered("metrics") if metric == name or metric.startswith(f"{name}_")]
    comes_later = owners and not any(name.startswith(tuple(owners)) for name in measured)
    if metric not in measured and not comes_later:
        raise NoSuchName(
            f"no run has a metric {metric!r}{hint(metric, measured)}; there are: {choices(measured)}"
        ).advise("")
