"""Reasons for the end of a run, and their exit codes."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.errors import InternalError, cure_line, error_for
from coopsim.launch.child import Child
from coopsim.transport.control import ProcessFailed


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Reason why a run ends.

    Attributes:
        code: Exit code as it stands now.
        reason: For people.
        is_fault: Whether the reason must be complained about.
    """

    code: int
    reason: str
    is_fault: bool = False


def from_signal(number: int) -> RunOutcome:
    """Return the outcome that a signal asks for."""
    if number == signal.SIGINT:
        return RunOutcome(130, "stopped by Ctrl-C")
    return RunOutcome(143, f"stopped by {signal.Signals(number).name}")


def from_problem(process: str, problem: ProcessFailed) -> RunOutcome:
    """Return the outcome after `process` reported that it cannot go on."""
    code, text = problem.error, problem.text
    cure = f"\n  {cure_line(code, error_for(code).cure if problem.cure is None else problem.cure)}"
    if code == InternalError.code:
        return RunOutcome(3, f"the {process} process failed: {text}{cure}", is_fault=True)
    return RunOutcome(1, f"{text}{cure}", is_fault=True)


def from_crash(ended: Sequence[Child]) -> RunOutcome:
    """Return the outcome after processes ended unasked; it names the one that ended the others.

    Processes that see the end of another stop in good order, so one that was killed or failed comes first.
    """
    culprit = min(ended, key=lambda child: 0 if child.code < 0 else 1 if child.code > 0 else 2)
    return RunOutcome(3, f"the {culprit.name} {culprit.ending}", is_fault=True)
