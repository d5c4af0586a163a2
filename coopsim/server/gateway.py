"""Plain TCP: every message behind its length, for anything that has sockets.

Source: CoopDynSim, section III (any language with sockets can control the robots); C-13, C-21.
"""

import contextlib
import select
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable

from coopsim.errors import MessageTooLarge, PortTaken
from coopsim.message import MAX_BYTES, encode, failure
from coopsim.server.modules import Modules
from coopsim.server.sessions import Session

_LENGTH = struct.Struct(">I")
_CHUNK = 1 << 16
MOST_CONNECTIONS = 1000
MOST_UNREAD = 8 << 20
"""A client that leaves so many bytes of replies unread is dropped."""


class _Connection:
    """One client: bytes on their way in and out."""

    __slots__ = ("end", "inbox", "outbox", "session", "wants_out")

    def __init__(self, end: socket.socket, session: Session) -> None:
        self.end, self.session = end, session
        self.inbox, self.outbox = bytearray(), bytearray()
        self.wants_out = False


class Gateway:
    """Listens on loopback and serves each connection without ever blocking; all but `post` belongs to one thread.

    Args:
        port: TCP port, 0 = a free one.
        modules: What answers.
        poller: Reports the sockets.
        wake: Called when `post` was used by another thread.
        most: How many connections there may be; beyond, one that never said anything makes room.

    Raises:
        PortTaken: The port is in use.
    """

    def __init__(
        self,
        port: int,
        modules: Modules,
        poller: select.epoll,
        wake: Callable[[], object],
        most: int = MOST_CONNECTIONS,
    ) -> None:
        try:
            self._listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        except (OSError, OverflowError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise PortTaken(f"port {port} cannot be used for plain TCP: {reason}") from None
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._modules, self._poller, self._wake, self._most = modules, poller, wake, most
        self._owner = threading.get_ident()
        self._connections: dict[int, _Connection] = {}
        self._silent: dict[int, None] = {}
        self._outbox: deque[tuple[Session, bytes]] = deque()
        poller.register(self._listener, select.EPOLLIN)

    @property
    def clients(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    def handle(self, descriptor: int, events: int) -> bool:
        """Do what `poller` reported; False when the descriptor is none of this gateway's."""
        if descriptor == self._listener.fileno():
            self._accept()
            return True
        connection = self._connections.get(descriptor)
        if connection is None:
            return False
        if events & select.EPOLLOUT:
            self._push(connection)
        if events & ~select.EPOLLOUT and descriptor in self._connections:
            self._receive(connection)
        return True

    def adopt(self) -> None:
        """Make the calling thread the owner of the sockets."""
        self._owner = threading.get_ident()

    def post(self, session: Session, raw: bytes) -> None:
        """Send a reply; from another thread it is handed over."""
        if threading.get_ident() == self._owner:
            self._send(session, raw)
        else:
            self._outbox.append((session, raw))
            self._wake()

    def flush(self) -> None:
        """Send what other threads handed over."""
        while self._outbox:
            self._send(*self._outbox.popleft())

    def close(self) -> None:
        """Send what the kernel takes and close everything."""
        self.flush()
        for connection in list(self._connections.values()):
            self._push(connection)
            self._drop(connection)
        with contextlib.suppress(OSError, ValueError):
            self._poller.unregister(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        try:
            end, address = self._listener.accept()
        except OSError:  # it is gone already, or there are no descriptors left: it stays in the backlog
            return
        if len(self._connections) >= self._most and not self._make_room():
            end.close()
            return
        end.setblocking(False)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        descriptor = end.fileno()
        self._connections[descriptor] = _Connection(end, Session(self, descriptor, f"TCP client at port {address[1]}"))
        self._silent[descriptor] = None
        self._poller.register(descriptor, select.EPOLLIN)

    def _make_room(self) -> bool:
        oldest = next(iter(self._silent), None)
        if oldest is None:
            return False
        self._drop(self._connections[oldest])
        return True

    def _receive(self, connection: _Connection) -> None:
        try:
            came = connection.end.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            came = b""
        if not came:
            self._drop(connection)
            return
        connection.inbox += came
        self._answer_all(connection)

    def _answer_all(self, connection: _Connection) -> None:
        inbox, session = connection.inbox, connection.session
        start = 0
        while len(inbox) - start >= 4 and not session.is_gone:
            (length,) = _LENGTH.unpack_from(inbox, start)
            if length > MAX_BYTES:
                self._send(session, encode(failure(MessageTooLarge(f"a message is at most {MAX_BYTES} bytes"))))
                self._drop(connection)
                return
            end = start + 4 + length
            if len(inbox) < end:
                break
            raw = bytes(inbox[start + 4 : end])
            start = end
            self._silent.pop(session.route, None)
            reply = self._modules.respond(raw, session)
            if reply is not None:
                self._send(session, reply)
        del inbox[:start]

    def _send(self, session: Session, raw: bytes) -> None:
        connection = self._connections.get(session.route)
        if connection is None or connection.session is not session:
            return
        message = _LENGTH.pack(len(raw)) + raw
        if not connection.outbox:
            try:
                sent = connection.end.send(message)
            except BlockingIOError:
                sent = 0
            except OSError:
                self._drop(connection)
                return
            if sent == len(message):
                return
            message = message[sent:]
        connection.outbox += message
        if len(connection.outbox) > MOST_UNREAD:
            self._drop(connection)
        else:
            self._want_out(connection, wanted=True)

    def _push(self, connection: _Connection) -> None:
        outbox = connection.outbox
        while outbox:
            try:
                sent = connection.end.send(memoryview(outbox)[:_CHUNK])
            except BlockingIOError:
                break
            except OSError:
                self._drop(connection)
                return
            del outbox[:sent]
        self._want_out(connection, wanted=bool(outbox))

    def _want_out(self, connection: _Connection, *, wanted: bool) -> None:
        if connection.wants_out != wanted:
            connection.wants_out = wanted
            mask = select.EPOLLIN | (select.EPOLLOUT if wanted else 0)
            self._poller.modify(connection.session.route, mask)

    def _drop(self, connection: _Connection) -> None:
        descriptor = connection.session.route
        if self._connections.pop(descriptor, None) is None:
            return
        self._silent.pop(descriptor, None)
        self._poller.unregister(descriptor)
        connection.end.close()
        self._modules.lost(connection.session)
