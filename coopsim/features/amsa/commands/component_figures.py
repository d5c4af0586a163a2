"""Figures that `coopsim components run` tells: of its phases, the best of them, costs, a picture."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk

if TYPE_CHECKING:
    from coopsim.features.amsa.components import System, SystemModel
    from coopsim.features.amsa.components.trial import PhaseResult

_COSTS = ("cost_us", "slowest_us", "late_us")


def chosen_measures(model: "SystemModel", chosen: Sequence[str]) -> Sequence[str]:
    """Return the figures by which phases are compared: those asked for, else those of the system, else the usual ones.

    Raises:
        UsageError: There is no such figure.
    """
    from coopsim.features.amsa.components.measures import FIGURES, USUAL
    from coopsim.suggest import did_you_mean

    for name in chosen:
        if name not in FIGURES:
            raise click.UsageError(f"--best {name}: no such figure{did_you_mean(name, FIGURES)}: {', '.join(FIGURES)}")
    own = model.evaluation.measures if model.evaluation else ()
    return chosen or [name for name in own if name in FIGURES] or USUAL


def report(
    system: "System",
    results: "list[PhaseResult]",
    factor: float,
    settle: float,
    measures: Sequence[str],
) -> tuple[str, dict[str, Any]]:
    """Return, in words and as JSON, the figures of all phases, the best phase by each measure, and what leaves cost."""
    from coopsim.features.amsa.components.trial import best

    model = system.model
    reference = model.evaluation.reference if model.evaluation else None
    plain = [result.to_json(reference, settle) for result in results]
    winners = best(results, reference, settle, measures) if reference is not None and len(results) > 1 else ()
    chosen = [(measure, phase.at, _named(phase.to_json(None, settle), model)) for measure, phase in winners]
    lines = [_phases(plain, model), *(f"best by {measure}: {words}" for measure, _, words in chosen), *_costs(system)]
    lines.append(f"{factor:.0f} times as fast as real time")
    for fault in system.faults:
        talk.complain(str(fault))
    faults = [str(fault) for fault in system.faults]
    whole: dict[str, Any] = {"system": model.name, "leaves": _leaves(system), "faults": faults}
    whole |= {"phases": plain, "best": {measure: at for measure, at, _ in chosen}, "real_time_factor": factor}
    return "\n".join(lines), whole


_COLUMNS = {
    "max_distance": "largest",
    "final_distance": "last",
    "max_error": "largest error",
    "rms_error": "rms error",
    "overshoot": "overshoot",
    "settling_time": "settled [s]",
}


def _phases(plain: list[dict[str, Any]], model: "SystemModel") -> str:
    from coopsim.app.table import table

    rows = [
        [
            f"{phase['at']:g}",
            *(f"{phase[name]:.2f}" if name in phase else None for name in _COLUMNS),
            _named(phase, model),
        ]
        for phase in plain
    ]
    return table(["from [s]", *_COLUMNS.values(), "parameters"], rows)


def _leaves(system: "System") -> list[dict[str, Any]]:
    """Return what the steps of each leaf cost, where that was measured."""
    return [
        {
            "name": runner.leaf.name,
            "steps": runner.cost.steps,
            "cost_us": runner.cost.total_ns / 1000 / max(1, runner.cost.steps),
            "slowest_us": runner.cost.slowest_ns / 1000,
            "late_us": runner.cost.late_ns / 1000,
        }
        for runner in system.leaves()
        if runner.cost is not None
    ]


def _costs(system: "System") -> list[str]:
    """Return the cost of leaves as a table, and those of which a step took longer than their period."""
    from coopsim.app.table import table

    measured = _leaves(system)
    if not measured:
        return []
    rows = [[leaf["name"], leaf["steps"], *(f"{leaf[name]:.1f}" for name in _COSTS)] for leaf in measured]
    return [table(["leaf", "steps", "mean [us]", "slowest [us]", "late [us]"], rows), *_slow(system)]


def _slow(system: "System") -> list[str]:
    """Return the leaves of which a step took longer than their period."""
    return [
        f"a step of {runner.leaf.name} took {runner.cost.slowest_ns / 1e6:.1f} ms, longer than its period"
        for runner in system.leaves()
        if runner.cost is not None and runner.cost.slowest_ns > 1_000_000_000 / runner.leaf.rate
    ]


def _named(phase: dict[str, Any], model: "SystemModel") -> str:
    """Return the parameters of a phase; the leaf is named where several have a parameter of the name."""
    owners = Counter(parameter.name for leaf in model.leaves.values() for parameter in leaf.template.parameters)
    named = {path: path.partition(".")[2] for path in phase["parameters"]}
    return " ".join(
        f"{name if owners[name] == 1 else path}={phase['parameters'][path]}" for path, name in named.items()
    )


def picture(system: "System", results: "list[PhaseResult]", scenario: str) -> str:
    """Return a drawing of the evaluated data over time, as SVG.

    Raises:
        UsageError: The system evaluates no data.
    """
    import numpy as np

    from coopsim.features.export.series import Series
    from coopsim.features.pictures.time_plot import time_plot

    evaluation = system.model.evaluation
    if evaluation is None:
        raise click.UsageError("--plot: the system evaluates no data; add `evaluate DATA reference VALUE;` to it")
    times = np.array([time for result in results for time in result.times])
    values = np.array([value for result in results for value in result.values])
    columns = np.column_stack([values, np.full(len(values), evaluation.reference)])
    series = Series(evaluation.data, "1", (system.model.name, f"reference {evaluation.reference:g}"), times, columns)
    return time_plot(
        f"{system.model.name}: {evaluation.data}", f"{Path(scenario).stem}, {len(results)} phases", [series]
    )
