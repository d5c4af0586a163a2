"""Requests and their replies over one connection, any number at a time: ids, time-outs, cancellation."""

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from coopsim.client.aio.carriers import Came, Carrier, Failed
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask
from coopsim.client.replies import Replies, is_about_unreadable_request
from coopsim.errors import CoopsimError, NoReply, WrongVersion
from coopsim.geometry import Floats
from coopsim.message import Message, Param, encode

_log = logging.getLogger(__name__)
Making: TypeAlias = Callable[[Came, Failed], Carrier]


class Exchange:
    """Sends requests and finds the reply to each by its id.

    Args:
        make: Makes the connection.
        endpoint: Where the server listens.
        run: The run that requests are meant for; 0 = whichever is there.

    Attributes:
        endpoint: Where the server listens.
        run: The run that requests are meant for.
    """

    def __init__(self, make: Making, endpoint: Endpoint, run: int = 0) -> None:
        self.endpoint, self.run = endpoint, run
        self._replies = Replies()
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._carrier = make(self._take, self._fail)

    @property
    def undecodable(self) -> int:
        """How many replies could not be read so far."""
        return self._replies.undecodable

    @property
    def waiting(self) -> int:
        """How many requests wait for their reply."""
        return len(self._waiting)

    async def ask(self, ask: Ask, timeout: float, more: Callable[[], Awaitable[float]] | None = None) -> Message:
        """Send a request and return its reply, refusals included; a request that is cancelled is forgotten.

        Args:
            ask: The request; its own time-out does not count here.
            timeout: How long to wait for the reply [s].
            more: Asked once when no reply came: how much longer to wait [s].

        Raises:
            NoReply: Nobody is connected, or no reply came in time.
            MessageTooLarge: The request is larger than any server takes.
            WrongVersion: The server speaks another version of the protocol.
        """
        deadline = asyncio.get_running_loop().time() + timeout
        request = self.new(ask.target, ask.command, ask.params, ask.data, tick=ask.tick, binary=ask.binary)
        try:
            await self.send(request, timeout)
            reply = await self.wait(request, deadline - asyncio.get_running_loop().time())
            if reply is None and more is not None:
                longer = await more()
                timeout, reply = timeout + longer, await self.wait(request, longer)
        finally:
            self.forget(request)
        if reply is None:
            raise NoReply(f"no reply from {ask.target} at {self.endpoint} within {timeout:g} s")
        return reply

    def new(
        self,
        target: str,
        command: int,
        params: tuple[Param, ...] = (),
        data: Sequence[float] | Floats = (),
        *,
        tick: int = 0,
        binary: bool = False,
    ) -> Message:
        """Return a request to `send`, to `wait` for its reply and to `forget` in the end."""
        self._number += 1
        request = Message(target, command, params, data, tick, 0, "", self._number, binary, self.run)
        self._waiting[request.id] = asyncio.get_running_loop().create_future()
        return request

    async def send(self, request: Message, timeout: float) -> None:
        """Send a request, perhaps once more: its reply may have been lost, and of two replies one is passed over.

        Raises:
            NoReply: Nobody is connected within `timeout` [s].
            MessageTooLarge: The request is larger than any server takes.
        """
        if not await self._carrier.send(encode(request), timeout):
            raise NoReply(f"no server at {self.endpoint}: no connection for {request.target} within {timeout:g} s")

    async def wait(self, request: Message, timeout: float) -> Message | None:
        """Return the reply to `request`, None if it did not come within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
            WrongVersion: The server speaks another version of the protocol.
        """
        waiting = self._waiting[request.id]
        if not waiting.done():
            await asyncio.wait((waiting,), timeout=timeout if math.isfinite(timeout) else None)
        return waiting.result() if waiting.done() else None

    def forget(self, request: Message) -> None:
        """Stop waiting for a request: its reply, if one still comes, is passed over."""
        waiting = self._waiting.pop(request.id, None)
        if waiting is not None and waiting.done():
            waiting.exception()  # nobody may have looked at it
        elif waiting is not None:
            waiting.cancel()

    def reset(self) -> None:
        """Begin a new connection; nothing that waited to be sent will be."""
        self._carrier.reset()

    def close(self) -> None:
        """Close the connection; whoever still waits is told so."""
        self._carrier.close()
        self._fail(NoReply(f"the connection to {self.endpoint} was closed here"))

    def _take(self, raw: bytes) -> None:
        try:
            reply = self._replies.read(raw, self._waiting)
        except WrongVersion as problem:
            self._fail(problem)
            return
        if reply is None:
            return
        waiting = self._waiting.get(reply.id)
        if waiting is None and is_about_unreadable_request(reply):
            waiting = self._only_one(reply)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    def _only_one(self, reply: Message) -> "asyncio.Future[Message] | None":
        """Return the request that waits; where there are more, nobody can know which one the server could not read."""
        if len(self._waiting) == 1:
            return next(iter(self._waiting.values()))
        _log.warning("%s could not read one of %d requests: %s", self.endpoint, len(self._waiting), reply.text)
        return None

    def _fail(self, problem: CoopsimError) -> None:
        """Let nobody wait for what cannot come any more."""
        for waiting in self._waiting.values():
            if not waiting.done():
                with contextlib.suppress(asyncio.InvalidStateError):
                    waiting.set_exception(problem)
