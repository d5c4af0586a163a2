"""Orders about control laws out of the window: which drive a robot, and one in the place of others."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.link import CONTROLLERS
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.watching import LawRow
from coopsim.interfaces import Parameter, Value

TRANSPORT = "transport"
"""Choice for a team that carries something: its leader and its helpers have a law each."""
_LEADS, _HELPS = "transport_leader", "transport_helper"
_PATIENCE = 20.0
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


def choices(laws: Sequence[str], robots: Sequence[str]) -> list[str]:
    """Return what can be chosen to drive robots: registered laws, and for a whole team what it carries with."""
    is_team = len({robot.partition("/")[0] for robot in robots}) == 1 < len(robots)
    is_team = is_team and _leaders(robots) != () and {_LEADS, _HELPS} <= set(laws)
    return sorted([*laws, *([TRANSPORT] if is_team else [])])


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


class LawOrders:
    """Starts and stops control laws of the run that is shown.

    Args:
        session: What is shown.

    Attributes:
        is_waiting: Whether a start was asked for and not answered yet.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self.is_waiting = False

    def stop(self, rows: Sequence[LawRow]) -> None:
        """Stop laws that run."""
        for row in rows:
            if row["state"] == "running":
                self._session.ask(CONTROLLERS, "stop", row["name"])

    def start(self, wanted: Sequence[LawOrder]) -> None:
        """Start laws; what drove their robots is stopped before."""
        self.is_waiting = True
        robots = [robot for order in wanted for robot in order.robots]
        self.stop(drivers(self._session.link.facts.standing.get("controllers", ()), robots))
        self._ask(wanted, time.monotonic() + _PATIENCE)

    def _ask(self, wanted: Sequence[LawOrder], until: float) -> None:
        # the answer to a stop comes before its process has ended, and robots have one owner
        self._session.link.ask(
            lambda simulation: str(simulation.module(CONTROLLERS).status().status),
            then=lambda status: self._go_on(json.loads(status)["controllers"], wanted, until),
            failed=self._refuse,
        )

    def _go_on(self, rows: Sequence[LawRow], wanted: Sequence[LawOrder], until: float) -> None:
        robots = [robot for order in wanted for robot in order.robots]
        running = [row["name"] for row in drivers(rows, robots) if row["state"] == "running"]
        if not running:
            self._start(wanted)
        elif time.monotonic() < until:
            self._ask(wanted, until)
        else:
            self._refuse(NoReply(f"the law {running[0]} was asked to end and still runs; stop it, then start again"))

    def _start(self, wanted: Sequence[LawOrder]) -> None:
        first, *later = wanted
        arguments = json.dumps(dict(first.arguments))
        self._session.link.ask(
            lambda simulation: simulation.module(CONTROLLERS).start(first.law, arguments, *first.robots),
            then=lambda _: self._start(later) if later else self._end(),
            failed=self._refuse,
        )

    def _refuse(self, problem: CoopsimError) -> None:
        self._session.note(str(problem).partition("\n")[0])
        self._end()

    def _end(self) -> None:
        self.is_waiting = False
