"""The connections of one client, by where they lead and by module."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Self, TypeVar

import zmq

from coopsim.client.connection import BaseConnection
from coopsim.client.endpoints import Endpoint, chosen, chosen_timeout
from coopsim.client.foreign_routes import ForeignRoutes
from coopsim.client.keys import ConnectionKeys, Keys
from coopsim.client.keys import chosen as chosen_keys
from coopsim.client.link import LinkSource, server_or_default
from coopsim.errors import NoReply
from coopsim.message import Param

_T = TypeVar("_T")


class ConnectionSet(ABC):
    """All connections of one client: the main one, those to robots of their own, and those to foreign servers.

    Args:
        endpoint: Of the main connection, which is made by `open`.
        timeout: How long to wait for a reply when a request does not say [s].
        keys: Ours and the server's; None = in the clear.
        source: The server, where it is in this process.

    Raises:
        NoKey: A key is missing.

    Attributes:
        endpoint: Of the main connection.
        timeout: How long to wait for a reply when a request does not say [s].
        keys: The keys of both sides; None = in the clear.
        run_number: The run that requests are meant for; 0 = not known yet, or the server has no such number.
        lock: Held while a request waits for its reply.
    """

    _not_open = "the connection was closed"

    def __init__(
        self, endpoint: Endpoint, timeout: float, keys: Keys | None = None, source: LinkSource | None = None
    ) -> None:
        self.endpoint, self.timeout, self.run_number = endpoint, timeout, 0
        self.keys = keys.for_server(endpoint.host) if keys is not None and endpoint.may_use_keys else None
        self.lock: AbstractContextManager[Any] = nullcontext()
        self._all_keys, self._source = keys, source
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._main: BaseConnection | None = None
        self._connections: dict[Endpoint, BaseConnection] = {}
        self._routes: dict[str, BaseConnection] = {}
        self._foreign = ForeignRoutes()
        self._token: Param = ""
        self._claimed: set[str] = set()

    @classmethod
    def to(cls, server: str | LinkSource | None, timeout: float | None, keys: Keys | str | Path | None) -> Self:
        """Return the connections to a server; what is None is read from the environment."""
        server = server_or_default(server)
        source = None if isinstance(server, str | None) else server
        return cls(chosen(server), chosen_timeout(timeout), chosen_keys(keys), source)

    @abstractmethod
    def _connect(self, endpoint: Endpoint, keys: ConnectionKeys | None, run: int) -> BaseConnection:
        """Return a new connection."""

    @abstractmethod
    def _call_blocking(self, function: Callable[..., _T], *args: Any) -> Any:
        """Return what a function that blocks returns, or what is awaited for it."""

    @abstractmethod
    def sleep(self, seconds: float) -> Any:
        """Wait for some real time [s]."""

    @property
    def main(self) -> BaseConnection:
        """The connection that takes requests for every module that has no other route.

        Raises:
            NoReply: It is not open.
        """
        if self._main is None:
            raise NoReply(f"no connection to {self.endpoint}: {self._not_open}")
        return self._main

    @property
    def context(self) -> "zmq.Context[zmq.Socket[bytes]]":
        """ZeroMQ context that makes the sockets."""
        # one of our own: the shared one does not survive forks and foreign terminations
        self._context = self._context or zmq.Context()
        return self._context

    def open(self) -> None:
        """Make the main connection."""
        if self._main is None:
            self._main = self._connections[self.endpoint] = self._connect(self.endpoint, self.keys, self.run_number)

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            for connection in self._connections.values():
                connection.close()
            self._connections.clear()
            self._routes.clear()
            self._main = None
            if self._context is not None:
                self._context.destroy(linger=0)
                self._context = None

    def is_on_main(self, target: str) -> bool:
        """Return whether a module is asked by the main connection, as far as is known."""
        return target not in self._routes

    def connection_to(self, target: str) -> BaseConnection:
        """Return the connection to a module, as far as is known.

        Raises:
            NoReply: None is open.
        """
        return self._routes.get(target) or self.main

    def _connected_foreign(self, endpoint: Endpoint) -> BaseConnection:
        """Return a connection to a server that is none of the simulation's: it knows no tokens, and has other keys."""
        if endpoint not in self._connections:
            keys = self._all_keys.for_foreign_server(endpoint) if self._all_keys is not None else None
            self._connections[endpoint] = self._connect(endpoint, keys, 0)
            self._foreign.add(endpoint)
        return self._connections[endpoint]

    def _drop(self, connection: BaseConnection) -> None:
        connection.close()
        self._connections.pop(connection.endpoint, None)
        self._foreign.discard(connection.endpoint)
        self._routes = {target: route for target, route in self._routes.items() if route is not connection}
