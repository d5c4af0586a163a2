"""The seam between a client and what carries its messages: send one, receive one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, runtime_checkable

from coopsim.message import Message


class Link(Protocol):
    """A connection to one server that carries whole messages."""

    def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if there was no connection within `timeout` [s]."""
        ...

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
        """
        ...

    def reset(self) -> None:
        """Begin a new connection; a message that was not sent yet must not reach the next server."""
        ...

    def close(self) -> None:
        """Close the connection and drop what was not sent yet."""
        ...


@runtime_checkable
class NotifiesReplies(Protocol):
    """A link whose replies may come later, outside of `send` and `receive`."""

    def on_reply(self, call: Callable[[], object]) -> None:
        """Call `call` after each deferred reply, in any thread."""
        ...


@runtime_checkable
class CarriesMessages(Protocol):
    """A link within a process, which needs no bytes for what comes in every step."""

    def send_message(self, request: Message) -> None:
        """Send a request."""
        ...

    def receive_message(self, timeout: float) -> bytes | Message | None:
        """Return the next message: the reply to such a request as it is, bytes of all others; None if none came."""
        ...


@runtime_checkable
class HasSocket(Protocol):
    """A link over a plain socket, which may be lent for one request and its reply.

    Attributes:
        framing: What is around messages, `compiled.TCP` or `compiled.ZMTP`.
    """

    framing: int

    def descriptor(self, timeout: float) -> int:
        """Return the socket's, which waits so long for what comes; -1 = there is none, or something came already."""
        ...

    def accept_received(self, raw: bytes) -> None:
        """Take in what somebody else has received."""
        ...

    def send(self, raw: bytes, timeout: float, sent: int = 0) -> bool:
        """Send one message, of whose frame so many bytes were sent already; see `Link.send`."""
        ...


class LinkSource(Protocol):
    """A server in this process: `connect` takes it in place of an address."""

    def open_link(self) -> Link:
        """Return a new connection to the server."""
        ...


_DEFAULT: ContextVar[LinkSource | None] = ContextVar("default_server", default=None)


@contextmanager
def default_server(server: LinkSource) -> Iterator[None]:
    """Let `connect()` without an address reach `server` while the block lasts, in this thread."""
    token = _DEFAULT.set(server)
    try:
        yield
    finally:
        _DEFAULT.reset(token)


def server_or_default(server: str | LinkSource | None) -> str | LinkSource | None:
    """Return `server`; None = the default one, if there is any."""
    return _DEFAULT.get() if server is None else server
