"""Client that sends any bytes, and messages that no server may accept."""

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import msgpack
import zmq

from coopsim.client.endpoints import parse
from coopsim.client.link import Link
from coopsim.client.socket_links import PlainLink, ZmqLink
from coopsim.errors import NoReply
from coopsim.message import Message, decode, encode


class RawClient:
    """A connection, ZeroMQ or plain TCP, that sends bytes and returns replies; a context manager.

    Args:
        endpoint: `tcp://host:port`, or `tcp+plain://host:port`.
        timeout: Default time limit [s].
    """

    def __init__(self, endpoint: str, timeout: float = 10.0) -> None:
        self.timeout = timeout
        place = parse(endpoint)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._link: Link = PlainLink(place) if place.is_plain else ZmqLink(self._context, place)
        self._number = 0

    def send(self, raw: bytes) -> None:
        """Send one message, well formed or not.

        Raises:
            NoReply: There is no connection.
        """
        if not self._link.send(raw, self.timeout):
            raise NoReply(f"no connection within {self.timeout:g} s")

    def receive(self, timeout: float | None = None) -> Message | None:
        """Return the next reply, None if there was none in time; probes are passed over.

        Raises:
            NoReply: The server closed the connection.
        """
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while (raw := self._link.receive(max(0.0, deadline - time.monotonic()))) is not None:
            if raw:
                return decode(raw)
        return None

    def post(self, request: Message) -> int:
        """Send a request and return the id it was given."""
        self._number += 1
        request = Message(request.target, request.command, request.params, request.data, request.tick, id=self._number)
        self.send(encode(request))
        return self._number

    def ask(self, request: Message) -> Message:
        """Send a request and return the reply to it; other replies are dropped.

        Raises:
            NoReply: None came in time.
        """
        number = self.post(request)
        while (reply := self.receive()) is not None:
            if reply.id == number:
                return reply
        raise NoReply(f"no reply to command {request.command} of {request.target} within {self.timeout:g} s")

    def close(self) -> None:
        """Close the connection."""
        self._link.close()
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# a message that would be answered: what is changed in it is what is refused
_GOOD = (1, 3, "/robot1/motors", 0, 0, "", 10, (), (0.1, 0.2))
_PLACES = ("version", "id", "target", "tick", "error", "text", "command", "params", "data")


def _with(**changes: object) -> bytes:
    packed: bytes = msgpack.packb([changes.get(name, value) for name, value in zip(_PLACES, _GOOD, strict=True)])
    return packed


MALFORMED: Mapping[str, bytes] = {
    "nothing": b"",
    "a byte without meaning": b"\xc1",
    "text": b"hello world",
    "cut off": _with()[:-3],
    "junk behind the end": _with() + b"junk",
    "a map": msgpack.packb({"command": 1}),
    "a number": msgpack.packb(7),
    "three fields": msgpack.packb([1, 2, 3]),
    "text as version": _with(version="1"),
    "another version": _with(version=9),
    "a negative id": _with(id=-1),
    "a number as target": _with(target=5),
    "a target of 300 letters": _with(target="x" * 300),
    "a negative command": _with(command=-1),
    "a command beyond every table": _with(command=2**63),
    "text as command": _with(command="go"),
    "nothing as params": _with(params=None),
    "a yes among params": _with(params=[True]),
    "a nil among params": _with(params=[None]),
    "an array among params": _with(params=[[1]]),
    "no number among params": _with(params=[float("nan")]),
    "too many params": _with(params=[0] * 5000),
    "text in data": _with(data=["fast"]),
    "no number in data": _with(data=[float("nan"), 0.0]),
    "infinity in data": _with(data=[float("inf"), 0.0]),
    "5 bytes as data": _with(data=b"12345"),
    "infinity in binary data": _with(data=b"\0\0\0\0\0\0\xf0\x7f" * 2),
    "an array that says 2^32": b"\xdd\xff\xff\xff\xff",
    "a text that says 2^32": b"\xdb\xff\xff\xff\xff",
    "no UTF-8": b"\x99\x01\x01\xa2\xff\xfe\x00\x00\xa0\x00\x90\x90",
    "10 000 arrays in each other": b"\x91" * 10_000 + b"\x90",
    "60 000 arrays in each other": b"\x91" * 60_000 + b"\x90",
    "a module that is not there": _with(target="/robotX/zz"),
    "a version and a command of their own": _with(version=7, command=99),
}
"""Payloads by what is wrong with them; a server answers each with exactly one error."""
