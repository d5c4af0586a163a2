"""Requests and their replies over one connection, any number at a time: ids, time-outs, cancellation."""

import asyncio
import logging
import math
from collections.abc import Callable
from typing import TypeAlias

from coopsim.client.aio.transports import Came, Failed, Transport
from coopsim.client.connection import BaseConnection, is_about_unreadable_request
from coopsim.client.endpoints import Endpoint
from coopsim.errors import CoopsimError, NoReply, WrongVersion
from coopsim.message import Message, encode

_log = logging.getLogger(__name__)
MakeTransport: TypeAlias = Callable[[Came, Failed], Transport]


class Connection(BaseConnection):
    """A connection that finds the request of each reply by its id.

    Args:
        make: Makes what carries the messages.
        endpoint: Where the server listens.
        run: The run that requests are meant for; 0 = whichever is there.
    """

    def __init__(self, make: MakeTransport, endpoint: Endpoint, run: int = 0) -> None:
        super().__init__(endpoint, run)
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._transport = make(self._receive, self._fail)

    @property
    def waiting(self) -> int:
        """Number of requests that wait for their reply."""
        return len(self._waiting)

    async def send(self, number: int, request: Message, timeout: float) -> None:
        """Send a request; see `BaseConnection.send`."""
        if number not in self._waiting:
            self._waiting[number] = asyncio.get_running_loop().create_future()
        if not await self._transport.send(encode(request, number, self.run), timeout):
            raise self._unsent(request, timeout)

    async def receive(self, number: int, timeout: float) -> Message | None:
        """Return the reply to a request; see `BaseConnection.receive`."""
        waiting = self._waiting[number]
        if not waiting.done():
            await asyncio.wait((waiting,), timeout=timeout if math.isfinite(timeout) else None)
        return waiting.result() if waiting.done() else None

    def forget(self, number: int) -> None:
        """Stop waiting for a request: its reply, if one still comes, is passed over."""
        waiting = self._waiting.pop(number, None)
        if waiting is not None and waiting.done():
            waiting.exception()  # it may not have been awaited
        elif waiting is not None:
            waiting.cancel()

    def reset(self) -> None:
        """Begin a new connection; nothing that waited to be sent will be."""
        self._transport.reset()

    def close(self) -> None:
        """Close the connection; requests that still wait get a NoReply."""
        self._transport.close()
        self._fail(NoReply(f"the connection to {self.endpoint} was closed here"))

    def _receive(self, raw: bytes) -> None:
        try:
            reply = self._read(raw)
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
        """Return the request that waits; None for several: the server may mean any of them."""
        if len(self._waiting) == 1:
            return next(iter(self._waiting.values()))
        _log.warning("%s could not read one of %d requests: %s", self.endpoint, len(self._waiting), reply.text)
        return None

    def _fail(self, problem: CoopsimError) -> None:
        """End all waiting: no reply can come any more."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(problem)
