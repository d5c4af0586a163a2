"""Commands for many robots and their readings in one message per step."""

import logging
import math
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import numpy as np

from coopsim.client import layout as layouts
from coopsim.client.exchange import Exchange
from coopsim.client.parts import MOST_ROBOTS, cut
from coopsim.client.readings import Readings
from coopsim.client.sampling import ask_each
from coopsim.client.suggest import listed
from coopsim.client.switchboard import Switchboard, refusal
from coopsim.client.team import Commands, form
from coopsim.errors import (
    BadArgument,
    CoopsimError,
    Evicted,
    Late,
    MalformedMessage,
    NoReply,
    NoSuchName,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
    Stopped,
)
from coopsim.interfaces import STEP
from coopsim.message import Message

_MODULE = "/sim/step"
_STEP, _CLAIM, _RELEASE = (STEP.command(name).number for name in ("step", "claim", "release"))
_TRIES = 5
_LONGEST_WAIT = 60.0
_FAREWELL = 0.5
_log = logging.getLogger(__name__)

Law = Callable[[Readings], Commands | None]
"""A control law: commands out of readings, None to end."""


class Stepper:
    """Owns some robots and drives them step by step; a context manager that gives them back.

    In lockstep each `step` is one tick; in real time and free run it is answered after the next tick, so the same
    loop serves all modes, and one that changes while it runs.

    Attributes:
        layout: How the rows of all robot types are made, with the generation it is of.
        tick: The tick of the last readings.
        stamp: The step that the next commands are meant for; 0 = whichever is next.
    """

    def __init__(self, switchboard: Switchboard, robots: Sequence[str] | None, timeout: float | None = None) -> None:
        self._switchboard = switchboard
        self._timeout = switchboard.timeout if timeout is None else timeout
        self.layout = layouts.fetch(switchboard)
        self._team = form(self.layout, list(self.layout.robots) if robots is None else list(robots))
        self._parts = cut(self._team)
        self._commands = np.zeros(self._team.command_size)
        self._readings: Readings | None = None
        self.tick = 0
        self.stamp = 0
        self._passed_over = False
        self.claim()

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots, in the order of the rows: those of one type together."""
        return self._team.robots

    @property
    def readings(self) -> Readings:
        """The last readings; before the first step the robots' modules are asked one by one."""
        if self._readings is None:
            self._readings = ask_each(self._switchboard, self._team)
            self.tick = self._readings.tick
        return self._readings

    def claim(self) -> None:
        """Become the owner of the robots, also after an eviction.

        Raises:
            OwnedByAnother: Somebody else controls one of them.
        """
        names, token = self.robots, None
        for first in range(0, len(names), MOST_ROBOTS):
            reply = self._switchboard.ask(_MODULE, _CLAIM, names[first : first + MOST_ROBOTS])
            token = reply.params[0] if reply.params else token
        self.stamp = 0
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
            Stopped: The robots were stopped for being late; step again.
            OwnedByAnother: Somebody else controls one of the robots.
            Evicted: Another may own the robots now; `claim` again.
            SimulationEnded: The run is over.
        """
        if commands is not None:
            self._team.write(commands, self._commands)
        wait = self._timeout if timeout is None else timeout
        is_joined = False
        for _ in range(_TRIES):
            try:
                return self._step(wait)
            except StaleLayout:
                self._adapt()
            except Late:
                # in real time and free run ticks pass between two steps; a switch to lockstep makes that count
                if not self._passed_over:
                    raise
                self._passed_over = False
            except OwnedByAnother:
                if is_joined or not self._switchboard.rejoin(self._switchboard.main):
                    raise
                is_joined = True
            except BadArgument as problem:
                # the clock was set back: our stamp lies in the future
                if self.tick <= getattr(problem.request, "tick", self.tick):
                    raise
                self.tick = 0
        raise StaleLayout(f"{_MODULE}: the layout changed {_TRIES} times while stepping; step again")

    def run(self, law: Law, *, until: Callable[[], bool] | None = None) -> int:
        """Step with what `law` says until it returns None or the run ends; return the number of steps.

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
                self.step(commands)
            except (Late, Stopped) as problem:
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
        for first in range(0, len(self.robots), MOST_ROBOTS):
            self._switchboard.ask(_MODULE, _RELEASE, self.robots[first : first + MOST_ROBOTS], timeout=_FAREWELL)

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

    def _step(self, wait: float) -> Readings:
        stamp, self.stamp = self.stamp, 0
        with self._switchboard.lock:
            replies = self._exchange(stamp, wait)
        for reply in replies:
            if reply.error:
                raise refusal(reply, _MODULE)
        data = replies[0].data if len(replies) == 1 else np.concatenate([np.asarray(it.data) for it in replies])
        flat = np.asarray(data, np.float64)
        if flat.size != self._team.reading_size:
            raise MalformedMessage(f"{_MODULE} gave {flat.size} readings, {self._team.reading_size} were expected")
        self._passed_over = replies[-1].tick > self.tick + 1
        self.tick = replies[-1].tick
        self.stamp = self.tick + 1
        self._readings = Readings(self._team, flat, self.tick)
        return self._readings

    def _exchange(self, stamp: int, wait: float) -> list[Message]:
        exchange = self._switchboard.main
        patience = min(wait, self._switchboard.timeout)
        sent: list[Message] = []
        try:
            for part in self._parts:
                data = self._commands[part.commands]
                sent.append(exchange.post(_MODULE, _STEP, part.params, data, tick=stamp, binary=True, timeout=patience))
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
                raise NoReply(f"no reply from {_MODULE} at {exchange.endpoint} within {wait:g} s")
            return reply
        patience = self._switchboard.timeout
        while (reply := exchange.wait(request, patience)) is None:
            exchange.ask(_MODULE, 0, timeout=self._switchboard.timeout)
            # the server lives, so it waits for something; or it is a new one, and this request was lost
            exchange.repeat(request, self._switchboard.timeout)
            patience = min(2.0 * patience, _LONGEST_WAIT)
        return reply

    def _adapt(self) -> None:
        """Fetch the layout anew and keep the robots that are still what they were, with their commands."""
        old, commands = self._team, self._commands
        self.layout = layouts.fetch(self._switchboard)
        stay = [robot for robot in old.robots if _takes(self.layout, robot) == old.rows[robot][0].type.takes]
        if not stay:
            raise NoSuchName("no robot of this stepper is left in the simulation")
        self._team = form(self.layout, stay)
        self._parts = cut(self._team)
        self._commands = np.zeros(self._team.command_size)
        for robot in stay:
            self._commands[self._team.command_span(robot)] = commands[old.command_span(robot)]
        self._readings = None
        gone = [robot for robot in old.robots if robot not in stay]
        if gone:
            raise StaleLayout(
                f"{listed(gone)} left, or takes other commands now; go on with stepper.robots: {listed(stay)}"
            )


def _takes(layout: layouts.SimulationLayout, robot: str) -> layouts.RowLayout | None:
    return layout.types[layout.robots[robot]].takes if robot in layout.robots else None
