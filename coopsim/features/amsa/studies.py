"""Studies of systems of components: every combination of parameters, with every seed."""

import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.errors import BadArgument, NoSuchName, PluginFailed
from coopsim.features.amsa.components import LeafKind, System, SystemModel, load_scenario, load_system
from coopsim.features.amsa.components.files import BUILT_IN, SYSTEM
from coopsim.features.amsa.components.measures import FIGURES, USUAL, SystemMetric, SystemRun, rms_error
from coopsim.features.amsa.components.scenario import ScenarioStep, steps_of
from coopsim.features.amsa.components.trial import SETTLING, PhaseResult, play, usual_duration
from coopsim.features.studies.axes import Axis
from coopsim.features.studies.best import read_best
from coopsim.features.studies.job import Job, Row, Task, begun_row
from coopsim.features.studies.study import Study, StudyOptions, combined, identity, tasks_of
from coopsim.suggest import hint, listed

# small, since a study of a few short systems is over before more processes have begun
_WEIGHT = 0.01
"""Cost of a simulated second of a system, where that of one robot is 1."""
DURATION = 100.0
"""Simulated time of a run where none is given [s]."""
SCENARIO, PHASE = "scenario", "phase"
"""Names of what a study varies besides parameters: which scenario is played, and which of its phases is measured."""


@dataclass(frozen=True)
class SystemJob(Job):
    """The common part of all runs of a system of components.

    Attributes:
        model: What is run before values are changed.
        duration: Simulated time of a run [s].
        scenarios: What can be played, by name; () = parameters stay.
        settling: What of the beginning of each phase does not count [s].
        is_cut: Whether the duration was asked for; else each scenario has its own.
    """

    model: SystemModel
    duration: float
    scenarios: tuple[tuple[str, tuple[ScenarioStep, ...]], ...] = ()
    settling: float = SETTLING
    is_cut: bool = False

    def cost(self, _task: Task) -> float:
        """Return the simulated time of a run [s], which is cheap: there are no bodies."""
        return self.duration * _WEIGHT

    def run(self, task: Task) -> Row:
        """Return the row of a run."""
        return _run(self, task)


class SystemStudies:
    """Plans studies of systems of components: every combination of parameters, with every seed."""

    takes = ("duration", "scenarios", "settle")

    def reads(self, file: str | Path) -> bool:
        """Return whether a file is a system of components: a file `.amsa`, or a built-in one by its name."""
        return Path(file).suffix == SYSTEM or (not Path(file).exists() and (BUILT_IN / f"{file}{SYSTEM}").is_file())

    def plan(self, file: str | Path, axes: Sequence[Axis], options: StudyOptions, _folder: Path | None) -> Study:
        """Return a study of a system of components.

        Raises:
            BadArgument: A value cannot be taken, or there are too many runs.
            NoSuchName: A name means no leaf.
            BadFile: The system or a scenario has mistakes.
        """
        if len(options.scenarios) > 1 and not options.with_phases:
            raise BadArgument("a search plays one --scenario, with all of its phases; a sweep plays several")
        values = combined(axes, options)
        settling = SETTLING if options.settle is None else options.settle
        job = system_job(file, options.duration, options.scenarios, settling)
        check_values(job, values)
        tasks = tasks_of(with_phases(job, values) if options.with_phases else values, options)
        metrics = metric_names()
        own = job.model.evaluation.measures if job.model.evaluation else ()
        best = tuple(read_best(text, metrics) for text in options.best or own or USUAL)
        return Study(job, tasks, _identity(file, job, tasks), metrics, best, tuple(laws_of(job, tasks[0].values)))


SYSTEMS = SystemStudies()


def _identity(file: str | Path, job: SystemJob, tasks: Sequence[Task]) -> dict[str, Any]:
    # what is run, not its file: a comment that changes makes no other study
    content = repr((job.model, job.scenarios))
    return {**identity(file, content, job, tasks), "duration": job.duration, "settling": job.settling}


