"""The state stream: what all robots see and where all bodies are, tick by tick, without asking; for asyncio."""

import asyncio
from collections.abc import Generator
from types import TracebackType
from typing import Any, Self

from coopsim.client import layout as layouts
from coopsim.client.aio.ears import Ear, PlainEar, ZmqEar
from coopsim.client.aio.switchboard import Switchboard
from coopsim.client.ears import subscribed
from coopsim.client.layout import SimulationLayout
from coopsim.client.simulation import informing
from coopsim.client.stream import State, address_of, check_run, topic_of, why_silent
from coopsim.errors import NoReply
from coopsim.message import EVERYTHING
from coopsim.message import State as RawState


class Stream:
    """An asynchronous iterator of states: `async with sim.stream(...) as states`, `async for state in states`.

    It listens from the moment it is entered, awaited, or asked for a state; the end of the run ends it.

    Args:
        switchboard: The client.
        name: `/robot1`, or `/sim/state`.
        every: One of so many records is sent.
        conflate: Drop all but the newest state while nobody looks.
        timeout: How long to wait for each [s]; None = as long as for a reply.

    Raises:
        BadArgument: `name` or `every` cannot be.
    """

    def __init__(
        self,
        switchboard: Switchboard,
        name: str = EVERYTHING,
        *,
        every: int = 1,
        conflate: bool = True,
        timeout: float | None = None,
    ) -> None:
        self._topic = topic_of(name, every)
        self._switchboard = switchboard
        self._conflate = conflate
        self._timeout = switchboard.timeout if timeout is None else timeout
        self._layout: SimulationLayout | None = None
        self._is_over = False
        self._undelivered: RawState | None = None
        self._address = ""
        self._ear: Ear | None = None

    async def latest(self, *, timeout: float | None = None) -> State | None:
        """Return the next state, the newest one with `conflate`; None when the run has ended.

        Raises:
            NoReply: None came in time, or the server has no stream.
            MalformedMessage: What came is no state.
            WrongRun: The simulation was restarted.
        """
        if self._is_over:
            return None
        await self._begin()
        wait = self._timeout if timeout is None else timeout
        state = await self._receive(wait)
        if state is None:
            raise NoReply(f"no state of {self._topic} at {self._address} within {wait:g} s{await self._reason()}")
        check_run(state, self._switchboard.run)
        self._undelivered = state  # whoever is cancelled now leaves it to the next one who asks
        layout = await self._known(state.generation)
        self._undelivered, self._is_over = None, state.is_ended
        return State(state, layout)

    def close(self) -> None:
        """Stop listening."""
        self._is_over = True
        ear, self._ear = self._ear, None
        if ear is not None:
            ear.close()

    def __aiter__(self) -> Self:
        """Return the states, one after the other."""
        return self

    async def __anext__(self) -> State:
        """Return the next state; raises NoReply when none comes in time."""
        state = await self.latest()
        if state is None:
            raise StopAsyncIteration
        return state

    def __await__(self) -> Generator[Any, None, Self]:
        """Begin to listen."""
        return self._begin().__await__()

    async def __aenter__(self) -> Self:
        return await self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<stream of {self._topic} at {self._address or 'nowhere yet'}>"

    async def _begin(self) -> Self:
        if self._ear is None and not self._is_over:
            ear = await self._listening()
            try:
                await ear.begin()
            except BaseException:
                ear.close()
                raise
            self._ear = ear
        return self

    async def _listening(self) -> Ear:
        board, endpoint = self._switchboard, self._switchboard.endpoint
        if endpoint.is_plain:
            self._address = str(endpoint)
            return PlainEar(endpoint, board.door, self._topic, board.run, board.timeout, conflate=self._conflate)
        self._address = address_of(await board.do(informing()), endpoint)
        return ZmqEar(subscribed(board.context, board.door, self._address, self._topic, conflate=self._conflate))

    async def _receive(self, wait: float) -> RawState | None:
        """Return what comes, None if nothing came within `wait` [s] or the stream was closed meanwhile."""
        if self._undelivered is not None and not self._conflate:
            return self._undelivered
        try:
            async with asyncio.timeout(max(wait, 0.0)):
                while (ear := self._ear) is not None:
                    state = ear.take() or self._undelivered
                    if state is not None:
                        return state
                    await ear.news.wait()
        except TimeoutError:
            pass
        return None

    async def _known(self, generation: int) -> SimulationLayout | None:
        """Return the layout of a generation, asked once; None if it is over already."""
        if self._layout is None or self._layout.generation < generation:
            self._layout = await self._switchboard.do(layouts.fetching())
        return self._layout

    async def _reason(self) -> str:
        try:
            known = await self._switchboard.do(layouts.fetching())
        except NoReply as problem:
            return f"; {problem}"
        return why_silent(self._topic, known)
