"""All checks of an engine, one after another."""

import traceback

from coopsim import plugins
from coopsim.engines import PhysicsEngine
from coopsim.engines.contract import ABILITIES
from coopsim.errors import CoopsimError, PluginFailed
from coopsim.testkit.engines import (
    actuating,
    joining,
    lasting,
    membership,
    motion,
    refusing,
    softening,
    touching,
)
from coopsim.testkit.engines.report import FAILED, NOT_OFFERED, PASSED, Check, EngineReport, ReportLine

CHECKS: tuple[Check, ...] = (
    *motion.CHECKS,
    *touching.CHECKS,
    *joining.CHECKS,
    *actuating.CHECKS,
    *softening.CHECKS,
    *membership.CHECKS,
    *lasting.CHECKS,
    *refusing.CHECKS,
)


def check_engine(engine: str | type[PhysicsEngine]) -> EngineReport:
    """Hold a physics engine to the contract (`coopsim.engines.PhysicsEngine`).

    Source: SwarmSimX, section 2.1 (the framework does not depend on a physics library).

    Args:
        engine: The class, or the name under which it is registered.

    Returns:
        One line for each check: passed, or not offered by an engine that does not claim the ability.

    Raises:
        PluginFailed: The engine breaks the contract; the text lists every failure with its numbers.
        NoSuchPlugin: No engine of this name is registered.
    """
    make: type[PhysicsEngine] = plugins.load("engines", engine) if isinstance(engine, str) else engine
    name = engine if isinstance(engine, str) else f"{make.__module__}.{make.__qualname__}"
    outcomes = (_claims(make), *(_run(check, make) for check in CHECKS))
    report = EngineReport(name, outcomes)
    if report.failures:
        lines = "\n".join(f"  {failure}" for failure in report.failures)
        raise PluginFailed(f"the engine {name} breaks the contract in {len(report.failures)} places:\n{lines}")
    return report


def _claims(make: type[PhysicsEngine]) -> ReportLine:
    name = "it says what it can"
    claimed = getattr(make, "abilities", None)
    if not isinstance(claimed, frozenset):
        return ReportLine(name, FAILED, f"`abilities` is {claimed!r}, expected a frozenset of {', '.join(ABILITIES)}")
    unknown = sorted(claimed - ABILITIES.keys())
    if unknown:
        return ReportLine(name, FAILED, f"unknown abilities {unknown}; expected {', '.join(ABILITIES)}")
    return ReportLine(name, PASSED, ", ".join(sorted(claimed)) or "nothing beyond free motion and stops")


def _run(check: Check, make: type[PhysicsEngine]) -> ReportLine:
    """Carry out one check; an engine that raises anything has not kept the promise."""
    abilities = getattr(make, "abilities", ())
    if (check.needs and check.needs not in abilities) or check.unless in abilities:
        return ReportLine(check.name, NOT_OFFERED)
    try:
        return ReportLine(check.name, *check.run(make))
    except CoopsimError as problem:
        return ReportLine(check.name, FAILED, f"{type(problem).__name__}: {problem}")
    except Exception as problem:  # foreign code may raise anything; whatever it is, the author learns where
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        return ReportLine(check.name, FAILED, f"{frame.filename}:{frame.lineno}: {type(problem).__name__}: {problem}")
