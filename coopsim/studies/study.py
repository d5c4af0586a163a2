"""A study: every combination of values, with every seed, in processes of this machine or of a cluster."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from coopsim import plugins
from coopsim.components.measures import USUAL
from coopsim.components.trial import SETTLING
from coopsim.errors import BadArgument
from coopsim.inprocess import DirectSource
from coopsim.processors import usable_cores
from coopsim.recording.writer import versions
from coopsim.replay.run_json import spec_to_json
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation
from coopsim.studies import systems
from coopsim.studies.axes import Axis, combinations, read_axis, sampled
from coopsim.studies.best import BestBy, read_best
from coopsim.studies.changes import with_values
from coopsim.studies.given_law import driven_by
from coopsim.studies.job import AnyJob, Jitter, Job, Row, Task
from coopsim.studies.judging import RunJudge
from coopsim.studies.pool import LocalPool
from coopsim.studies.results import StudyFolder
from coopsim.studies.trial import spec_of

MANY = 10_000
"""More runs are done only when they are confirmed."""
FOLDER = "studies"
LIMIT = 600.0
"""Default time limit of a run [s]."""
_SMALL = 20.0
"""Simulated seconds, times robots, that take no longer than the start of a process."""


_STILL = Jitter()


class RunsTasks(Protocol):
    """What does the runs: processes of this machine, or a cluster."""

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield a row for each task, as runs end."""
        ...


@dataclass(frozen=True)
class Study:
    """What is to be run.

    Attributes:
        job: What all runs have in common.
        tasks: All runs, in order.
        asked: What identifies the study.
        metrics: Names of what is measured from the beginning of the first run on.
        best: By what runs are compared.
        laws: Names of what is varied and chosen; all else that is varied makes up a context.
    """

    job: AnyJob
    tasks: tuple[Task, ...]
    asked: Mapping[str, Any] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    best: tuple[BestBy, ...] = ()
    laws: tuple[str, ...] = ()

    @property
    def comparison(self) -> dict[str, Any]:
        """How runs are compared, for `study.json`."""
        return {"best_by": [str(each) for each in self.best], "laws": list(self.laws)}


