"""The connections below those of clients with keys."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coopsim.client.keyring import Key


class Wire:
    """The TCP connection below a ZeroMQ or TLS one; any thread may cut it.

    Args:
        descriptor: Of the socket, which ZeroMQ owns: it may be closed, and its number used again.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._peer = self._do(socket.socket.getpeername)

    def cut(self) -> None:
        """End the connection, if it is still the same one."""

        def shut(end: socket.socket) -> None:
            if end.getpeername() == self._peer:
                end.shutdown(socket.SHUT_RDWR)

        if self._peer is not None:
            self._do(shut)

    @property
    def address(self) -> str:
        """Address of the other side."""
        return str(self._peer[0]) if self._peer else "an unknown address"

    def _do(self, act: Callable[[socket.socket], Any]) -> Any:
        try:
            with socket.socket(fileno=os.dup(self._descriptor)) as end:
                return act(end)
        except OSError:  # it is over already
            return None


@dataclass(frozen=True, slots=True)
class KeyedConnection:
    """A connection with a key."""

    key: Key
    wire: Wire
