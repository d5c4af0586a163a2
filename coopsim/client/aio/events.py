"""Listening to the event channel; for asyncio."""

import asyncio
import math
from collections.abc import Generator, Sequence
from types import TracebackType
from typing import Any, Self

from coopsim.client.aio.connection import Connection
from coopsim.client.aio.pool import ConnectionPool
from coopsim.client.aio.transports import Came, Failed, Transport
from coopsim.client.events import BaseEventStream
from coopsim.errors import CoopsimError, NoReply
from coopsim.message import ChannelEvent


class EventStream(BaseEventStream):
    """An asynchronous iterator of events: `async with sim.listen("/game/**") as events`, `async for event in events`.

    It listens from the moment it is entered or awaited; the end of the run ends it.
    """

    _pool: ConnectionPool

    def __init__(self, pool: ConnectionPool, patterns: Sequence[str]) -> None:
        super().__init__(pool, patterns)
        self._news = asyncio.Event()
        self._problem: CoopsimError | None = None

    async def hear(self, timeout: float = math.inf) -> ChannelEvent | None:
        """Return the next event; see `coopsim.client.EventStream.hear`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while not self._came and not self._is_over:
            if self._problem is not None:
                await self._recover(self._problem)
            if await self._is_there(min(max(deadline - loop.time(), 0.0), self._patience)):
                continue
            if not self._patience:
                await self._pool.run(self._subscribing())
            elif loop.time() >= deadline:
                break
        if not self._came and self._problem is not None:
            raise self._problem
        return self._came.popleft() if self._came else None

    async def _is_there(self, timeout: float) -> bool:
        """Wait for something to come; False if nothing did within `timeout` [s]."""
        self._news.clear()
        if self._came or self._is_over or self._problem is not None:
            return True
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return False
        return True

    async def _recover(self, problem: CoopsimError) -> None:
        """Subscribe anew after the connection broke.

        Raises:
            CoopsimError: Anything else went wrong.
        """
        if not isinstance(problem, NoReply):
            raise problem
        self._problem = None
        await self._pool.run(self._subscribing())

    def close(self) -> None:
        """Stop listening."""
        super().close()
        self._news.set()

    def _make(self, on_message: Came, failed: Failed) -> Transport:
        def receive(raw: bytes) -> None:
            try:
                is_event = bool(raw) and self._accept(raw)
            except CoopsimError as problem:
                self._problem, is_event = problem, True
            if is_event:
                self._news.set()
            else:
                on_message(raw)

        def fail(problem: CoopsimError) -> None:
            self._problem = problem
            self._news.set()
            failed(problem)

        return self._pool.open_transport(receive, fail)

    def __aiter__(self) -> Self:
        """Return the events, one after the other."""
        return self

    async def __anext__(self) -> ChannelEvent:
        """Return the next event."""
        event = await self.hear()
        if event is None:
            raise StopAsyncIteration
        return event

    def __await__(self) -> Generator[Any, None, Self]:
        """Begin to listen."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        self._connection = Connection(self._make, self._pool.endpoint, self._pool.run_number)
        try:
            await self._pool.run(self._subscribing())
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
