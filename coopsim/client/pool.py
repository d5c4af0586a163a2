"""The connections of the client that blocks."""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from coopsim.client.connection import Connection
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask, Flow, run_blocking
from coopsim.client.keys import ConnectionKeys, Keys
from coopsim.client.link import Link, LinkSource
from coopsim.client.routing import RequestRouter
from coopsim.client.socket_links import PlainLink, ZmqLink
from coopsim.client.zmtp_link import ZmtpLink
from coopsim.message import Message

_T = TypeVar("_T")


class ConnectionPool(RequestRouter):
    """All connections of one client; a lock lets threads share them, one request at a time."""

    run = staticmethod(run_blocking)

    def __init__(
        self, endpoint: Endpoint, timeout: float, keys: Keys | None = None, source: LinkSource | None = None
    ) -> None:
        super().__init__(endpoint, timeout, keys, source)
        self.lock = threading.RLock()
        self.open()

    def ask(self, ask: Ask) -> Message:
        """Send a request and return its reply; see `RequestRouter.routing`."""
        return run_blocking(self.routing(ask))

    def do(self, flow: Flow[_T]) -> _T:
        """Return what comes out of a flow."""
        return run_blocking(self.following(flow))

    def sleep(self, seconds: float) -> None:
        """Wait for some real time [s]."""
        time.sleep(seconds)

    def open_link(self) -> Link:
        """Return another connection to the same server, which the caller closes."""
        return self._link(self.endpoint, self.keys)

    def connection_over(self, link: Link) -> Connection:
        """Return what asks and waits on a link of one's own."""
        return Connection(link, self.endpoint, self.run_number)

    def _connect(self, endpoint: Endpoint, keys: ConnectionKeys | None, run: int) -> Connection:
        return Connection(self._link(endpoint, keys), endpoint, run)

    def _link(self, endpoint: Endpoint, keys: ConnectionKeys | None) -> Link:
        if self._source is not None and not endpoint.port:
            return self._source.open_link()
        if endpoint.is_plain:
            return PlainLink(endpoint, keys)
        return ZmqLink(self.context, endpoint, keys) if keys is not None else self._open_link(endpoint)

    def _open_link(self, endpoint: Endpoint) -> Link:
        """Return what carries messages by ZeroMQ in the clear."""
        return ZmtpLink(endpoint, lambda: ZmqLink(self.context, endpoint))

    def _call_blocking(self, function: Callable[..., _T], *args: Any) -> _T:
        return function(*args)
