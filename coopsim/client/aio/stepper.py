"""Commands for many robots and their readings in one message per step; for asyncio."""

import asyncio
import inspect
import logging
import math
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from types import TracebackType
from typing import Any, Self

from coopsim.client import layout as layouts
from coopsim.client.aio.exchange import Exchange
from coopsim.client.aio.switchboard import Switchboard
from coopsim.client.crew import CLAIM, MODULE, RELEASE, STEP_NUMBER, Crew
from coopsim.client.flows import Ask
from coopsim.client.layout import SimulationLayout
from coopsim.client.readings import Readings
from coopsim.client.sampling import asking_each
from coopsim.client.stepper import FAREWELL, GHOST, GLANCE, LONGEST_WAIT, TRIES
from coopsim.client.suggest import listed
from coopsim.client.switchboard import STATUS, reason_in
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

_log = logging.getLogger(__name__)

Law = Callable[[Readings], Commands | Awaitable[Commands | None] | None]
"""A control law, or one that is awaited: commands out of readings, None to end."""


class Stepper:
    """Owns some robots and drives them step by step; `async with` claims them and gives them back.

    In lockstep each `step` is one tick; in real time and free run it is answered after the next tick, so the same
    loop serves all modes, and one that changes while it runs.
    """

    def __init__(self, switchboard: Switchboard, robots: Sequence[str] | None, timeout: float | None = None) -> None:
        self._switchboard = switchboard
        self._timeout = switchboard.timeout if timeout is None else timeout
        self._law_timeout = math.inf if timeout is None else timeout
        self._wanted = robots
        self._known: Crew | None = None
        self._turn = asyncio.Lock()

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
    def readings(self) -> Awaitable[Readings]:
        """The last readings, to be awaited: before the first step the robots' modules are asked one by one."""
        return self._read()

    async def claim(self) -> None:
        """Become the owner of the robots, also after an eviction.

        Raises:
            OwnedByAnother: Somebody else controls one of them.
        """
        token = None
        for names in self._crew.groups:
            reply = await self._switchboard.ask(Ask(MODULE, CLAIM, names))
            token = reply.params[0] if reply.params else token
        self._crew.stamp = 0
        if token is not None:
            await self._switchboard.join(token)

    async def step(self, commands: Commands | None = None, *, timeout: float | None = None) -> Readings:
        """Send commands and return the readings after the step.

        When robots or targets came or went, the new layout is fetched and the step repeated; only when that
        concerns a robot of this stepper does the caller hear of it. A step that is cancelled may have been done; the
        next one is stamped 0, so that simply stepping again goes on.

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
        async with self._turn:
            if commands is not None:
                self._crew.team.write(commands, self._crew.commands)
            return await self._repeat(self._timeout if timeout is None else timeout)

    async def run(self, law: Law, *, until: Callable[[], bool] | None = None) -> int:
        """Step with what `law` says until it returns None or the run ends; return the number of steps.

        A step is waited for as long as the server is alive, unless the stepper was given a timeout: in lockstep
        another robot may take its time. What the server waits for is logged.

        Args:
            law: Called, and awaited if it is to be, with the readings before each step.
            until: Asked before each step; true ends too.
        """
        steps = 0
        while not (until and until()):
            try:
                said = law(await self.readings)
                commands: Any = await said if inspect.isawaitable(said) else said
                if commands is None:
                    break
                await self.step(commands, timeout=self._law_timeout)
            except Late as problem:
                _log.warning("%s", problem)
            except Evicted as problem:
                _log.warning("%s", problem)
                await self.claim()
            except SimulationEnded:
                break
            steps += 1
        return steps

    async def release(self) -> None:
        """Give the robots back."""
        for names in self._crew.groups:
            await self._switchboard.ask(Ask(MODULE, RELEASE, names, timeout=FAREWELL))

    def __await__(self) -> Generator[Any, None, Self]:
        """Claim the robots."""
        return self._begin().__await__()

    async def __aenter__(self) -> Self:
        return await self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.release()
        except CoopsimError as failed:
            # the run may be over, or the robots lost: there is nothing left to give back
            _log.debug("not released: %s", failed)

    def __repr__(self) -> str:
        if self._known is None:
            return "<stepper that has not begun>"
        return f"<stepper of {listed(self.robots, 4)} at tick {self.tick}>"

    @property
    def _crew(self) -> Crew:
        if self._known is None:
            raise BadArgument("the stepper has not begun: `async with sim.stepper(...) as stepper`")
        return self._known

    async def _begin(self) -> Self:
        if self._known is None:
            self._known = Crew(await self._switchboard.do(layouts.fetching()), self._wanted)
            try:
                await self.claim()
            except BaseException:
                self._known = None
                raise
        return self

    async def _read(self) -> Readings:
        crew = self._crew
        if crew.readings is None:
            crew.readings = await self._switchboard.do(asking_each(crew.team))
            crew.tick = crew.readings.tick
        return crew.readings

    async def _repeat(self, wait: float) -> Readings:
        crew, is_back = self._crew, False
        for _ in range(TRIES):
            try:
                return crew.take(await self._exchange(crew.take_stamp(), wait))
            except StaleLayout:
                crew.adapt(await self._switchboard.do(layouts.fetching()))
            except (Late, BadArgument) as problem:
                crew.forgive(problem)
            except OwnedByAnother:
                if is_back:
                    raise
                await self._win_back(min(wait, GHOST))
                is_back = True
        raise StaleLayout(f"{MODULE}: the layout changed {TRIES} times while stepping; step again")

    async def _win_back(self, patience: float) -> None:
        """Claim the robots again: their owner may be ourselves on a connection that broke, until the server notices.

        Raises:
            OwnedByAnother: After `patience` [s] somebody else controls one of them still.
        """
        deadline = time.monotonic() + patience
        while True:
            try:
                return await self.claim()
            except OwnedByAnother:
                if time.monotonic() >= deadline:
                    raise
            await asyncio.sleep(GLANCE)

    async def _exchange(self, stamp: int, wait: float) -> list[Message]:
        exchange, crew = self._switchboard.main, self._crew
        patience = min(wait, self._switchboard.timeout)
        sent: list[Message] = []
        try:
            for part in crew.parts:
                data = crew.commands[part.commands]
                sent.append(exchange.new(MODULE, STEP_NUMBER, part.params, data, tick=stamp, binary=True))
                await exchange.send(sent[-1], patience)
            return [await self._await(exchange, request, wait) for request in sent]
        except NoReply as problem:
            raise await self._switchboard.silence(problem, exchange) from None
        finally:
            for request in sent:
                exchange.forget(request)

    async def _await(self, exchange: Exchange, request: Message, wait: float) -> Message:
        if math.isfinite(wait):
            reply = await exchange.wait(request, wait)
            if reply is None:
                raise NoReply(f"no reply from {MODULE} at {exchange.endpoint} within {wait:g} s")
            return reply
        patience = self._switchboard.timeout
        while (reply := await exchange.wait(request, patience)) is None:
            status = await exchange.ask(STATUS, self._switchboard.timeout)
            _log.warning("%s is not answered yet: %s", MODULE, reason_in(status, 0))
            # the server lives, so it waits for something; or it is a new one, and this request was lost
            await exchange.send(request, self._switchboard.timeout)
            patience = min(2.0 * patience, LONGEST_WAIT)
        return reply
