"""Studies of systems of components: every combination of parameters, with every seed."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from coopsim.components import LeafKind, System, SystemModel, load_system
from coopsim.components.files import BUILT_IN, SYSTEM
from coopsim.components.trial import SETTLING, play
from coopsim.errors import BadArgument, NoSuchName
from coopsim.recording.writer import versions
from coopsim.studies.job import Row, SystemJob, Task
from coopsim.suggest import hint, listed

METRICS = ("max_distance", "final_distance", "rms_error")
DURATION = 100.0
"""Simulated time of a run where none is given [s]."""


def is_system(file: str | Path) -> bool:
    """Return whether `file` is a system of components: a file `.amsa`, or a built-in one by its name."""
    return Path(file).suffix == SYSTEM or (not Path(file).exists() and (BUILT_IN / f"{file}{SYSTEM}").is_file())


def system_job(file: str | Path, duration: float | None) -> SystemJob:
    """Return what all runs of a study of a system have in common.

    Raises:
        BadFile: The system has mistakes.
        BadArgument: It evaluates no data.
    """
    model = load_system(file)
    if model.evaluation is None:
        raise BadArgument(f"{file} evaluates no data; add `evaluate DATA reference VALUE;` to compare runs by")
    return SystemJob(model, duration or DURATION)


def check_values(job: SystemJob, values: Sequence[Mapping[str, str]]) -> None:
    """Check every value of a study.

    Raises:
        NoSuchName: A name means no leaf.
        NoSuchCommand: A leaf has no such parameter.
        BadArgument: A value is out of its range.
    """
    system = System(job.model)
    for name, value in dict.fromkeys(pair for each in values for pair in each.items()):
        _set(system, name, value)


def asked(file: str | Path, job: SystemJob, tasks: Sequence[Task]) -> dict[str, Any]:
    """Return what identifies a study: another answer to any of it is another study."""
    runs = hashlib.sha256(repr([(sorted(each.values.items()), each.seed) for each in tasks]).encode())
    return {
        "scenario": Path(file).stem,
        "scenario_sha256": hashlib.sha256(repr(job.model).encode()).hexdigest(),
        "varied": {name: sorted({each.values[name] for each in tasks})[:100] for name in tasks[0].values},
        "seeds": len({each.seed for each in tasks}),
        "runs": len(tasks),
        "runs_sha256": runs.hexdigest(),
        "duration": job.duration,
        "plugins": {Path(name).name: hashlib.sha256(raw).hexdigest() for name, raw in job.plugins},
        "versions": versions(),
    }


def run_system(job: SystemJob, task: Task) -> Row:
    """Return the row of a run: the figures of its evaluated data, without the start.

    Raises:
        BadArgument: A value cannot be taken.
        PluginFailed: A leaf was switched off.
    """
    begun = time.perf_counter()
    system = System(job.model, seed=task.seed)
    for name, value in task.values.items():
        _set(system, name, value)
    system.initialize()
    (result,) = play(system, (), Fraction(job.duration))
    if system.faults:
        raise BadArgument(str(system.faults[0]))
    evaluation = job.model.evaluation
    figures = result.to_json(evaluation.reference if evaluation else None, SETTLING)
    row: Row = {"number": task.number, "values": dict(task.values), "seed": task.seed, "success": True, "goals": []}
    metrics = {name: figures[name] for name in METRICS if name in figures}
    factor = job.duration / max(1e-9, time.perf_counter() - begun)
    digest = hashlib.sha256(repr(result.values).encode()).hexdigest()[:32]
    return {**row, "metrics": metrics, "ticks": system.instant, "state_hash": digest, "real_time_factor": factor}


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
        raise NoSuchName(f"template {owner} has several leaves: {', '.join(named)}; name one of them")
    raise NoSuchName(f"no component {owner!r}{hint(owner, model.leaves)}; there are: {listed(model.leaves)}")


def best_by_context(model: SystemModel, rows: Sequence[Row]) -> list[str]:
    """Return for each context which values of the control law are best, by the means over the seeds.

    Source: AMSA, sections 2.1 and 4 (parameters of control laws are a quality of control, all others a context).
    """
    found: dict[str, dict[str, list[Mapping[str, float]]]] = {}
    for row in rows:
        if row["metrics"]:
            context, law = (_words(model, row["values"], is_law=is_law) for is_law in (False, True))
            found.setdefault(context, {}).setdefault(law, []).append(row["metrics"])
    return [f"{context or 'any context'}: {_best(laws)}" for context, laws in found.items() if len(laws) > 1]


def _words(model: SystemModel, values: Mapping[str, str], *, is_law: bool) -> str:
    chosen = {
        name: value
        for name, value in values.items()
        if (model.leaves[_leaf(model, name.partition(".")[0])].kind is LeafKind.CONTROL) == is_law
    }
    return " ".join(f"{name.partition('.')[2]}={value}" for name, value in chosen.items())


def _best(laws: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    parts = []
    for metric in ("max_distance", "rms_error"):
        means = {law: sum(each[metric] for each in figures) / len(figures) for law, figures in laws.items()}
        law = min(means, key=lambda name: means[name])
        parts.append(f"best by {metric} {law} ({means[law]:.2f})")
    return ", ".join(parts)
