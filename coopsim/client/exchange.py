"""Requests and their replies over one connection: ids, time-outs, and what a bad network does to both."""

import time
from collections.abc import Callable, Sequence

from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask
from coopsim.client.link import Link
from coopsim.client.replies import Replies, is_about_unreadable_request
from coopsim.errors import NoReply
from coopsim.geometry import Floats
from coopsim.message import Message, Param, encode


class Exchange:
    """Sends requests and finds the reply to each.

    Replies are matched by id: late ones, duplicates, probes (empty messages) and garbage are passed over.

    Attributes:
        endpoint: Where the server listens.
        run: The run that requests are meant for; 0 = whichever is there.
    """

    def __init__(self, link: Link, endpoint: Endpoint, run: int = 0) -> None:
        self.endpoint, self.run = endpoint, run
        self._link = link
        self._reader = Replies()
        self._number = 0
        self._replies: dict[int, Message | None] = {}

    @property
    def undecodable(self) -> int:
        """How many replies could not be read so far."""
        return self._reader.undecodable

    def ask(self, ask: Ask, timeout: float, more: Callable[[], float] | None = None) -> Message:
        """Send a request and return its reply, refusals included.

        Args:
            ask: The request; its own time-out does not count here.
            timeout: How long to wait for the reply [s].
            more: Asked once when no reply came: how much longer to wait [s].

        Raises:
            NoReply: Nobody is connected, or no reply came in time.
            MessageTooLarge: The request is larger than any server takes.
            WrongVersion: The server speaks another version of the protocol.
        """
        deadline = time.monotonic() + timeout
        request = self.post(
            ask.target, ask.command, ask.params, ask.data, tick=ask.tick, binary=ask.binary, timeout=timeout
        )
        try:
            reply = self.wait(request, deadline - time.monotonic())
            if reply is None and more is not None:
                longer = more()
                timeout, reply = timeout + longer, self.wait(request, longer)
        finally:
            self.forget(request)
        if reply is None:
            raise NoReply(f"no reply from {ask.target} at {self.endpoint} within {timeout:g} s")
        return reply

    def post(
        self,
        target: str,
        command: int,
        params: tuple[Param, ...] = (),
        data: Sequence[float] | Floats = (),
        *,
        tick: int = 0,
        binary: bool = False,
        timeout: float,
    ) -> Message:
        """Send a request and return it, to `wait` for its reply and to `forget` it in the end.

        Raises:
            NoReply: Nobody is connected within `timeout` [s].
            MessageTooLarge: The request is larger than any server takes.
        """
        self._number += 1
        request = Message(target, command, params, data, tick, 0, "", self._number, binary, self.run)
        self.repeat(request, timeout)
        self._replies[request.id] = None
        return request

    def repeat(self, request: Message, timeout: float) -> None:
        """Send a request, perhaps once more: its reply may have been lost, and of two replies one is passed over.

        Raises:
            NoReply: Nobody is connected within `timeout` [s].
            MessageTooLarge: The request is larger than any server takes.
        """
        if not self._link.send(encode(request), timeout):
            raise NoReply(f"no server at {self.endpoint}: no connection for {request.target} within {timeout:g} s")

    def wait(self, request: Message, timeout: float) -> Message | None:
        """Return the reply to `request`, None if it did not come within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
            WrongVersion: The server speaks another version of the protocol.
        """
        early = self._replies.get(request.id)
        if early is not None:
            return early
        deadline = time.monotonic() + timeout
        while (raw := self._link.receive(timeout)) is not None:
            reply = self._reader.read(raw, self._replies)
            if reply is not None and (reply.id == request.id or is_about_unreadable_request(reply)):
                return reply
            if reply is not None and reply.id in self._replies:
                self._replies[reply.id] = reply
            timeout = deadline - time.monotonic()
            if timeout <= 0.0:
                break
        return None

    def forget(self, request: Message) -> None:
        """Stop waiting for a request: its reply, if one still comes, is passed over."""
        self._replies.pop(request.id, None)

    def reset(self) -> None:
        """Begin a new connection; nothing that waited to be sent will be."""
        self._link.reset()

    def close(self) -> None:
        """Close the connection."""
        self._link.close()
