"""The state stream: what all robots see and where all bodies are, tick by tick, without asking."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from coopsim.client.pool import ConnectionPool
from coopsim.client.receivers import TcpStateReceiver, ZmqStateReceiver
from coopsim.client.stream_base import BaseStream, State
from coopsim.message import EVERYTHING


class Stream(BaseStream):
    """An iterator of states, and a context manager; the end of the run ends it.

    It listens at once. Arguments as of `Simulation.stream`.

    Raises:
        BadArgument: `name` or `every` cannot be.
        NoReply: The server has no stream.
    """

    _over_zmq = ZmqStateReceiver
    _over_tcp = TcpStateReceiver
    _pool: ConnectionPool

    def __init__(self, pool: ConnectionPool, name: str = EVERYTHING, **options: Any) -> None:
        super().__init__(pool, name, **options)
        pool.run(self._beginning())

    def latest(self, *, timeout: float | None = None) -> State | None:
        """Return the next state, the newest one with `conflate`; None when the run has ended.

        Raises:
            NoReply: None came in time.
            MalformedMessage: What came is no state.
            WrongRun: The simulation was restarted.
        """
        return self._pool.run(self._hearing(timeout))

    def __iter__(self) -> Iterator[State]:
        """Return the states, one after the other."""
        return self

    def __next__(self) -> State:
        """Return the next state; raises NoReply when none comes in time."""
        state = self.latest()
        if state is None:
            raise StopIteration
        return state

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
