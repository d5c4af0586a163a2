"""Studies of scenarios: the kind of job that every file is of which no other kind reads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.errors import BadArgument
from coopsim.features.studies.axes import Axis
from coopsim.features.studies.best import read_best
from coopsim.features.studies.changes import with_values
from coopsim.features.studies.given_law import driven_by
from coopsim.features.studies.job import Task
from coopsim.features.studies.study import Study, StudyOptions, combined, identity, tasks_of
from coopsim.features.studies.trial import ScenarioJob, spec_of
from coopsim.inprocess import DirectSource
from coopsim.replay.judging import RunJudge
from coopsim.replay.run_json import spec_to_json
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation


class ScenarioStudies:
    """Plans studies of scenarios."""

    takes = ("duration", "jitter", "allow_commands", "record", "is_real_time", "law")

    def reads(self, file: str | Path) -> bool:
        """Return whether a file is a scenario by its suffix."""
        return Path(file).suffix == ".scenario"

    def plan(self, file: str | Path, axes: Sequence[Axis], options: StudyOptions, folder: Path | None) -> Study:
        """Return a study of a scenario.

        Raises:
            BadArgument: A value cannot be taken, there is no end, or there are too many runs.
            NoSuchName: A name means nothing in the scenario.
            BadFile: The scenario has mistakes.
            PluginFailed: A metric raises.
        """
        spec = driven_by(load(file), options.law) if options.law else load(file)
        duration = spec.scenario.settings.duration if options.duration is None else options.duration
        if duration is None and "simulation.duration" not in {axis.name for axis in axes}:
            raise BadArgument(f"{file} says no duration, and a study needs an end; give --duration SECONDS")
        if spec.commands and not options.allow_commands:
            names = ", ".join(command.run for command in spec.commands)
            raise BadArgument(f"{file}: {names} is a command, not a control law; add --allow-commands to run it")
        values = combined(axes, options)
        _check_values(spec, values)
        job = _job(spec, duration or 0.0, options, folder)
        tasks = tasks_of(values, options)
        measured = _measured(job, tasks[0])
        best = tuple(read_best(text, None if _comes_later(text) else measured) for text in options.best)
        return Study(job, tasks, _identity(file, job, tasks), measured, best, tuple(tasks[0].values))


def _check_values(spec: RunSpec, values: Sequence[Mapping[str, str]]) -> None:
    """See to it that each value can be taken."""
    for pair in dict.fromkeys(pair for value in values for pair in value.items()):
        with_values(spec, dict([pair]))


def _job(spec: RunSpec, duration: float, options: StudyOptions, folder: Path | None) -> ScenarioJob:
    """Return what all runs of a scenario have in common."""
    keeps = options.record != "none" and folder is not None
    return ScenarioJob(
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


def _measured(job: ScenarioJob, task: Task) -> tuple[str, ...]:
    """Measure the beginning of the first run, so that what cannot be made, or a metric that raises, shows now."""
    spec = spec_of(job, task)
    simulation, judge = Simulation(spec), RunJudge(spec)
    source = DirectSource(simulation, published=lambda record: judge.add(simulation.layout, record))
    for _ in range(2):
        source.grant_tick()
        source.work()
    return tuple(judge.verdict().metrics)


def _identity(file: str | Path, job: ScenarioJob, tasks: Sequence[Task]) -> dict[str, Any]:
    """Return what identifies a study of a scenario."""
    content = spec_to_json(replace(job.spec, scenario=replace(job.spec.scenario, file="")))
    return {
        **identity(file, content, job, tasks),
        "duration": job.duration,
        "jitter": [job.jitter.distance, job.jitter.angle],
        **({"mode": "real-time"} if job.is_real_time else {}),
    }


SCENARIOS = ScenarioStudies()
