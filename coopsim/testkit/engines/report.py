"""Report of the checks of an engine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from coopsim.engines import PhysicsEngine, WorldSpec

Make: TypeAlias = Callable[[WorldSpec], PhysicsEngine]
PASSED, FAILED, NOT_OFFERED = "passed", "failed", "not offered"


class CheckResult(NamedTuple):
    """Finding of one check.

    Attributes:
        result: "passed", "failed" or "not offered".
        numbers: What was measured and what was allowed.
    """

    result: str
    numbers: str


class Check(NamedTuple):
    """A promise of the contract.

    Attributes:
        name: The promise, as a sentence.
        run: Builds worlds with the engine and measures.
        needs: The ability without which the engine may decline, "" = every engine keeps it.
        unless: The ability that says that the engine does not keep it, "" = none.
    """

    name: str
    run: Callable[[Make], CheckResult]
    needs: str = ""
    unless: str = ""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of a report.

    Attributes:
        name: The promise that was checked.
        result: "passed", "failed" or "not offered".
        numbers: What was measured, or what went wrong.
    """

    name: str
    result: str
    numbers: str = ""

    def __str__(self) -> str:
        return f"{self.result:12}{self.name}" + (f": {self.numbers}" if self.numbers else "")


@dataclass(frozen=True, slots=True)
class EngineReport:
    """Findings of all checks of an engine; printed, one line for each."""

    engine: str
    outcomes: tuple[ReportLine, ...]

    @property
    def failures(self) -> tuple[ReportLine, ...]:
        """Promises that the engine does not keep."""
        return tuple(outcome for outcome in self.outcomes if outcome.result == FAILED)

    def __str__(self) -> str:
        return "\n".join([f"{self.engine}: {self._summary()}", *(f"  {outcome}" for outcome in self.outcomes)])

    def _summary(self) -> str:
        results = [outcome.result for outcome in self.outcomes]
        return ", ".join(f"{results.count(verdict)} {verdict}" for verdict in (PASSED, FAILED, NOT_OFFERED))


def measured(is_kept: bool, numbers: str) -> CheckResult:
    """Return what a check measured."""
    return CheckResult(PASSED if is_kept else FAILED, numbers)


def within(what: str, value: float, most: float, unit: str = "m") -> CheckResult:
    """Return that a measured value may be so large at most; no number fails."""
    return measured(value <= most, f"{what} {value:.3g} {unit}, at most {most:g} {unit}")


def worst(*findings: CheckResult) -> CheckResult:
    """Return the failed ones of several findings, or all of them where none failed."""
    failed = [finding for finding in findings if finding.result == FAILED]
    return CheckResult(FAILED if failed else PASSED, "; ".join(finding.numbers for finding in failed or findings))
