"""The state stream: what all robots see and where all bodies are, tick by tick, without asking; for asyncio."""

import asyncio
from collections.abc import Generator
from types import TracebackType
from typing import Any, Self

import zmq

from coopsim.client import layout as layouts
from coopsim.client.aio.switchboard import Switchboard
from coopsim.client.layout import SimulationLayout
from coopsim.client.simulation import informing
from coopsim.client.stream import State, address_of, check_run, subscribed, topic_of, why_silent
from coopsim.errors import NoReply
from coopsim.message import EVERYTHING, unpack_state


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
        self._undelivered: bytes | None = None
        self._address = ""
        self._news = asyncio.Event()
        self._socket: zmq.Socket[bytes] | None = None

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
        raw = await self._receive(wait)
        if raw is None:
            raise NoReply(f"no state of {self._topic} at {self._address} within {wait:g} s{await self._reason()}")
        state = unpack_state(raw)
        check_run(state, self._switchboard.run)
        self._undelivered = raw  # whoever is cancelled now leaves it to the next one who asks
        layout = await self._known(state.generation)
        self._undelivered, self._is_over = None, state.is_ended
        return State(state, layout)

    def close(self) -> None:
        """Stop listening."""
        self._is_over = True
        socket, self._socket = self._socket, None
        if socket is not None:
            asyncio.get_running_loop().remove_reader(socket.FD)
            socket.close(0)

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
        if self._socket is None and not self._is_over:
            board = self._switchboard
            self._address = address_of(await board.do(informing()), board.endpoint)
            socket = subscribed(board.context, board.door, self._address, self._topic, conflate=self._conflate)
            self._socket = socket
            asyncio.get_running_loop().add_reader(socket.FD, self._news.set)
        return self

    async def _receive(self, wait: float) -> bytes | None:
        """Return what comes, None if nothing came within `wait` [s] or the stream was closed meanwhile."""
        if self._undelivered is not None and not self._conflate:
            return self._undelivered
        try:
            async with asyncio.timeout(max(wait, 0.0)):
                while (socket := self._socket) is not None:
                    # the descriptor reports an event once; look only after forgetting the last one
                    self._news.clear()
                    try:
                        return socket.recv(zmq.NOBLOCK)
                    except zmq.Again:
                        if self._undelivered is not None:
                            return self._undelivered
                        await self._news.wait()
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
