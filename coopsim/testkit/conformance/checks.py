"""Turns a check into a finding, and measures how fast a client answers meanwhile."""

from collections.abc import Callable
from dataclasses import replace

from coopsim.errors import CoopsimError
from coopsim.testkit.conformance.program import ClientProgram, NotConformant, NotSupported
from coopsim.testkit.conformance.report import FAILED, PASSED, UNSUPPORTED, ExamFinding


def finding(group: str, case: str, check: Callable[[], None]) -> ExamFinding:
    """Return the outcome of a check."""
    try:
        check()
    except NotSupported:
        return ExamFinding(group, case, UNSUPPORTED)
    except (NotConformant, OSError, CoopsimError, ValueError, LookupError) as problem:
        return ExamFinding(group, case, FAILED, str(problem))
    return ExamFinding(group, case, PASSED)


def timed(client: ClientProgram, within: float | None, group: str, case: str, check: Callable[[], None]) -> ExamFinding:
    """Return the outcome of a check, and the seconds of the client's slowest answer in it.

    Args:
        client: Its time-outs do not count: an answer `silent` is measured from their end.
        within: Most seconds that an answer may take, None = any number.
        group: Of the finding.
        case: Of the finding.
        check: The check.
    """
    client.slowest = 0.0
    result = finding(group, case, check)
    if result.outcome == UNSUPPORTED:
        return result
    result = replace(result, seconds=client.slowest)
    if result.outcome == PASSED and within is not None and client.slowest > within:
        detail = f"expected every answer within {within:g} s, one took {client.slowest:.2f} s"
        return replace(result, outcome=FAILED, detail=detail)
    return result
