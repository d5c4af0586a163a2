"""Where states come in: the port of the stream by ZeroMQ, a connection of its own by plain TCP and TLS."""

import math
import time
from typing import Protocol

import zmq

from coopsim.client.endpoints import Endpoint
from coopsim.client.exchange import Exchange
from coopsim.client.flows import Ask
from coopsim.client.keepalive import KEEPALIVE
from coopsim.client.keys import Lock
from coopsim.client.links import PlainLink
from coopsim.client.switchboard import refusal
from coopsim.errors import NoReply
from coopsim.interfaces import INFO
from coopsim.message import Message, State, decode, state_of, unpack_state

INFO_MODULE, SUBSCRIBE = "/sim/info", INFO.command("subscribe").number


class Ear(Protocol):
    """Something that hears states."""

    def hear(self, timeout: float) -> State | None:
        """Return the next state, None if none came within `timeout` [s].

        Raises:
            MalformedMessage: What came is no state.
        """
        ...

    def close(self) -> None:
        """Hear nothing more."""
        ...


class ZmqEar:
    """A SUB socket."""

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self._socket = socket

    def hear(self, timeout: float) -> State | None:
        """Return the next state, None if none came within `timeout` [s]."""
        if not self._socket.poll(max(0, math.ceil(1000.0 * timeout))):
            return None
        return unpack_state(self._socket.recv())

    def close(self) -> None:
        """Close the socket."""
        self._socket.close(0)


class PlainEar:
    """A TCP connection that states are sent to; one that broke is made anew when somebody listens again.

    Args:
        endpoint: Where the server listens.
        lock: The keys of both sides, for TLS.
        topic: What to listen to.
        run: The run to listen to; 0 = whichever is there.
        timeout: How long to wait for the reply to the subscription [s].
        conflate: Pass over all but the newest state that has come.

    Raises:
        NoReply: No server answers.
        CoopsimError: The server refuses the topic.
    """

    def __init__(
        self, endpoint: Endpoint, lock: Lock | None, topic: str, run: int, timeout: float, *, conflate: bool
    ) -> None:
        self._link = PlainLink(endpoint, lock)
        self._endpoint, self._topic, self._run, self._timeout = endpoint, topic, run, timeout
        self._conflate = conflate
        self._is_subscribed = False
        self._subscribe()

    def hear(self, timeout: float) -> State | None:
        """Return the next state, the newest one with `conflate`; None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
        """
        if not self._is_subscribed:
            self._subscribe()
        deadline = time.monotonic() + timeout
        state = None
        while (raw := self._receive(deadline - time.monotonic())) is not None:
            state = state_in(decode(raw))
            if state is not None:
                break
        while state is not None and self._conflate and not state.is_ended and (raw := self._receive(0.0)) is not None:
            state = state_in(decode(raw)) or state
        return state

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _subscribe(self) -> None:
        exchange = Exchange(self._link, self._endpoint, self._run)
        reply = exchange.ask(Ask(INFO_MODULE, SUBSCRIBE, (self._topic,), binary=True), self._timeout)
        if reply.error:
            self._link.close()
            raise refusal(reply, INFO_MODULE)
        self._is_subscribed = True

    def _receive(self, timeout: float) -> bytes | None:
        try:
            return self._link.receive(timeout)
        except NoReply:
            self._is_subscribed = False
            raise


def state_in(message: Message) -> State | None:
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
    context: "zmq.Context[zmq.Socket[bytes]]", door: Lock | None, address: str, topic: str, *, conflate: bool
) -> "zmq.Socket[bytes]":
    """Return a ZeroMQ socket that listens to a topic."""
    made = context.socket(zmq.SUB)
    options = {
        zmq.LINGER: 0,
        zmq.CONFLATE: int(conflate),
        zmq.IPV6: int("[" in address),
        zmq.RECONNECT_IVL: 10,
        zmq.RECONNECT_IVL_MAX: 1000,
        **KEEPALIVE,
    }
    for option, value in options.items():
        made.setsockopt(option, value)
    if door is not None:
        door.put_on(made)
    # with the NUL, or `/robot1` would bring `/robot10` too
    made.setsockopt(zmq.SUBSCRIBE, topic.encode() + b"\0")
    made.connect(address)
    return made
