"""The connections of the client for asyncio."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from coopsim.client.aio.connection import Connection, MakeTransport
from coopsim.client.aio.transports import Came, Failed, LinkTransport, PlainTransport, Transport, ZmqTransport
from coopsim.client.aio.zmtp_transport import ZmtpTransport
from coopsim.client.connection import BaseConnection
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask, Flow, Steps, run_async
from coopsim.client.keys import ConnectionKeys
from coopsim.client.routing import RequestRouter
from coopsim.message import Message

_T = TypeVar("_T")


class ConnectionPool(RequestRouter):
    """All connections of one client, in one event loop; `open` makes the main one."""

    run = staticmethod(run_async)
    _not_open = "begin with `async with connect() as sim`"
    _explanation: asyncio.Task[str] | None = None

    def ask(self, ask: Ask) -> Coroutine[Any, Any, Message]:
        """Send a request, await its reply; see `RequestRouter.routing`."""
        return run_async(self.routing(ask))

    def do(self, flow: Flow[_T]) -> Coroutine[Any, Any, _T]:
        """Await what comes out of a flow."""
        return run_async(self.following(flow))

    async def sleep(self, seconds: float) -> None:
        """Wait for some real time [s]."""
        await asyncio.sleep(seconds)

    def close(self) -> None:
        """Close all connections; requests that still wait get a NoReply."""
        super().close()
        if self._explanation is not None:
            self._explanation.cancel()

    def open_transport(self, receive: Came, failed: Failed) -> Transport:
        """Return another connection to the same server, which the caller closes."""
        return self._carrier(self.endpoint, self.keys)(receive, failed)

    def _connect(self, endpoint: Endpoint, keys: ConnectionKeys | None, run: int) -> Connection:
        return Connection(self._carrier(endpoint, keys), endpoint, run)

    def _carrier(self, endpoint: Endpoint, keys: ConnectionKeys | None) -> MakeTransport:
        """Return what makes a carrier of messages."""
        if self._source is not None and not endpoint.port:
            return partial(LinkTransport, self._source.open_link())
        if endpoint.is_plain:
            return partial(PlainTransport, endpoint, keys)
        if keys is None:
            return self._open_transport(endpoint)
        return partial(ZmqTransport, self.context, endpoint, keys)

    def _open_transport(self, endpoint: Endpoint) -> MakeTransport:
        """Return what makes a carrier of messages by ZeroMQ in the clear."""
        return partial(
            ZmtpTransport, endpoint, lambda receive, failed: ZmqTransport(self.context, endpoint, None, receive, failed)
        )

    def _call_blocking(self, function: Callable[..., _T], *args: Any) -> Awaitable[_T]:
        return asyncio.to_thread(function, *args)

    def _explaining(self, connection: BaseConnection, target: str) -> Steps[str]:
        # all who wait in vain at this moment want to know the same
        steps = super()._explaining(connection, target)
        self._explanation = shared(self._explanation, lambda: self.run(steps))
        return str((yield asyncio.shield(self._explanation)))


def shared(running: "asyncio.Task[_T] | None", start: Callable[[], Coroutine[Any, Any, _T]]) -> "asyncio.Task[_T]":
    """Return the task that runs, or start one, for many waiters: cancelling one does not affect the others."""
    if running is not None and not running.done():
        return running
    task = asyncio.create_task(start())
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """Retrieve the outcome of a task, which asyncio else reports as lost when all waiters were cancelled."""
    if not task.cancelled():
        task.exception()
