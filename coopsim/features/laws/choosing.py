"""Choices of control laws for robots: which drive them, which can, and the orders that a choice stands for.

Windows and pages offer the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from coopsim.features.laws.needs import NEEDS, law_obstacle
from coopsim.interfaces import Parameter, Value
from coopsim.message.targets import robot_and_module

CONTROLLERS: Final = "/sim/controllers"
"""Module that starts and stops laws."""
LawRow: TypeAlias = Mapping[str, Any]
"""Control law, as `/sim/controllers` describes it."""
TRANSPORT: Final = "transport"
"""Choice for a team that carries something: its leader and its helpers have a law each."""
_LEADS, _HELPS = "transport_leader", "transport_helper"
PATIENCE: Final = 20.0
"""A law that was stopped has so long to end before the next one is given up [s]."""


@dataclass(frozen=True, slots=True)
class LawOrder:
    """Start of a control law.

    Attributes:
        law: Its registered name.
        robots: That it drives.
        arguments: Parameters that differ from the usual ones.
    """

    law: str
    robots: tuple[str, ...]
    arguments: Mapping[str, Value]


def drivers(rows: Sequence[LawRow], robots: Sequence[str]) -> list[LawRow]:
    """Return the laws that drive some of the robots, and of those that ended the last one where none runs."""
    theirs = [row for row in rows if set(row["robots"]).intersection(robots)]
    return [row for row in theirs if row["state"] == "running"] or theirs[-1:]


def choices(laws: Sequence[str], robots: Sequence[str], targets: Sequence[str] = ()) -> list[str]:
    """Return what can be chosen to drive robots: what is known to fit them, and after that what may.

    Args:
        laws: Registered names.
        robots: To be driven; for a whole team there is what it carries with, too.
        targets: Names of all modules, as `/robot1/motors`; of robots without any here nothing is known.
    """
    modules = _modules_of(targets, robots)
    fitting = [law for law in laws if not law_obstacle(law, modules)]
    is_team = len({robot.partition("/")[0] for robot in robots}) == 1 < len(robots)
    is_team = is_team and _leaders(robots) != () and {_LEADS, _HELPS} <= set(fitting)
    offered = [*fitting, *([TRANSPORT] if is_team else [])]
    return sorted(offered, key=lambda law: (law not in NEEDS and law != TRANSPORT, law))


def unfit(laws: Sequence[str], robots: Sequence[str], targets: Sequence[str]) -> dict[str, str]:
    """Return the laws that cannot drive robots, with the reason; arguments as those of `choices`."""
    modules = _modules_of(targets, robots)
    return {law: reason for law in sorted(laws) if (reason := law_obstacle(law, modules))}


def _modules_of(targets: Sequence[str], robots: Sequence[str]) -> dict[str, set[str]]:
    """Return the names of modules by robot."""
    modules: dict[str, set[str]] = {robot: set() for robot in robots}
    for target in targets:
        robot, module = robot_and_module(target)
        if module and robot in modules:
            modules[robot].add(module)
    return modules


def parts(chosen: str, robots: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the laws that a choice stands for, and the robots of each."""
    if chosen != TRANSPORT:
        return {chosen: tuple(robots)}
    leaders = _leaders(robots)
    return {_LEADS: leaders, _HELPS: tuple(robot for robot in robots if robot not in leaders)}


def _leaders(robots: Sequence[str]) -> tuple[str, ...]:
    return tuple(robot for robot in robots if robot.endswith("/leader"))


def orders(
    chosen: str,
    robots: Sequence[str],
    declared: Mapping[str, Sequence[Parameter]],
    given: Mapping[str, Mapping[str, Value]],
) -> list[LawOrder]:
    """Return the orders that a choice stands for.

    Args:
        chosen: As `choices` returns it.
        robots: To be driven.
        declared: Parameters by law.
        given: Values of parameters by law; those that are the usual ones are not sent.
    """
    started = []
    for law, driven in parts(chosen, robots).items():
        usual = {parameter.name: parameter.default for parameter in declared.get(law, ())}
        values = given.get(law, {}).items()
        differing = {name: value for name, value in values if name in usual and value != usual[name]}
        started.append(LawOrder(law, driven, differing))
    return started


def running(rows: Sequence[LawRow], robots: Sequence[str]) -> list[str]:
    """Return the names of the laws that drive some of the robots now."""
    return [row["name"] for row in drivers(rows, robots) if row["state"] == "running"]


def still_running(law: str) -> str:
    """Return why another law cannot be started, for people."""
    return f"the law {law} was asked to end and still runs; stop it, then start again"
