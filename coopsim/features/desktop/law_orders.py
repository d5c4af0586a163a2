"""Orders about control laws out of the window: one in the place of others."""

import json
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from coopsim.errors import CoopsimError, NoReply
from coopsim.features.desktop.link import CONTROLLERS, ViewerLink
from coopsim.features.laws.choosing import PATIENCE, LawOrder, LawRow, drivers, running, still_running

Done: TypeAlias = Callable[[CoopsimError | None], None]
"""Takes what went wrong, None = nothing."""


class LawOrders:
    """Starts and stops control laws of the run that is shown.

    Args:
        link: To the run.
        tell: Takes what went wrong, for people.

    Attributes:
        is_waiting: Whether a start was asked for and not answered yet.
    """

    def __init__(self, link: ViewerLink, tell: Callable[[str], None]) -> None:
        self._link, self._tell = link, tell
        self.is_waiting = False

    def stop(self, rows: Sequence[LawRow]) -> None:
        """Stop laws that run."""
        for row in rows:
            if row["state"] == "running":
                self._link.call(CONTROLLERS, "stop", row["name"], then=self._report)

    def replace(self, robots: Sequence[str], wanted: Sequence[LawOrder], done: Done) -> None:
        """Stop what drives robots, and start laws when that has ended.

        Args:
            robots: Driven by other laws from now on, or by none.
            wanted: Laws to start.
            done: Called at the end of it all.
        """
        self.is_waiting = True

        def end(problem: CoopsimError | None) -> None:
            self.is_waiting = False
            done(problem)

        self.stop(drivers(self._link.facts.standing.get("controllers", ()), robots))
        self._ask(robots, wanted, time.monotonic() + PATIENCE, end)

    def _ask(self, robots: Sequence[str], wanted: Sequence[LawOrder], until: float, done: Done) -> None:
        # the answer to a stop comes before its process has ended, and robots have one owner
        self._link.ask(
            lambda simulation: str(simulation.module(CONTROLLERS).status().status),
            then=lambda status: self._go_on(json.loads(status)["controllers"], robots, wanted, until, done),
            failed=done,
        )

    def _go_on(
        self, rows: Sequence[LawRow], robots: Sequence[str], wanted: Sequence[LawOrder], until: float, done: Done
    ) -> None:
        still = running(rows, robots)
        if not still:
            self._start(wanted, done)
        elif time.monotonic() < until:
            self._ask(robots, wanted, until, done)
        else:
            done(NoReply(still_running(still[0])))

    def _start(self, wanted: Sequence[LawOrder], done: Done) -> None:
        if not wanted:
            done(None)
            return
        first, *later = wanted
        arguments = json.dumps(dict(first.arguments))
        self._link.ask(
            lambda simulation: simulation.module(CONTROLLERS).start(first.law, arguments, first.robots),
            then=lambda _: self._start(later, done),
            failed=done,
        )

    def _report(self, problem: CoopsimError | None) -> None:
        if problem is not None:
            self._tell(str(problem).partition("\n")[0])
