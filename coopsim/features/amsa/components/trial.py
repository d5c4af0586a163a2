"""A system played through a scenario: what it did in each phase, and how good that was."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from coopsim.features.amsa.components.measures import USUAL, Held, counted, figures, held
from coopsim.features.amsa.components.model import DataValue
from coopsim.features.amsa.components.scenario import ScenarioStep
from coopsim.features.amsa.components.system import System

Wait: TypeAlias = Callable[[Fraction], None]
Look: TypeAlias = Callable[[float], None]
DEFAULT_DURATION = Fraction(100)
"""How long the last phase lasts where nothing says it [s]."""
SETTLING = 20.0
"""What of the beginning of each phase does not count [s]: the rovers start, and the first data arrive."""


@dataclass
class PhaseResult:
    """Measures of the time between two events of a scenario.

    Attributes:
        at: When it began [s].
        parameters: Those that the scenario has set so far, `LEAF.NAME`.
        times: When the evaluated data were looked at [s].
        values: What they were.
        end: When it ended [s].
    """

    at: float
    parameters: Mapping[str, DataValue]
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    end: float = 0.0

    def to_json(self, reference: float | None, settling: float) -> dict[str, Any]:
        """Return its figures by `measures.FIGURES`, each value weighted by the time during which it held."""
        plain: dict[str, Any] = {"at": self.at, "parameters": dict(self.parameters)}
        if reference is None or not self.values:
            return plain
        return plain | figures(self.held(), self.counted(settling), reference)

    def held(self) -> list[Held]:
        """Return the values with the times during which they held."""
        return held(self.times, self.values, max(self.end, math.nextafter(self.times[-1], math.inf)))

    def counted(self, settling: float) -> list[Held]:
        """Return the same without those of the beginning; all where the phase is shorter."""
        return counted(self.held(), self.at + settling)


def usual_duration(steps: tuple[ScenarioStep, ...]) -> Fraction:
    """Return how long a scenario runs where nothing says it: its last phase is as long as the one before."""
    times = sorted({Fraction(0), *(step.at for step in steps)})
    return times[-1] + (times[-1] - times[-2] if len(times) > 1 else DEFAULT_DURATION)


def play(
    system: System,
    steps: tuple[ScenarioStep, ...],
    duration: Fraction,
    wait: Wait | None = None,
    look: Look | None = None,
) -> list[PhaseResult]:
    """Run a system, initialised, through a scenario.

    Source: AMSA, sections 2.1 and 4.

    Args:
        system: Which.
        steps: What the scenario does.
        duration: When it ends [s].
        wait: Called with the time of each instant before its steps: to keep real time.
        look: Called with the time of each instant behind its steps [s]: to take down what the data are then.
    """
    results: list[PhaseResult] = []
    parameters: dict[str, DataValue] = {}
    begins = [step.at for step in steps if step.at < duration]
    if not begins or begins[0] > 0:
        results.append(PhaseResult(0.0, {}))
        _run(system, results[-1], begins[0] if begins else duration, wait, look)
    for step, end in zip(steps, [*begins[1:], duration], strict=False):
        _apply(system, step, parameters)
        if not results or results[-1].at < step.at:
            results.append(PhaseResult(float(step.at), {}))
        results[-1].parameters = dict(parameters)
        _run(system, results[-1], end, wait, look)
    return results


def best(
    results: list[PhaseResult], reference: float, settling: float, measures: Sequence[str] = USUAL
) -> Iterator[tuple[str, PhaseResult]]:
    """Go through the measures, each with the phase that is best by it: that in which it is smallest."""
    for measure in measures:
        judged = [(result.to_json(reference, settling).get(measure, math.inf), result) for result in results]
        yield measure, min(judged, key=lambda pair: float(pair[0]))[1]


def _apply(system: System, step: ScenarioStep, parameters: dict[str, DataValue]) -> None:
    if step.resets:
        system.initialize()
    for leaf, name, value in step.settings:
        system.set_parameter(leaf, name, value)
        parameters[f"{leaf}.{name}"] = value


def _run(system: System, result: PhaseResult, end: Fraction, wait: Wait | None, look: Look | None) -> None:
    evaluation, result.end = system.model.evaluation, float(end)
    last, unit = math.ceil(end / system.unit), system.unit
    while system.instant < last and system.order:
        instant = system.instant
        if wait is not None:
            wait(instant * unit)
        system.step()
        seconds = instant * unit.numerator / unit.denominator  # rounded once: 119.8, not 119.80000000000001
        if evaluation is not None:
            result.times.append(seconds)
            result.values.append(float(system.value(evaluation.data)))
        if look is not None:
            look(seconds)
