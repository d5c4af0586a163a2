"""Receivers of states for asyncio: the port of the stream by ZeroMQ, a connection of its own by TCP and TLS."""

import asyncio
from abc import abstractmethod
from collections import deque

import zmq

from coopsim.client.aio.connection import Connection
from coopsim.client.aio.transports import Came, Failed, PlainTransport, Transport
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Steps
from coopsim.client.keys import ConnectionKeys
from coopsim.client.receivers import BaseTcpReceiver, StateReceiver, state_in
from coopsim.errors import CoopsimError
from coopsim.message import StateMessage, decode, unpack_state

# twenty seconds of a usual stream: who reads none for so long gets the newest ones
MOST_KEPT = 1000
"""Largest number of unread states, without `conflate`."""


class WaitingReceiver(StateReceiver):
    """Awaits states, or its end."""

    _is_closed = False

    def __init__(self) -> None:
        self._news = asyncio.Event()

    @abstractmethod
    def _next_state(self) -> StateMessage | None:
        """Return a state that has come, None if there is none."""

    async def receive(self, timeout: float) -> StateMessage | None:
        """Return the next state, None if none came within `timeout` [s] or the receiver was closed meanwhile."""
        try:
            async with asyncio.timeout(max(timeout, 0.0)):
                while not self._is_closed:
                    # an event is reported once: look only after forgetting the last one
                    self._news.clear()
                    if (state := self._next_state()) is not None:
                        return state
                    await self._news.wait()
        except TimeoutError:
            pass
        return None


class ZmqStateReceiver(WaitingReceiver):
    """A SUB socket that the event loop looks after."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        super().__init__()
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        # asking for EVENTS takes the signal back, which else wakes the loop all the time until somebody reads
        self._loop.add_reader(socket.FD, lambda: self._news.set() if socket.EVENTS else None)

    def close(self) -> None:
        """Close the socket."""
        self._loop.remove_reader(self._socket.FD)
        self._socket.close(0)
        self._is_closed = True
        self._news.set()

    def _next_state(self) -> StateMessage | None:
        try:
            return unpack_state(self._socket.recv(zmq.NOBLOCK))
        except zmq.Again:
            return None


class TcpStateReceiver(BaseTcpReceiver, WaitingReceiver):
    """A TCP connection that states are sent to."""

    def __init__(
        self, endpoint: Endpoint, keys: ConnectionKeys | None, topic: str, run: int, timeout: float, *, conflate: bool
    ) -> None:
        super().__init__(endpoint, keys, topic, run, timeout, conflate=conflate)
        self._news = asyncio.Event()
        self._kept: deque[StateMessage] = deque(maxlen=1 if conflate else MOST_KEPT)
        self._problem: CoopsimError | None = None
        self._is_broken = False
        self._connection = Connection(self._make, endpoint, run)

    def subscribing(self) -> Steps[None]:
        """Subscribe, also anew after the connection broke; see `BaseTcpReceiver.subscribing`."""
        if not self._is_subscribed:
            self._problem, self._is_broken = None, False
            yield from super().subscribing()

    def close(self) -> None:
        """Close the connection."""
        super().close()
        self._is_closed = True
        self._news.set()

    def _next_state(self) -> StateMessage | None:
        if self._kept:
            return self._kept.popleft()
        if self._problem is None:
            return None
        self._is_subscribed = not self._is_broken
        raise self._problem

    def _make(self, on_message: Came, failed: Failed) -> Transport:
        def receive(raw: bytes) -> None:
            try:
                state = state_in(decode(raw)) if raw else None
            except CoopsimError as problem:
                self._problem = problem
                self._news.set()
                return
            if state is None:
                on_message(raw)
            else:
                self._kept.append(state)
                self._news.set()

        def fail(problem: CoopsimError) -> None:
            self._problem, self._is_broken = problem, True
            self._news.set()
            failed(problem)

        return PlainTransport(self._endpoint, self._keys, receive, fail)
