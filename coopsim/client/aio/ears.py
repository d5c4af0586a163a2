"""Where states come in while others wait: the port of the stream by ZeroMQ, a connection of its own by TCP and TLS."""

import asyncio
from collections import deque
from typing import Protocol

import zmq

from coopsim.client.aio.carriers import Came, Carrier, Failed, PlainCarrier
from coopsim.client.aio.exchange import Exchange
from coopsim.client.ears import INFO_MODULE, SUBSCRIBE, state_in
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask
from coopsim.client.keys import Lock
from coopsim.client.switchboard import refusal
from coopsim.errors import CoopsimError
from coopsim.message import State, decode, unpack_state

MOST_KEPT = 1000
"""Number of states that are kept while nobody looks, without `conflate`."""


class Ear(Protocol):
    """Something that hears states.

    Attributes:
        news: Set when something may have come.
    """

    news: asyncio.Event

    async def begin(self) -> None:
        """Listen from now on."""
        ...

    def take(self) -> State | None:
        """Return the next state, None if there is none yet.

        Raises:
            CoopsimError: None can come any more, or what came is no state.
        """
        ...

    def close(self) -> None:
        """Hear nothing more."""
        ...


class ZmqEar:
    """A SUB socket that the event loop looks after."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self.news = asyncio.Event()
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(socket.FD, self.news.set)

    async def begin(self) -> None:
        """Do nothing: it listens."""

    def take(self) -> State | None:
        """Return the next state, None if there is none yet."""
        # the descriptor reports an event once; look only after forgetting the last one
        self.news.clear()
        try:
            return unpack_state(self._socket.recv(zmq.NOBLOCK))
        except zmq.Again:
            return None

    def close(self) -> None:
        """Close the socket."""
        self._loop.remove_reader(self._socket.FD)
        self._socket.close(0)
        self.news.set()


class PlainEar:
    """A TCP connection that states are sent to.

    Args:
        endpoint: Where the server listens.
        lock: The keys of both sides, for TLS.
        topic: What to listen to.
        run: The run to listen to; 0 = whichever is there.
        timeout: How long to wait for the reply to the subscription [s].
        conflate: Keep the newest state alone.
    """

    def __init__(
        self, endpoint: Endpoint, lock: Lock | None, topic: str, run: int, timeout: float, *, conflate: bool
    ) -> None:
        self.news = asyncio.Event()
        self._endpoint, self._lock, self._topic, self._timeout = endpoint, lock, topic, timeout
        self._kept: deque[State] = deque(maxlen=1 if conflate else MOST_KEPT)
        self._problem: CoopsimError | None = None
        self._exchange = Exchange(self._make, endpoint, run)

    async def begin(self) -> None:
        """Subscribe.

        Raises:
            NoReply: No server answers.
            CoopsimError: The server refuses the topic.
        """
        reply = await self._exchange.ask(Ask(INFO_MODULE, SUBSCRIBE, (self._topic,), binary=True), self._timeout)
        if reply.error:
            raise refusal(reply, INFO_MODULE)

    def take(self) -> State | None:
        """Return the next state, None if there is none yet.

        Raises:
            CoopsimError: The connection is over, or what came is no state.
        """
        self.news.clear()
        if self._kept:
            return self._kept.popleft()
        if self._problem is not None:
            raise self._problem
        return None

    def close(self) -> None:
        """Close the connection."""
        self._exchange.close()
        self.news.set()

    def _make(self, came: Came, failed: Failed) -> Carrier:
        def take(raw: bytes) -> None:
            try:
                state = state_in(decode(raw)) if raw else None
            except CoopsimError as problem:
                self._problem = problem
                self.news.set()
                return
            if state is None:
                came(raw)
            else:
                self._kept.append(state)
                self.news.set()

        def fail(problem: CoopsimError) -> None:
            self._problem = problem
            self.news.set()
            failed(problem)

        return PlainCarrier(self._endpoint, self._lock, take, fail)