def system_job(
    file: str | Path, duration: float | None, scenarios: Sequence[str] = (), settling: float = SETTLING
) -> SystemJob:
    """Return what all runs of a study of a system have in common.

    Raises:
        BadFile: The system or a scenario has mistakes, or they do not fit.
        BadArgument: It evaluates no data.
    """
    model = load_system(file)
    if model.evaluation is None:
        raise BadArgument(f"{file} evaluates no data; add `evaluate DATA reference VALUE;` to compare runs by")
    played = tuple((Path(name).stem, steps_of(load_scenario(name), model)) for name in scenarios)
    names = [name for name, _ in played]
    if len(set(names)) < len(names):
        raise BadArgument(f"--scenario: two scenarios are called {names[0]!r}; rename a file")
    usual = max((float(usual_duration(steps)) for _, steps in played), default=DURATION)
    return SystemJob(model, duration or usual, scenarios=played, settling=settling, is_cut=duration is not None)


def metric_names() -> tuple[str, ...]:
    """Return the names of all metrics of runs of a system."""
    return (*FIGURES, *_metrics_of_plugins())


def laws_of(job: SystemJob, values: Mapping[str, str]) -> list[str]:
    """Return the names among those varied that are parameters of control laws; all others make up a context."""
    leaves = job.model.leaves
    return [
        name
        for name in values
        if "." in name and leaves[_leaf(job.model, name.partition(".")[0])].kind is LeafKind.CONTROL
    ]


