"""A study: every combination of values, with every seed, in processes of this machine or of a cluster."""

import hashlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from coopsim import plugins
from coopsim.errors import BadArgument, PluginClash
from coopsim.features.studies.axes import Axis, combinations, read_axis, sampled
from coopsim.features.studies.best import BestBy
from coopsim.features.studies.job import Jitter, Job, Row, Task
from coopsim.features.studies.pool import LocalPool
from coopsim.features.studies.results import StudyFolder
from coopsim.processors import usable_cores
from coopsim.recording.writer import versions

MANY = 10_000
"""More runs are done only when they are confirmed."""
FOLDER = "studies"
LIMIT = 600.0
"""Default time limit of a run [s]."""
_SMALL = 20.0
"""Simulated seconds, times robots, that take no longer than the start of a process."""
GROUP = "jobs"
"""The group of plugins that plan studies."""
_SCENARIO = "scenario"
"""The kind of job that has every file that no other kind reads."""
_OPTIONS = {
    "duration": "--duration",
    "jitter": "--jitter",
    "allow_commands": "--allow-commands",
    "record": "--record",
    "is_real_time": "--real-time",
    "scenarios": "--scenario",
    "settle": "--settle",
    "law": "law",
}
"""Options that some kinds of jobs have, as users write them."""
_STILL = Jitter()


