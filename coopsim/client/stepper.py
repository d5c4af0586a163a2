"""Commands for many robots and their readings in one message per step."""

import logging
import math
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from coopsim.client import layout as layouts
from coopsim.client.crew import CLAIM, MODULE, RELEASE, STEP_NUMBER, Crew
from coopsim.client.exchange import Exchange
from coopsim.client.flows import Ask
from coopsim.client.layout import SimulationLayout
from coopsim.client.readings import Readings
from coopsim.client.sampling import asking_each
from coopsim.client.suggest import listed
from coopsim.client.switchboard import STATUS, Switchboard, reason_in
from coopsim.client.team import Commands
from coopsim.errors import (
    BadArgument,
    CoopsimError,
    Evicted,
    Late,
    NoReply,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.message import Message

TRIES = 5
LONGEST_WAIT = 60.0
FAREWELL = 0.5
GHOST, GLANCE = 1.0, 0.01
"""So long the server may keep our robots for a connection of ours that broke, and so often we look [s]."""
_log = logging.getLogger(__name__)

Law = Callable[[Readings], Commands | None]
"""A control law: commands out of readings, None to end."""


class Stepper:
    """Owns some robots and drives them step by step; a context manager that gives them back.

    In lockstep each `step` is one tick; in real time and free run it is answered after the next tick, so the same
    loop serves all modes, and one that changes while it runs.

    """

    def __init__(self, switchboard: Switchboard, robots: Sequence[str] | None, timeout: float | None = None) -> None:
        self._switchboard = switchboard
        self._timeout = switchboard.timeout if timeout is None else timeout
        self._law_timeout = math.inf if timeout is None else timeout
        self._crew = Crew(switchboard.do(layouts.fetching()), robots)
        self.claim()

    @property
    def layout(self) -> SimulationLayout:
        """How the rows of all robot types are made, with the generation it is of."""
        return self._crew.layout

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots, in the order of the rows: those of one type together."""
        return self._crew.team.robots

    @property
    def tick(self) -> int:
        """The tick of the last readings."""
        return self._crew.tick

    @property
    def stamp(self) -> int:
        """The step that the next commands are meant for; 0 = whichever is next."""
        return self._crew.stamp

    @stamp.setter
    def stamp(self, stamp: int) -> None:
        self._crew.stamp = stamp

    @property
    def readings(self) -> Readings:
        """The last readings; before the first step the robots' modules are asked one by one."""
        crew = self._crew
        if crew.readings is None:
            crew.readings = self._switchboard.do(asking_each(crew.team))
            crew.tick = crew.readings.tick
        return crew.readings

    def claim(self) -> None:
        """Become the owner of the robots, also after an eviction.

        Raises:
            OwnedByAnother: Somebody else controls one of them.
        """
        token = None
        for names in self._crew.groups:
            reply = self._switchboard.ask(Ask(MODULE, CLAIM, names))
            token = reply.params[0] if reply.params else token
        self._crew.stamp = 0
        if token is not None:
            self._switchboard.join(token)

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
            OwnedByAnother: Somebody else controls one of the robots.
            Evicted: Another may own the robots now; `claim` again.
            SimulationEnded: The run is over.
        """
        if commands is not None:
            self._crew.team.write(commands, self._crew.commands)
        wait = self._timeout if timeout is None else timeout
        is_back = False
        for _ in range(TRIES):
            try:
                return self._step(wait)
            except StaleLayout:
                self._crew.adapt(self._switchboard.do(layouts.fetching()))
            except (Late, BadArgument) as problem:
                self._crew.forgive(problem)
            except OwnedByAnother:
                if is_back:
                    raise
                self._win_back(min(wait, GHOST))
                is_back = True
        raise StaleLayout(f"{MODULE}: the layout changed {TRIES} times while stepping; step again")

    def run(self, law: Law, *, until: Callable[[], bool] | None = None) -> int:
        """Step with what `law` says until it returns None or the run ends; return the number of steps.

        A step is waited for as long as the server is alive, unless the stepper was given a timeout: in lockstep
        another robot may take its time. What the server waits for is logged.

        Args:
            law: Called with the readings before each step.
            until: Asked before each step; true ends too.
        """
        steps = 0
        while not (until and until()):
            try:
                commands = law(self.readings)
                if commands is None:
                    break
                self.step(commands, timeout=self._law_timeout)
            except Late as problem:
                _log.warning("%s", problem)
            except Evicted as problem:
                _log.warning("%s", problem)
                self.claim()
            except SimulationEnded:
                break
            steps += 1
        return steps

    def release(self) -> None:
        """Give the robots back."""
        for names in self._crew.groups:
            self._switchboard.ask(Ask(MODULE, RELEASE, names, timeout=FAREWELL))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.release()
        except CoopsimError as failed:
            # the run may be over, or the robots lost: there is nothing left to give back
            _log.debug("not released: %s", failed)

    def __repr__(self) -> str:
        return f"<stepper of {listed(self.robots, 4)} at tick {self.tick}>"

    def _win_back(self, patience: float) -> None:
        """Claim the robots again: their owner may be ourselves on a connection that broke, until the server notices.

        Our token is of no use once it has noticed that of the connection that claimed, and one that took them after
        that, by a command alone, has none.

        Raises:
            OwnedByAnother: After `patience` [s] somebody else controls one of them still.
        """
        deadline = time.monotonic() + patience
        while True:
            try:
                return self.claim()
            except OwnedByAnother:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(GLANCE)

    def _step(self, wait: float) -> Readings:
        stamp = self._crew.take_stamp()
        with self._switchboard.lock:
            replies = self._exchange(stamp, wait)
        return self._crew.take(replies)

    def _exchange(self, stamp: int, wait: float) -> list[Message]:
        exchange = self._switchboard.main
        patience = min(wait, self._switchboard.timeout)
        sent: list[Message] = []
        try:
            for part in self._crew.parts:
                data, params = self._crew.commands[part.commands], part.params
                sent.append(exchange.post(MODULE, STEP_NUMBER, params, data, tick=stamp, binary=True, timeout=patience))
            return [self._await(exchange, request, wait) for request in sent]
        except NoReply as problem:
            raise self._switchboard.silence(problem, exchange) from None
        finally:
            for request in sent:
                exchange.forget(request)

    def _await(self, exchange: Exchange, request: Message, wait: float) -> Message:
        if math.isfinite(wait):
            reply = exchange.wait(request, wait)
            if reply is None:
                raise NoReply(f"no reply from {MODULE} at {exchange.endpoint} within {wait:g} s")
            return reply
        patience = self._switchboard.timeout
        while (reply := exchange.wait(request, patience)) is None:
            status = exchange.ask(STATUS, self._switchboard.timeout)
            _log.warning("%s is not answered yet: %s", MODULE, reason_in(status, 0))
            # the server lives, so it waits for something; or it is a new one, and this request was lost
            exchange.repeat(request, self._switchboard.timeout)
            patience = min(2.0 * patience, LONGEST_WAIT)
        return reply
