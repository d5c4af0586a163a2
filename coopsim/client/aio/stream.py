"""The state stream: what all robots see and where all bodies are, tick by tick, without asking; for asyncio."""

from collections.abc import Generator
from types import TracebackType
from typing import Any, Self

from coopsim.client.aio.pool import ConnectionPool
from coopsim.client.aio.receivers import TcpStateReceiver, ZmqStateReceiver
from coopsim.client.stream_base import BaseStream, State


class Stream(BaseStream):
    """An asynchronous iterator of states: `async with sim.stream(...) as states`, `async for state in states`.

    It listens from the moment it is entered, awaited, or asked for a state; the end of the run ends it. Arguments as of
    `Simulation.stream`.

    Raises:
        BadArgument: `name` or `every` cannot be.
    """

    _over_zmq = ZmqStateReceiver
    _over_tcp = TcpStateReceiver
    _pool: ConnectionPool

    async def latest(self, *, timeout: float | None = None) -> State | None:
        """Return the next state, the newest one with `conflate`; None when the run has ended.

        Errors as of `coopsim.client.Stream.latest`, and NoReply where the server has no stream.
        """
        return await self._pool.run(self._hearing(timeout))

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
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        await self._pool.run(self._beginning())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
