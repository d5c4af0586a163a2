"""A client without manners: it sends whatever bytes it is given, and counts what comes back."""

import time
from types import TracebackType
from typing import Self

import zmq

from coopsim.client.endpoints import parse
from coopsim.client.link import Link
from coopsim.client.links import PlainLink, ZmqLink
from coopsim.errors import NoReply
from coopsim.message import Message, decode, encode


class RawClient:
    """One connection, ZeroMQ or plain TCP, that sends bytes and returns replies; a context manager.

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
