"""Orders about control laws out of the window: one in the place of others."""

import json
import time
from collections.abc import Sequence

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.link import CONTROLLERS
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.laws.choosing import PATIENCE, LawOrder, LawRow, drivers, running, still_running


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
        self._ask(wanted, time.monotonic() + PATIENCE)

    def _ask(self, wanted: Sequence[LawOrder], until: float) -> None:
        # the answer to a stop comes before its process has ended, and robots have one owner
        self._session.link.ask(
            lambda simulation: str(simulation.module(CONTROLLERS).status().status),
            then=lambda status: self._go_on(json.loads(status)["controllers"], wanted, until),
            failed=self._refuse,
        )

    def _go_on(self, rows: Sequence[LawRow], wanted: Sequence[LawOrder], until: float) -> None:
        robots = [robot for order in wanted for robot in order.robots]
        still = running(rows, robots)
        if not still:
            self._start(wanted)
        elif time.monotonic() < until:
            self._ask(wanted, until)
        else:
            self._refuse(NoReply(still_running(still[0])))

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