def with_phases(job: SystemJob, values: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return every combination with every scenario, and every phase where it has several."""
    if not job.scenarios:
        return list(values)
    return [
        {SCENARIO: name, **({PHASE: str(number)} if count > 1 else {}), **value}
        for value in values
        for name, steps in job.scenarios
        for count in [len(_bounds(steps, _duration(job, steps)))]
        for number in range(1, count + 1)
    ]


def _duration(job: SystemJob, steps: tuple[ScenarioStep, ...]) -> Fraction:
    return Fraction(job.duration) if job.is_cut or not job.scenarios else usual_duration(steps)


def _bounds(steps: tuple[ScenarioStep, ...], duration: Fraction) -> list[Fraction]:
    """Return when the phases of a scenario end."""
    # fractions: phases that are meant to begin together must not differ in the last digit
    begins = sorted({Fraction(0), *(step.at for step in steps if step.at < duration)})
    return [*begins[1:], duration]


def check_values(job: SystemJob, values: Sequence[Mapping[str, str]]) -> None:
    """Check every value of a study.

    Raises:
        NoSuchName: A name means no leaf.
        NoSuchCommand: A leaf has no such parameter.
        BadArgument: A value is out of its range.
    """
    # one system for all values: to make one for each would take most of the time of a large study
    system = System(job.model)
    for name, value in dict.fromkeys(pair for assignment in values for pair in assignment.items()):
        if name not in (SCENARIO, PHASE):
            _set(system, name, value)


def _run(job: SystemJob, task: Task) -> Row:
    """Return the row of a run: the figures of its evaluated data, without the start, of one phase or of all.

    What is varied stays as it is, whatever the scenario sets.

    Raises:
        BadArgument: A value cannot be taken.
        PluginFailed: A leaf was switched off, or a metric raises.
    """
    begun = time.perf_counter()
    system = System(job.model, seed=task.seed)
    values = {name: value for name, value in task.values.items() if name not in (SCENARIO, PHASE)}
    for name, value in values.items():
        _set(system, name, value)
    system.initialize()
    # or the scenario would set back what the study varies, and all its rows would be equal
    steps = _without(_steps(job, task), job.model, values)
    bounds = _bounds(steps, _duration(job, steps))
    count = int(task.values.get(PHASE, len(bounds)))
    series = _Series(system, _metrics_of_plugins())
    results = play(system, steps, bounds[count - 1], look=series.look)
    if system.faults:
        raise BadArgument(str(system.faults[0]))
    measured = results[count - 1 :] if PHASE in task.values else results
    factor = float(bounds[count - 1]) / max(1e-9, time.perf_counter() - begun)
    # repr gives every digit of a float: equal digests are equal values
    digest = hashlib.sha256(repr([evaluation.values for evaluation in measured]).encode()).hexdigest()[:32]
    metrics = _figures(job, measured) | series.metrics(job, measured)
    ended = {"success": True, "metrics": metrics, "ticks": system.instant, "state_hash": digest}
    return {**begun_row(task), **ended, "real_time_factor": factor}


def _steps(job: SystemJob, task: Task) -> tuple[ScenarioStep, ...]:
    played = dict(job.scenarios)
    if not played:
        return ()
    return played[task.values.get(SCENARIO, next(iter(played)))]


def _without(
    steps: tuple[ScenarioStep, ...], model: SystemModel, values: Mapping[str, str]
) -> tuple[ScenarioStep, ...]:
    """Return what a scenario does but the settings of what is varied."""
    varied = {(_leaf(model, name.partition(".")[0]), name.partition(".")[2]) for name in values}
    return tuple(
        replace(step, settings=tuple(setting for setting in step.settings if setting[:2] not in varied))
        for step in steps
    )


def _figures(job: SystemJob, phases: Sequence[PhaseResult]) -> dict[str, float]:
    """Return the figures of phases together: errors over all of them, the worst overshoot and settling time."""
    evaluation = job.model.evaluation
    assert evaluation is not None  # noqa: S101 - a job has one
    rows = [phase.to_json(evaluation.reference, job.settling) for phase in phases if phase.values]
    settled = [piece for phase in phases if phase.values for piece in phase.counted(job.settling)]
    whole = {name: max(float(row[name]) for row in rows) for name in FIGURES}
    return whole | {
        "rms_error": rms_error(settled, evaluation.reference),
        "final_distance": float(rows[-1]["final_distance"]),
    }


def _metrics_of_plugins() -> tuple[str, ...]:
    names = (name for name in plugins.registered("metrics") if plugins.is_foreign("metrics", name))
    return tuple(name for name in names if isinstance(plugins.load("metrics", name), SystemMetric))


class _Series:
    """All data of a run over time, for the metrics of plugins; kept where there are such.

    Args:
        system: What runs.
        names: Of the metrics.
    """

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self._system, self._names = system, names
        self._times: list[float] = []
        self._values: dict[str, list[Any]] = {name: [] for name in system.values()} if names else {}
        self.look = self._sample if names else None

    def _sample(self, seconds: float) -> None:
        self._times.append(seconds)
        for name, value in self._system.values().items():
            self._values[name].append(value)

    def metrics(self, job: SystemJob, phases: Sequence[PhaseResult]) -> dict[str, float]:
        """Return the metrics from the first to the last of these phases.

        Raises:
            PluginFailed: One raises, or returns no number.
        """
        figures: dict[str, float] = {}
        evaluation = job.model.evaluation
        assert evaluation is not None  # noqa: S101 - a job has one
        begin, end = phases[0].at, phases[-1].end
        kept = [place for place, seconds in enumerate(self._times) if begin <= seconds < end]
        times = [self._times[place] for place in kept]
        values = {name: [column[place] for place in kept] for name, column in self._values.items()}
        run = SystemRun(times, values, evaluation.reference, begin + job.settling, end)
        for name in self._names:
            with plugins.blamed(f"metric {name}"):
                value = plugins.load("metrics", name).measure(run)
            if value is None:
                continue
            # checked here, since a NaN would spoil means and plots of all rows without a word
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise PluginFailed(f"metric {name}: expected a number, or None, got {value!r}")
            figures[name] = float(value)
        return figures


def _set(system: System, name: str, value: str) -> None:
    """Set a parameter, addressed by its leaf, or by a template that only one leaf has."""
    owner, _, parameter = name.partition(".")
    leaf = _leaf(system.model, owner)
    declared = system.model.leaves[leaf].template.parameter(parameter)
    is_text = declared is not None and declared.type == "text"
    try:
        system.set_parameter(leaf, parameter, value if is_text else float(value))
    except ValueError:
        raise BadArgument(f"{name} must be a number, got {value!r}") from None


def _leaf(model: SystemModel, owner: str) -> str:
    if owner in model.leaves:
        return owner
    named = [leaf.name for leaf in model.leaves.values() if leaf.template.name == owner]
    if len(named) == 1:
        return named[0]
    if named:
        raise NoSuchName(f"template {owner} has several leaves: {', '.join(named)}; name one of them").advise("")
    text = f"no component {owner!r}{hint(owner, model.leaves)}; there are: {listed(model.leaves)}"
    raise NoSuchName(text).advise("")
