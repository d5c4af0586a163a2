"""Commands for many robots and their readings in one message per step."""

import math
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from coopsim.client.connection import Connection
from coopsim.client.pool import ConnectionPool
from coopsim.client.prepared import PreparedRequest, SentRequest
from coopsim.client.readings import Readings
from coopsim.client.stepper_base import BaseStepper
from coopsim.client.team import Commands
from coopsim.errors import NoReply

Law = Callable[[Readings], Commands | None]
"""A control law: commands out of readings, None to end."""


class Stepper(BaseStepper):
    """Owns some robots and drives them step by step; a context manager that gives them back.

    In lockstep each `step` is one tick, or `every` ticks. In real time and free run it is answered after the next tick,
    or as many. The same loop serves all modes, also one that changes while it runs.
    """

    _pool: ConnectionPool

    def __init__(
        self, pool: ConnectionPool, robots: Sequence[str] | None, timeout: float | None = None, every: int = 1
    ) -> None:
        super().__init__(pool, robots, timeout, every)
        pool.run(self._beginning())

    @property
    def readings(self) -> Readings:
        """The last readings; before the first step the robots' modules are asked one by one."""
        return self._pool.run(self._reading())

    def claim(self) -> None:
        """Become the owner of the robots, also after an eviction.

        Raises:
            OwnedByAnother: Another client controls one of them.
        """
        self._pool.run(self._claiming())

    def enlist(self, robots: Sequence[str]) -> None:
        """Own and drive further robots, such as came while it steps; their rows follow those of their type.

        Raises:
            NoSuchName: There is no such robot.
            OwnedByAnother: Another client controls one of them.
        """
        self._pool.run(self._enlisting(robots))

    def step(self, commands: Commands | None = None, *, timeout: float | None = None) -> Readings:
        """Send commands and return the readings after the step.

        When robots or targets came or went, the new layout is fetched and the step repeated; only when that
        concerns a robot of this stepper does the caller hear of it.

        Args:
            commands: An array (n, width) in the order of `robots`, or values by robot; None repeats the last.
            timeout: Real time to wait [s]; infinity waits as long as the server is alive, paused or not.

        Raises:
            NoReply: No reply in time; the next step is stamped 0, so that simply stepping again goes on.
            StaleLayout: A robot left, or takes other commands now; `robots` says who is left, step on with these.
            NoSuchName: None is left.
            Late: The step was over already; step again.
            OwnedByAnother: Another client controls one of the robots.
            Evicted: Another may own the robots now; `claim` again.
            SimulationEnded: The run is over.
        """
        state, sent, connection = self._state, None, self._pool.main
        if state.prepared is not None and isinstance(connection, Connection):
            before, outcome = state.tick, self._exchange(connection, state.prepared, commands, timeout)
            if isinstance(outcome, Readings):
                if self._has_lost_pace(before, outcome):
                    self._pool.run(self._pacing())
                return outcome
            commands, sent = None, outcome  # the commands are written
        return self._pool.run(self._stepping(commands, timeout, sent))

    def _exchange(
        self, connection: Connection, prepared: PreparedRequest, commands: Commands | None, timeout: float | None
    ) -> Readings | SentRequest | None:
        """Step by one message each way, in C or within the process.

        Returns:
            What was sent, if the reply is not simply readings; None if nothing was done.

        Raises:
            NoReply: There is no connection, or the server closed it.
        """
        state, pool = self._state, self._pool
        wait = self._timeout if timeout is None else timeout
        patience = min(wait, pool.timeout)
        if commands is not None:
            state.team.write(commands, state.commands)
        with pool.lock:
            stamp = state.use_stamp()
            try:
                reply = connection.exchange(prepared, stamp, patience, wait if wait < math.inf else patience)
            except NoReply as problem:
                raise pool.run(pool.explaining_timeout(problem, connection)) from None
        if reply is None:
            state.stamp = stamp
        return reply if reply is None or isinstance(reply, SentRequest) else state.advance(*reply)

    def run(self, law: Law, *, until: Callable[[], bool] | None = None) -> int:
        """Step with what `law` says until it returns None or the run ends; return the number of steps.

        A step is waited for as long as the server is alive, unless the stepper was given a timeout: in lockstep
        another robot may take its time. What the server waits for is logged.

        Args:
            law: Called with the readings before each step.
            until: Asked before each step; true ends too.
        """
        return self._pool.run(self._running(law, until))

    def release(self) -> None:
        """Give the robots back."""
        self._pool.run(self._releasing())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.run(self._leaving())
