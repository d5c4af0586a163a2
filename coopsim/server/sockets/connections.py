"""Connections of one way in: what is sent to them, and how they end.

Whatever goes wrong with one of them, in what carries it or in what answers it, ends that connection alone.
"""

import select
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable

from coopsim.server.listener import Listener
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.connection import TcpConnection

# eight of the largest messages: who reads none of them is gone or hostile
MOST_UNREAD = 8 << 20
"""Limit for unread replies of a client, which is dropped beyond it [bytes]."""


class Connections(Listener):
    """Connections that never block; all but `post` belongs to one thread.

    Args:
        modules: What answers.
        poller: Reports the sockets; woken when another thread posts a reply.
        clock: Monotonic seconds.

    Attributes:
        carrier: What it carries messages by, for people.
    """

    carrier = "plain TCP"

    def __init__(self, modules: Modules, poller: Poller, clock: Callable[[], float] = time.monotonic) -> None:
        self._modules, self._poller, self._clock = modules, poller, clock
        self._owner = threading.get_ident()
        self._connections: dict[int, TcpConnection] = {}
        self._silent: dict[int, None] = {}
        self._unanswered: dict[int, None] = {}  # whose requests came with those that took their time
        self._outbox: deque[tuple[Session, bytes]] = deque()

    @property
    def clients(self) -> int:
        """Number of connections."""
        return len(self._connections)

    def adopt(self) -> None:
        """Make the calling thread the owner of the sockets."""
        self._owner = threading.get_ident()

    def post(self, session: Session, raw: bytes) -> None:
        """Send a reply; from another thread it is handed over."""
        if threading.get_ident() == self._owner:
            self._send(session, raw)
        else:
            self._outbox.append((session, raw))
            self._poller.wake()

    def offer(self, session: Session, raw: bytes) -> bool:
        """Send an event if nothing else waits to be sent on this connection; return whether that was so."""
        is_free = self.has_room(session)
        if is_free:
            self._send(session, raw)
        return is_free

    def has_room(self, session: Session) -> bool:
        """Return whether nothing waits to be sent on this connection, so that the newest state may follow."""
        connection = self._connections.get(session.route)
        return connection is not None and connection.serves(session) and not connection.outbox

    # for who reads and writes a socket in our place, see `server.lane`

    def plain_descriptor(self, session: Session) -> int:
        """Return the socket of a client if whole messages alone go by it just now, -1 otherwise."""
        connection = self._connections.get(session.route)
        if connection is None or not connection.serves(session) or not connection.is_plain:
            return -1
        return connection.end.fileno()

    def heard(self, session: Session) -> None:
        """Note that a client has said something."""
        if (connection := self._connections.get(session.route)) is not None and connection.serves(session):
            connection.came = self._clock()

    def flush(self) -> None:
        """Send what other threads handed over."""
        while self._outbox:
            self._send(*self._outbox.popleft())

    def send_rest(self, session: Session, raw: bytes) -> None:
        """Send the rest of a reply to a client that has not taken it whole."""
        connection = self._connections.get(session.route)
        if connection is not None and connection.serves(session):
            self._put(connection, raw)

    @abstractmethod
    def _framed(self, connection: TcpConnection, session: Session, raw: bytes) -> bytes:
        """Return what to send so that a client reads a message."""

    def _send(self, session: Session, raw: bytes) -> None:
        connection = self._connections.get(session.route)
        if connection is None or not connection.serves(session):
            return
        try:
            self._put(connection, self._framed(connection, session, raw))
        except Exception as problem:
            self._fail(connection, problem)

    def _fail(self, connection: TcpConnection, problem: Exception) -> None:
        """End a connection with which something went wrong that nobody foresaw."""
        self._modules.faults.note(f"a connection by {self.carrier}", problem)
        self._drop(connection)

    def _put(self, connection: TcpConnection, message: bytes) -> None:
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
            connection.moved = self._clock()
            connection.outbox.add(memoryview(message)[sent:])
        else:
            connection.outbox.add(message)
        if len(connection.outbox) > MOST_UNREAD:
            self._drop(connection)
        else:
            self._want_out(connection, wanted=True)

    def _push(self, connection: TcpConnection) -> None:
        outbox = connection.outbox
        while outbox:
            try:
                outbox.send(connection.end.send)
            except BlockingIOError:
                break
            except OSError:
                self._drop(connection)
                return
            connection.moved = self._clock()
        self._want_out(connection, wanted=bool(outbox))

    def _want_out(self, connection: TcpConnection, *, wanted: bool) -> None:
        if connection.wants_out != wanted:
            connection.wants_out = wanted
            mask = select.EPOLLIN | (select.EPOLLOUT if wanted else 0)
            self._poller.modify(connection.session.route, mask)

    def _drop(self, connection: TcpConnection) -> None:
        descriptor = connection.session.route
        if self._connections.pop(descriptor, None) is None:
            return
        self._silent.pop(descriptor, None)
        self._unanswered.pop(descriptor, None)
        self._poller.unregister(descriptor)
        connection.end.close()
        for session in connection.sessions:
            self._modules.lost(session)