@dataclass(frozen=True)
class StudyOptions:
    """How a study is done.

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


def plan(file: str | Path, settings: Sequence[str], options: StudyOptions, folder: Path | None = None) -> Study:
    """Return a study whose scenario, names, values and metrics are all known to be right.

    Args:
        file: A scenario.
        settings: What is varied: `NAME=A:B:STEP` or `NAME=v1,v2`.
        options: How.
        folder: Where recordings go; None = nowhere.

    Raises:
        BadArgument: A value cannot be taken, there is no end, or there are too many runs.
        NoSuchName: A name means nothing in the scenario.
        BadFile: The scenario has mistakes.
        PluginFailed: A metric raises.
    """
    axes = [read_axis(text) for text in settings]
    _check_names(axes)
    if systems.is_system(file):
        return _plan_of_system(file, axes, options)
    if options.scenarios or options.settle is not None:
        raise BadArgument(f"{file} is no system of components, which alone plays --scenario and has --settle")
    spec = driven_by(load(file), options.law) if options.law else load(file)
    duration = spec.scenario.settings.duration if options.duration is None else options.duration
    if duration is None and "simulation.duration" not in {axis.name for axis in axes}:
        raise BadArgument(f"{file} says no duration, and a study needs an end; give --duration SECONDS")
    if spec.commands and not options.allow_commands:
        names = ", ".join(each.run for each in spec.commands)
        raise BadArgument(f"{file}: {names} is a command, not a control law; add --allow-commands to run it")
    values = _combined(axes, options)
    _check_values(spec, values)
    job = _job(spec, duration or 0.0, options, folder)
    tasks = _tasks(values, options)
    measured = _measured(job, tasks[0])
    best = tuple(read_best(text, None if _comes_later(text) else measured) for text in options.best)
    return Study(job, tasks, _asked(file, job, tasks), measured, best, tuple(tasks[0].values))


def _combined(axes: Sequence[Axis], options: StudyOptions) -> Sequence[Mapping[str, str]]:
    """Return the combinations of values that are run."""
    _check_count(axes, options)
    return combinations(axes) if options.sample is None else sampled(axes, options.sample)


def _check_values(spec: RunSpec, values: Sequence[Mapping[str, str]]) -> None:
    """See to it that each value can be taken."""
    for pair in dict.fromkeys(pair for each in values for pair in each.items()):
        with_values(spec, dict([pair]))


def _job(spec: RunSpec, duration: float, options: StudyOptions, folder: Path | None) -> Job:
    """Return what all runs of a scenario have in common."""
    keeps = options.record != "none" and folder is not None
    return Job(
        spec,
        duration,
        options.jitter,
        options.allow_commands,
        options.record if keeps else "none",
        str(folder.resolve() / "recordings") if keeps and folder is not None else "",
        is_real_time=options.is_real_time,
    )


def _comes_later(text: str) -> bool:
    """Return whether a metric may be measured only later in a run, as those with names by its figures."""
    metric = text.partition(":")[0]
    return any(metric == name or metric.startswith(f"{name}_") for name in plugins.registered("metrics"))


def _plan_of_system(file: str | Path, axes: Sequence[Axis], options: StudyOptions) -> Study:
    """Return a study of a system of components."""
    if options.jitter != _STILL or options.record != "none" or options.is_real_time or options.law:
        raise BadArgument(f"{file} is a system of components: no places to vary, no recordings, no real time, no law")
    if len(options.scenarios) > 1 and not options.with_phases:
        raise BadArgument("a search plays one --scenario, with all of its phases; a sweep plays several")
    _check_count(axes, options)
    values = combinations(axes) if options.sample is None else sampled(axes, options.sample)
    settling = SETTLING if options.settle is None else options.settle
    job = systems.system_job(file, options.duration, options.scenarios, settling)
    systems.check_values(job, values)
    tasks = _tasks(systems.with_phases(job, values) if options.with_phases else values, options)
    metrics = systems.metric_names()
    own = job.model.evaluation.measures if job.model.evaluation else ()
    best = tuple(read_best(text, metrics) for text in options.best or own or USUAL)
    laws = tuple(systems.laws_of(job, tasks[0].values))
    return Study(job, tasks, systems.asked(file, job, tasks), metrics, best, laws)


def _tasks(values: Sequence[Mapping[str, str]], options: StudyOptions) -> tuple[Task, ...]:
    pairs = [(each, seed) for each in values for seed in options.seeds]
    return tuple(Task(number, each, seed) for number, (each, seed) in enumerate(pairs))


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
    durations = [float(each.values.get("simulation.duration", study.job.duration)) for each in study.tasks]
    seconds = runs * sum(durations) / len(durations)
    return 1 if seconds * study.job.weight <= _SMALL else usable_cores()


def new_folder(file: str | Path, now: datetime) -> Path:
    """Return the folder of a study that was given none."""
    return Path(FOLDER) / f"{Path(file).stem}-{now:%Y%m%d-%H%M%S}"


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


def _measured(job: Job, task: Task) -> tuple[str, ...]:
    """Measure the beginning of the first run, so that what cannot be made, or a metric that raises, shows now."""
    spec = spec_of(job, task)
    simulation, judge = Simulation(spec), RunJudge(spec)
    source = DirectSource(simulation, published=lambda record: judge.take(simulation.layout, record))
    for _ in range(2):
        source.grant_tick()
        source.work()
    return tuple(judge.verdict().metrics)


def _asked(file: str | Path, job: Job, tasks: Sequence[Task]) -> dict[str, Any]:
    """Return what identifies a study: another answer to any of it is another study."""
    plain = spec_to_json(replace(job.spec, scenario=replace(job.spec.scenario, file="")))
    runs = hashlib.sha256(repr([(sorted(each.values.items()), each.seed) for each in tasks]).encode())
    return {
        "scenario": Path(file).stem,
        "scenario_sha256": hashlib.sha256(plain.encode()).hexdigest(),
        "varied": {name: sorted({each.values[name] for each in tasks})[:100] for name in tasks[0].values},
        "seeds": len({each.seed for each in tasks}),
        "runs": len(tasks),
        "runs_sha256": runs.hexdigest(),
        "duration": job.duration,
        "jitter": [job.jitter.distance, job.jitter.angle],
        "plugins": {Path(name).name: hashlib.sha256(raw).hexdigest() for name, raw in job.plugins},
        "versions": versions(),
        **({"mode": "real-time"} if job.is_real_time else {}),
    }
