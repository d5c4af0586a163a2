"""Clock of a socket: when a client has first sent something by it, and when it last received something."""

import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from coopsim.client.compiled import CompiledExchange

_SENDING, _RECEIVING = ("send", "sendall", "sendmsg"), ("recv", "recv_into", "recvmsg")

_BOTH = ((CompiledExchange, "make"),)


class SocketClock:
    """Notes times while it is entered, of all sockets of this process; a call of C that exchanges messages is both.

    Attributes:
        sent: When the first call began that sends, 0 = none did [ns].
        received: When the last call ended that receives, 0 = none did [ns].
    """

    def __init__(self) -> None:
        self.sent = self.received = 0
        self._make = CompiledExchange.make

    def __enter__(self) -> Self:
        for owner, name in _BOTH:
            setattr(owner, name, self._around_receiving(self._around_sending(self._make)))
        for name in _SENDING:
            setattr(socket.socket, name, self._around_sending(getattr(socket.socket, name)))
        for name in _RECEIVING:
            setattr(socket.socket, name, self._around_receiving(getattr(socket.socket, name)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for owner, name in _BOTH:
            setattr(owner, name, self._make)
        for name in (*_SENDING, *_RECEIVING):
            delattr(socket.socket, name)  # those of the class it is made of are seen again

    def restart(self) -> None:
        """Forget the times."""
        self.sent = self.received = 0

    def _around_sending(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def send(*arguments: Any) -> Any:
            self.sent = self.sent or time.monotonic_ns()
            return method(*arguments)

        return send

    def _around_receiving(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def receive(*arguments: Any) -> Any:
            result = method(*arguments)
            self.received = time.monotonic_ns()
            return result

        return receive