class RunsTasks(Protocol):
    """Executor of the runs: processes of this machine, or a cluster."""

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield a row for each task, as runs end."""
        ...


@dataclass(frozen=True)
class Study:
    """Runs to be done, planned.

    Attributes:
        job: What all runs have in common.
        tasks: All runs, in order.
        asked: What identifies the study.
        metrics: Names of what is measured from the beginning of the first run on.
        best: By what runs are compared.
        laws: Names of what is varied and chosen; all else that is varied makes up a context.
    """

    job: Job
    tasks: tuple[Task, ...]
    asked: Mapping[str, Any] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    best: tuple[BestBy, ...] = ()
    laws: tuple[str, ...] = ()

    @property
    def comparison(self) -> dict[str, Any]:
        """Terms of the comparison of runs, for `study.json`."""
        return {"best_by": [str(best) for best in self.best], "laws": list(self.laws)}


@dataclass(frozen=True)
class StudyOptions:
    """Options of a study.

    Attributes:
        seeds: The seeds of each combination.
        sample: Number of combinations of a Latin hypercube; None = all combinations.
        duration: Simulated time after which a run ends [s]; None = the scenario's.
        jitter: Of the robots' first poses.
        allow_commands: Whether controllers may be commands.
        record: Which runs are recorded: "none", "failures" or "all".
        confirmed: Whether more than `MANY` runs are meant.
        is_real_time: Whether runs keep pace with the clock on the wall.
        best: By what runs are compared, `METRIC` or `METRIC:max`; () = what the system says.
        scenarios: Of a system of components: what is played, files or built-in names.
        settle: Of a system of components: what of the beginning of each phase does not count [s].
        with_phases: Whether each phase of a scenario is a run of its own; else all phases count together.
        law: Name of a registered control law that takes the place of the scenario's; "" = none does.
    """

    seeds: tuple[int, ...] = (0,)
    sample: int | None = None
    duration: float | None = None
    jitter: Jitter = _STILL
    allow_commands: bool = False
    record: str = "none"
    confirmed: bool = False
    is_real_time: bool = False
    best: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    settle: float | None = None
    with_phases: bool = True
    law: str = ""


class JobKind(Protocol):
    """Plans studies of one kind of file; registered as an object in `coopsim.jobs`.

    Attributes:
        takes: Those members of `StudyOptions` that the kind has besides seeds, samples and metrics; others are refused.
    """

    takes: Collection[str]

    def reads(self, file: str | Path) -> bool:
        """Return whether a file is of this kind."""
        ...

    def plan(self, file: str | Path, axes: Sequence[Axis], options: StudyOptions, folder: Path | None) -> Study:
        """Return a study whose names, values and metrics are all known to be right.

        Args:
            file: What is studied.
            axes: What is varied.
            options: How.
            folder: Where recordings go; None = nowhere.
        """
        ...


def plan(file: str | Path, settings: Sequence[str], options: StudyOptions, folder: Path | None = None) -> Study:
    """Return a study whose scenario, names, values and metrics are all known to be right.

    Args:
        file: A scenario, or a file of another kind of job.
        settings: What is varied: `NAME=A:B:STEP` or `NAME=v1,v2`.
        options: How.
        folder: Where recordings go; None = nowhere.

    Raises:
        BadArgument: A value cannot be taken, there is no end, or there are too many runs.
        NoSuchName: A name means nothing in the scenario.
        BadFile: The scenario has mistakes.
        PluginFailed: A metric, or the kind of job, raises.
    """
    axes = [read_axis(text) for text in settings]
    _check_names(axes)
    name = _kind_of(file)
    kind: JobKind = plugins.load(GROUP, name)
    with plugins.blamed(f"job {name}"):
        _check_options(f"{file}: the study of a {name}", kind.takes, options)
        return kind.plan(file, axes, options, folder)


def _check_options(study: str, takes: Collection[str], options: StudyOptions) -> None:
    """Refuse the options that a kind of job does not have."""
    for option in fields(options):
        is_given = getattr(options, option.name) != option.default
        if option.name in _OPTIONS and is_given and option.name not in takes:
            names = ", ".join(text for name, text in _OPTIONS.items() if name in takes)
            raise BadArgument(f"{study} has no {_OPTIONS[option.name]}" + (f"; it has {names}" if names else ""))


def _kind_of(file: str | Path) -> str:
    """Return the name of the kind of job that reads a file.

    Raises:
        PluginClash: Several do.
    """
    others = [name for name in plugins.registered(GROUP) if name != _SCENARIO]
    kinds = []
    for name in others:
        with plugins.blamed(f"job {name}"):
            kinds += [name] * bool(plugins.load(GROUP, name).reads(file))
    if len(kinds) > 1:
        raise PluginClash(f"{file} is a study of several kinds: {', '.join(kinds)}; rename the file")
    return kinds[0] if kinds else _SCENARIO


def combined(axes: Sequence[Axis], options: StudyOptions) -> Sequence[Mapping[str, str]]:
    """Return the combinations of values that are run.

    Raises:
        BadArgument: They are too many, or a range has no step.
    """
    _check_count(axes, options)
    return combinations(axes) if options.sample is None else sampled(axes, options.sample)


def tasks_of(values: Sequence[Mapping[str, str]], options: StudyOptions) -> tuple[Task, ...]:
    """Return a run for each combination and seed."""
    pairs = [(value, seed) for value in values for seed in options.seeds]
    return tuple(Task(number, values, seed) for number, (values, seed) in enumerate(pairs))


def rows_of(study: Study, runner: RunsTasks, folder: StudyFolder | None = None) -> Iterator[Row]:
    """Yield the rows of the runs that are still to be done, as they end, and keep them.

    Args:
        study: What is run.
        runner: What does it.
        folder: Where rows are kept; None = nowhere.
    """
    done = set() if folder is None else set(folder.rows)
    left = [task for task in study.tasks if task.number not in done]
    with closing(runner.rows(left)) as rows:  # type: ignore[type-var]  # all of them are generators
        for row in rows:
            if folder is not None:
                folder.add(row)
            yield row


def local(study: Study, workers: int | None = None, limit: float = LIMIT, runs: int | None = None) -> LocalPool:
    """Return processes of this machine.

    Args:
        study: What they do.
        workers: How many; None = one for each core, a single one where it is done before others have started.
        limit: Real time that a run may take [s].
        runs: How many; None = those of the study.
    """
    count = len(study.tasks) if runs is None else runs
    return LocalPool(study.job, min(workers or _worth(study, count), count), limit)


def _worth(study: Study, runs: int) -> int:
    """Return how many processes this number of runs is worth."""
    costs = [study.job.cost(task) for task in study.tasks]
    return 1 if runs * sum(costs) / len(costs) <= _SMALL else usable_cores()


def new_folder(file: str | Path, now: datetime) -> Path:
    """Return the folder of a study that was given none: one that is not there yet, also for the second in a second."""
    first = Path(FOLDER) / f"{Path(file).stem}-{now:%Y%m%d-%H%M%S}"
    later = (first.with_name(f"{first.name}-{number}") for number in itertools.count(2))
    return next(folder for folder in itertools.chain([first], later) if not folder.exists())


def _check_names(axes: Sequence[Axis]) -> None:
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadArgument(f"--set {twice} is given twice; give all of its values at once: {twice}=v1,v2")


def _check_count(axes: Sequence[Axis], options: StudyOptions) -> None:
    count = len(options.seeds)
    if options.sample is not None:
        count *= options.sample
    else:
        for axis in axes:
            count *= max(1, len(axis.values))
    if count > MANY and not options.confirmed:
        text = f"these are {count} runs; add --yes to do them all, or --sample N to do some of them"
        raise BadArgument(text).advise("")


def identity(file: str | Path, content: str, job: Job, tasks: Sequence[Task]) -> dict[str, Any]:
    """Return what identifies a study: another answer to any of it is another study.

    Args:
        file: What is studied.
        content: All that is in it, as text.
        job: What all runs have in common.
        tasks: All runs.
    """
    runs = hashlib.sha256(repr([(sorted(task.values.items()), task.seed) for task in tasks]).encode())
    return {
        "scenario": Path(file).stem,
        "scenario_sha256": hashlib.sha256(content.encode()).hexdigest(),
        "varied": {name: sorted({task.values[name] for task in tasks})[:100] for name in tasks[0].values},
        "seeds": len({task.seed for task in tasks}),
        "runs": len(tasks),
        "runs_sha256": runs.hexdigest(),
        "plugins": {Path(name).name: hashlib.sha256(raw).hexdigest() for name, raw in job.plugins},
        "versions": versions(),
    }
