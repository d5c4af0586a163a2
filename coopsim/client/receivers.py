"""Receivers of states: the port of the stream by ZeroMQ, a connection of its own by plain TCP and TLS."""

import math
import time
from abc import ABC, abstractmethod
from typing import Any

import zmq

from coopsim.client.connection import BaseConnection, Connection, refusal
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Steps
from coopsim.client.info import INFO_MODULE, SUBSCRIBE
from coopsim.client.keepalive import KEEPALIVE
from coopsim.client.keys import ConnectionKeys
from coopsim.client.socket_links import PlainLink
from coopsim.errors import NoReply
from coopsim.message import Message, StateMessage, decode, state_of, unpack_state


class StateReceiver(ABC):
    """Receives states."""

    def subscribing(self) -> Steps[None]:
        """Subscribe, also anew after the connection broke; a ZeroMQ socket does so by itself."""
        yield from ()

    @abstractmethod
    def receive(self, timeout: float) -> Any:
        """Return the next state, or what is awaited for it; None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
            CoopsimError: The server sends this topic no more, or what came is no state.
        """

    @abstractmethod
    def close(self) -> None:
        """Receive nothing more."""


class ZmqStateReceiver(StateReceiver):
    """A SUB socket."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self._socket = socket

    def receive(self, timeout: float) -> StateMessage | None:
        """Return the next state, None if none came within `timeout` [s]."""
        if not self._socket.poll(max(0, math.ceil(1000.0 * timeout))):
            return None
        return unpack_state(self._socket.recv())

    def close(self) -> None:
        """Close the socket."""
        self._socket.close(0)


class BaseTcpReceiver(StateReceiver):
    """Subscribes on a TCP connection of its own, and anew when it broke.

    Args:
        endpoint: Where the server listens.
        keys: The keys of both sides, for TLS.
        topic: What to listen to.
        run: The run to listen to; 0 = whichever is there.
        timeout: How long to wait for the reply to the subscription [s].
        conflate: Pass over all but the newest state that has come.
    """

    _connection: BaseConnection

    def __init__(
        self, endpoint: Endpoint, keys: ConnectionKeys | None, topic: str, run: int, timeout: float, *, conflate: bool
    ) -> None:
        self._endpoint, self._keys, self._run = endpoint, keys, run
        self._subscription = Message(INFO_MODULE, SUBSCRIBE, (topic,), binary=True)
        self._timeout, self._conflate = timeout, conflate
        self._is_subscribed = False

    def subscribing(self) -> Steps[None]:
        """Subscribe, also anew after the connection broke.

        Raises:
            NoReply: No server answers.
            CoopsimError: The server refuses the topic.
        """
        if not self._is_subscribed:
            reply = yield from self._connection.asking(self._subscription, self._timeout)
            if reply.error:
                raise refusal(reply, INFO_MODULE)
            self._is_subscribed = True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class TcpStateReceiver(BaseTcpReceiver):
    """A TCP connection that states are sent to."""

    def __init__(
        self, endpoint: Endpoint, keys: ConnectionKeys | None, topic: str, run: int, timeout: float, *, conflate: bool
    ) -> None:
        super().__init__(endpoint, keys, topic, run, timeout, conflate=conflate)
        self._link = PlainLink(endpoint, keys)
        self._connection = Connection(self._link, endpoint, run)

    def receive(self, timeout: float) -> StateMessage | None:
        """Return the next state, the newest one with `conflate`; None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
        """
        deadline = time.monotonic() + timeout
        state = None
        while state is None and (raw := self._receive(deadline - time.monotonic())) is not None:
            state = state_in(decode(raw))
        while state is not None and self._conflate and not state.is_ended and (raw := self._receive(0.0)) is not None:
            state = state_in(decode(raw)) or state
        return state

    def _receive(self, timeout: float) -> bytes | None:
        try:
            return self._link.receive(timeout)
        except NoReply:
            self._is_subscribed = False
            raise


def state_in(message: Message) -> StateMessage | None:
    """Return the state in a message, None if it is a reply.

    Raises:
        CoopsimError: The server says that it sends this topic no more.
        MalformedMessage: It is neither.
    """
    if message.id != 0 or message.command != SUBSCRIBE:
        return None
    if message.error:
        raise refusal(message, message.target)
    return state_of(message)


def subscribed(
    context: "zmq.Context[zmq.Socket[bytes]]", keys: ConnectionKeys | None, address: str, topic: str, *, conflate: bool
) -> "zmq.Socket[bytes]":
    """Return a ZeroMQ socket that listens to a topic."""
    socket = context.socket(zmq.SUB)
    options = {
        zmq.LINGER: 0,
        zmq.CONFLATE: int(conflate),
        zmq.IPV6: int("[" in address),
        zmq.RECONNECT_IVL: 10,
        zmq.RECONNECT_IVL_MAX: 1000,
        **KEEPALIVE,
    }
    for option, value in options.items():
        socket.setsockopt(option, value)
    if keys is not None:
        keys.apply_to(socket)
    # with the NUL, or `/robot1` would bring `/robot10` too
    socket.setsockopt(zmq.SUBSCRIBE, topic.encode() + b"\0")
    socket.connect(address)
    return socket
