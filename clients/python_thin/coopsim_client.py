"""A client of coopsim in one file: plain TCP and msgpack, no simulator.

sim = Client()                                # COOPSIM_TCP, or 127.0.0.1:5571
ranges = sim.ask("/robot1/sonars", 10).data
sim.ask("/robot1/motors", 10, data=[0.3, 0.1])
"""

import os
import socket
import struct
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgpack

VERSION, LARGEST, MOST_STATES = 1, 1 << 20, 64
PING, ELSEWHERE = 0, 207
Value = int | float | str


class CoopsimError(Exception):
    """Something went wrong between this program and the simulation."""


class Refused(CoopsimError):
    """The server refused a request; `number` says why (protocol, section 11), `params` what a program needs."""

    def __init__(self, number: int, text: str, params: list[Value]) -> None:
        super().__init__(f"error {number}: {text}")
        self.number, self.params = number, params


class Silent(CoopsimError):
    """No reply came in time."""


class Lost(CoopsimError):
    """There is no connection; make a new client."""


class Malformed(CoopsimError):
    """The server sent something that is no message."""


class Message(NamedTuple):
    """One message, its fields in the order of the protocol."""

    version: int
    id: int
    target: str
    tick: int
    error: int
    text: str
    command: int
    params: list[Value]
    data: list[float]


def encode(
    number: int, target: str, command: int, params: Sequence[Value], data: Sequence[float], tick: int = 0, run: int = 0
) -> bytes:
    """Return the bytes of a request; without a `run` it is for whichever is there."""
    fields = [VERSION, number, target, tick, 0, "", command, list(params), [float(value) for value in data]]
    return bytes(msgpack.packb(fields + [run] * (run > 0)))


def decode(raw: bytes) -> Message:
    """Return the message of some bytes; Malformed when they are none."""
    try:
        fields = msgpack.unpackb(raw, unicode_errors="surrogateescape", strict_map_key=False)
        message = Message(*fields[:9])  # later versions append fields
        data: Any = message.data
        if isinstance(data, bytes):
            data = struct.unpack(f"<{len(data) // 8}d", data)
        fits = [int, int, str, int, int, str, int, list] == [type(field) for field in message[:8]]
        message = message._replace(data=[float(value) for value in data])
    except (ValueError, TypeError, struct.error) as problem:
        raise Malformed(f"the server sent no message: {problem}") from None
    if not fits or message.version != VERSION:
        raise Malformed(f"the server sent no message of version {VERSION}: {message[:8]}")
    return message


class Link:
    """A connection: messages, each behind its length."""

    def __init__(self, address: str, timeout: float) -> None:
        self.host, _, port = address.removeprefix("tcp://").rpartition(":")
        try:
            self._socket = socket.create_connection((self.host, int(port)), timeout)
        except OSError as problem:
            raise Lost(f"no simulation at {address}: {problem}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._inbox = bytearray()

    def send(self, raw: bytes) -> None:
        """Send one message."""
        try:
            self._socket.sendall(struct.pack(">I", len(raw)) + raw)
        except OSError as problem:
            raise Lost(f"the simulation is gone: {problem}") from None

    def receive(self, deadline: float) -> bytes:
        """Return the next message; what came of one before the deadline is kept for later."""
        while True:
            if len(self._inbox) >= 4:
                end = 4 + int.from_bytes(self._inbox[:4], "big")
                if end > 4 + LARGEST:
                    self.close()
                    raise Malformed(f"the server announced a message of {end - 4} bytes")
                if len(self._inbox) >= end:
                    raw = bytes(self._inbox[4:end])
                    del self._inbox[:end]
                    return raw
            self._inbox += self._part(deadline)

    def _part(self, deadline: float) -> bytes:
        try:
            self._socket.settimeout(max(deadline - time.monotonic(), 1e-6))
            part = self._socket.recv(1 << 16)
        except TimeoutError:
            raise Silent("no reply in time: is the simulation paused, or waiting for another robot?") from None
        except OSError as problem:
            raise Lost(f"the simulation is gone: {problem}") from None
        if not part:
            self.close()
            raise Lost("the simulation has closed the connection")
        return part

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


class Client:
    """A client of one run at host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571; a context manager."""

    def __init__(self, address: str = "", timeout: float = 5.0) -> None:
        self._link = Link(address or os.environ.get("COOPSIM_TCP", "127.0.0.1:5571"), timeout)
        self._timeout, self._number, self.run = timeout, 0, 0
        self._elsewhere: dict[str, Link] = {}
        self._states: deque[Message] = deque(maxlen=MOST_STATES)
        # from now on another run refuses what is meant for this one
        self.run = int(self.ask("/sim/clock", PING).params[1])

    def ask(
        self, target: str, command: int, params: Sequence[Value] = (), data: Sequence[float] = (), tick: int = 0
    ) -> Message:
        """Send a request and return its reply; CoopsimError says what went wrong."""
        asked = (target, command, params, data, tick)
        if target in self._elsewhere:
            return _checked(self._exchange(self._elsewhere[target], *asked, 0))
        reply = self._exchange(self._link, *asked, self.run)
        if reply.error == ELSEWHERE and reply.params[1]:
            address = str(reply.params[1]).replace("0.0.0.0", self._link.host)
            self._elsewhere[target] = Link(address, self._timeout)
            reply = self._exchange(self._elsewhere[target], *asked, 0)
        return _checked(reply)

    def state(self) -> Message:
        """Return the next state of a topic that was subscribed to (`ask("/sim/info", 11, [topic])`)."""
        deadline = time.monotonic() + self._timeout
        while not self._states:
            self._sort(self._link.receive(deadline))
        return self._states.popleft()

    def _exchange(
        self, link: Link, target: str, command: int, params: Sequence[Value], data: Sequence[float], tick: int, run: int
    ) -> Message:
        self._number += 1
        link.send(encode(self._number, target, command, params, data, tick, run))
        deadline = time.monotonic() + self._timeout
        while True:
            reply = self._sort(link.receive(deadline))
            if reply is not None and reply.id == self._number:  # what came too late for an earlier request goes by
                return reply

    def _sort(self, raw: bytes) -> Message | None:
        """Return a reply, keep a state; an empty message is a probe."""
        message = decode(raw) if raw else None
        if message is not None and message.id == 0:
            self._states.append(message)
            return None
        return message

    def close(self) -> None:
        """End all connections."""
        for link in (self._link, *self._elsewhere.values()):
            link.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked(reply: Message) -> Message:
    if reply.error:
        raise Refused(reply.error, reply.text, reply.params)
    return reply
