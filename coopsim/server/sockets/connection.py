"""Connections of the gateway: bytes on their way in and out, and what may stand between them and the socket."""

import socket
from collections import deque
from collections.abc import Callable, Collection
from typing import Protocol

from coopsim.errors import PortTaken
from coopsim.server.lockstep.sessions import Session

# Bytes that a client has not taken yet.
_PIECE = 1 << 16
"""Bytes of a piece; as much is sent at once."""


class Outbox:
    """Bytes in pieces: one block would grow by an eighth too much, and be there twice whenever it is moved."""

    __slots__ = ("_pieces", "_sent", "_size")

    def __init__(self) -> None:
        self._pieces: deque[bytearray] = deque()
        self._size = self._sent = 0

    def __len__(self) -> int:
        return self._size

    def add(self, raw: bytes | memoryview) -> None:
        """Keep bytes behind those that wait."""
        start = 0
        while start < len(raw):
            if not self._pieces or len(self._pieces[-1]) >= _PIECE:
                self._pieces.append(bytearray())
            piece = self._pieces[-1]
            end = start + _PIECE - len(piece)
            piece += raw[start:end]
            start = end
        self._size += len(raw)

    def send(self, send: Callable[[memoryview], int]) -> int:
        """Send the first piece, as far as `send` takes it; return how many bytes were taken.

        Raises:
            OSError: As `send` does.
        """
        with memoryview(self._pieces[0])[self._sent :] as rest:
            taken = send(rest)
            is_whole = taken == len(rest)
        self._size -= taken
        self._sent = 0 if is_whole else self._sent + taken
        if is_whole:
            self._pieces.popleft()
        return taken


_EVERYWHERE = "::"


class WrappedEnd(Protocol):
    """Layer between the messages and the socket of one connection, such as `TlsEnd`."""

    is_open: bool

    def unwrap(self, raw: bytes, /) -> bytes:
        """Return what came, without the wrapping; OSError for a client that is refused."""
        ...

    def seal(self, message: bytes, /) -> bytes:
        """Return what to send so that the client reads `message`."""
        ...

    def pending(self) -> bytes:
        """Return, and forget, what the wrapping itself has to send."""
        ...

    def alert(self) -> bytes:
        """Return what to send to a refused client."""
        ...

    def certificate(self) -> bytes:
        """Return the client's certificate (DER)."""
        ...


class MakesEnds(Protocol):
    """Wraps new connections, such as `TlsServer`.

    Attributes:
        carrier: What carries messages by it, for people.
    """

    carrier: str

    def new(self) -> WrappedEnd:
        """Return the end of a new connection."""
        ...


class TcpConnection:
    """A client: bytes on their way in and out.

    Attributes:
        missing: How many bytes of the message that has begun are still to come.
        came: When the last whole message came, or the connection [s].
        begun: When the unfinished message began [s].
        moved: When the client last took something of what waits for it [s].
        tls: What stands between the messages and the socket, None = nothing does.
    """

    __slots__ = ("begun", "came", "end", "inbox", "missing", "moved", "outbox", "session", "tls", "wants_out")

    def __init__(self, end: socket.socket, session: Session, now: float, tls: WrappedEnd | None = None) -> None:
        self.end, self.session, self.tls = end, session, tls
        self.inbox, self.outbox = bytearray(), Outbox()
        self.wants_out = False
        self.missing = 0
        self.came = self.begun = self.moved = now

    @property
    def address(self) -> str:
        """Address of its other end."""
        try:
            return str(self.end.getpeername()[0])
        except OSError:
            return "an unknown address"

    @property
    def sessions(self) -> Collection[Session]:
        """The clients at its other end."""
        return (self.session,)

    @property
    def is_idle(self) -> bool:
        """Whether it may be forgotten: its clients own nothing and wait for nothing."""
        return all(session.is_idle for session in self.sessions)

    @property
    def is_plain(self) -> bool:
        """Whether it is open, and nothing is under way, nor stands between the messages and the socket."""
        return self.tls is None and not (self.inbox or self.outbox)

    def serves(self, session: Session) -> bool:
        """Return whether this is a client at its other end."""
        return self.session is session


def listen_at(address: str, port: int, carrier: str) -> socket.socket:
    """Return a socket that listens, and never blocks.

    Raises:
        PortTaken: The port is not to be had; the text says which carrier wanted it.
    """
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        # a wildcard address accepts IPv4, too
        is_dual = address == _EVERYWHERE and socket.has_dualstack_ipv6()
        listener = socket.create_server((address, port), family=family, backlog=1024, dualstack_ipv6=is_dual)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise PortTaken(f"port {port} of {address} cannot be used for {carrier}: {reason}") from None
    listener.setblocking(False)
    return listener
