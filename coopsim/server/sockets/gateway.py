"""Plain TCP: every message behind its length, for anything that has sockets.

Source: CoopDynSim, section III (any language with sockets can control the robots).
"""

import contextlib
import errno
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping

from coopsim.errors import MessageTooLarge
from coopsim.message import MAX_BYTES, encode, failure
from coopsim.server.listener import BURST
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.connection import MakesEnds, TcpConnection, WrappedEnd, listen_at
from coopsim.server.sockets.connections import Connections
from coopsim.server.sockets.listening import LOOPBACK
from coopsim.server.sockets.tls import refusal_reason

_LENGTH = struct.Struct(">I")
_CHUNK = 1 << 16  # bytes; as much as a socket's buffer holds at once by default
_NONE_LEFT = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_FEW = 4096
"""So much is read at once, so that a client with many small requests does not keep the others waiting."""
MOST_CONNECTIONS = 1000  # each costs a descriptor, of which a process often has 1024
# who opens sockets and says nothing takes places from others
FIRST_MESSAGE = 2.0
"""Time limit for a connection's first message once it has begun; while places are short, from the start [s]."""
HANDSHAKE = 5.0
"""Time limit for the handshake of TLS [s]."""
STALLED = 10.0
"""Time limit for a message that has begun, in either direction [s]."""
# a terminal that somebody reads is silent for a minute, and owns nothing
IDLE = 60.0
"""Silence after which a connection that owns nothing makes room when all places are taken [s]."""
_FEW_SILENT = 10
"""Connections are scarce while more than this fraction (1/n) of them never sent anything."""
_KEEPALIVE = {socket.TCP_KEEPIDLE: 10, socket.TCP_KEEPINTVL: 5, socket.TCP_KEEPCNT: 3}
"""A silent peer is probed after 10 s; one that is gone is noticed 15 s later."""


class Gateway(Connections):
    """Listens and serves each connection without ever blocking; all but `post` belongs to one thread.

    Args:
        port: TCP port, 0 = a free one.
        modules: What answers.
        poller: Reports the sockets; woken when another thread posts a reply.
        most: Largest number of connections; beyond it, one that never sent anything, or is silent longest, is dropped.
        address: IPv4 or IPv6 address of the interface to listen on; "" = listen nowhere.
        clock: Monotonic seconds.
        tls: Wraps connections, and knows whose they are; None = they are in the clear.

    Raises:
        PortTaken: The port is in use.

    Attributes:
        port: The TCP port; 0 = no listener.
        carrier: What it carries messages by, for people.
        takes_states: Whether states are sent to its clients, too.
        is_zmtp: Whether messages are frames of ZeroMQ's protocol; otherwise they stand behind their length.
    """

    takes_states = True
    is_zmtp = False

    def __init__(
        self,
        port: int,
        modules: Modules,
        poller: Poller,
        most: int = MOST_CONNECTIONS,
        address: str = LOOPBACK,
        clock: Callable[[], float] = time.monotonic,
        tls: MakesEnds | None = None,
    ) -> None:
        super().__init__(modules, poller, clock)
        self._tls = tls
        if tls is not None:
            self.carrier = tls.carrier
        self._listener = listen_at(address, port, self.carrier) if address else None
        self.port: int = self._listener.getsockname()[1] if self._listener else 0
        self._is_full, self._is_short, self._most = False, False, most
        if self._listener is not None:
            poller.register(self._listener, select.EPOLLIN, self.handle)

    @property
    def ports(self) -> Mapping[str, int]:
        """The TCP port; 0 = no listener."""
        return {"tcp": self.port}

    def handle(self, descriptor: int, events: int) -> bool:
        """Do what `poller` reported; False when the descriptor is none of this gateway's."""
        if self._listener is not None and descriptor == self._listener.fileno():
            self._accept(self._listener)
            return True
        connection = self._connections.get(descriptor)
        if connection is None:
            return False
        try:
            if events & select.EPOLLOUT:
                self._push(connection)
            if events & ~select.EPOLLOUT and descriptor in self._connections:
                self._receive(connection)
        except Exception as problem:
            self._fail(connection, problem)
        return True

    def serve(self) -> bool:
        """Go on with requests that wait since others came first; return whether some still do."""
        for descriptor in list(self._unanswered):
            del self._unanswered[descriptor]
            connection = self._connections.get(descriptor)
            if connection is not None:
                self._answer_guarded(connection)
        return bool(self._unanswered)

    def receive(self, session: Session, raw: bytes) -> None:
        """Take in bytes that were received from the socket of a client."""
        connection = self._connections.get(session.route)
        if connection is not None and connection.serves(session):
            connection.begun = self._clock()
            connection.inbox += raw
            self._answer_guarded(connection)

    def close(self) -> None:
        """Send what the kernel takes and close everything."""
        self.flush()
        for connection in list(self._connections.values()):
            self._push(connection)
            self._drop(connection)
        if self._listener is not None:
            with contextlib.suppress(OSError, ValueError):
                self._poller.unregister(self._listener)
            self._listener.close()

    def turn(self, now: float, /) -> None:
        """Drop connections over a time limit: for the first message, for the rest of one, for reading replies."""
        if self._is_full and self._listener is not None:
            self._is_full = False
            self._poller.register(self._listener, select.EPOLLIN, self.handle)
        # until none of them is left: they came as fast as they were accepted, and go by and by
        is_many = _FEW_SILENT * len(self._silent) > self._most
        self._is_short = is_many or (self._is_short and bool(self._silent))
        over = [
            connection
            for connection in self._connections.values()
            if self._is_over(connection, now, is_short=self._is_short)
        ]
        for connection in over:
            self._drop(connection)

    def _is_over(self, connection: TcpConnection, now: float, *, is_short: bool) -> bool:
        if connection.tls is not None and not connection.tls.is_open:
            return now - connection.came > HANDSHAKE
        if connection.session.route in self._silent:
            begun = connection.begun if connection.inbox else connection.came
            return now - begun > FIRST_MESSAGE and bool(connection.inbox or is_short)
        if connection.inbox and now - connection.begun > STALLED:
            return True
        return bool(connection.outbox) and now - connection.moved > STALLED

    def _accept(self, listener: socket.socket) -> None:
        try:
            end, address = listener.accept()
        except OSError as problem:
            if problem.errno in _NONE_LEFT and not self._make_room():
                # it stays in the backlog; do not poll for it meanwhile
                self._poller.unregister(listener)
                self._is_full = True
            return
        if len(self._connections) >= self._most and not self._make_room():
            end.close()
            return
        try:
            self._begin(end, address[1])
        except Exception as problem:
            if not isinstance(problem, OSError):  # otherwise it is over already
                self._modules.faults.note(f"a new connection by {self.carrier}", problem)
            self._connections.pop(end.fileno(), None)
            self._silent.pop(end.fileno(), None)
            end.close()

    def _begin(self, end: socket.socket, port: int) -> None:
        """Serve a new client that comes from a port."""
        end.setblocking(False)
        _set_options(end)
        descriptor = end.fileno()
        self._connections[descriptor] = connection = self._connection(end, port)
        self._silent[descriptor] = None
        self._poller.register(descriptor, select.EPOLLIN, self.handle)
        self._greet(connection)

    def _connection(self, end: socket.socket, port: int) -> TcpConnection:
        """Return what is kept of a new client that comes from a port."""
        session = Session(self, end.fileno(), f"TCP client at port {port}")
        tls = self._tls.new() if self._tls is not None else None
        return TcpConnection(end, session, self._clock(), tls)

    def _greet(self, _connection: TcpConnection, /) -> None:
        """Say what a client is told that has said nothing yet."""

    def _make_room(self) -> bool:
        """Drop the oldest connection that never sent anything, else the one that has been silent for longest."""
        oldest = next(iter(self._silent), None)
        if oldest is not None:
            self._drop(self._connections[oldest])
            return True
        now = self._clock()
        silent = [
            connection
            for connection in self._connections.values()
            if now - connection.came > IDLE and connection.is_idle
        ]
        if silent:
            self._drop(min(silent, key=lambda connection: connection.came))
        return bool(silent)

    def _receive(self, connection: TcpConnection) -> None:
        is_first = connection.session.route not in self._unanswered
        while is_first or connection.missing > 0:
            wanted = min(max(connection.missing, _FEW), _CHUNK)
            try:
                received = connection.end.recv(wanted)
            except BlockingIOError:
                return
            except OSError:
                received = b""
            if not received:
                self._drop(connection)
                return
            if not connection.inbox:
                connection.begun = self._clock()
            connection.inbox += (
                received if connection.tls is None else self._opened(connection, connection.tls, received)
            )
            self._answer_all(connection)
            if len(received) < wanted or connection.session.is_gone:
                return
            is_first = False

    def _opened(self, connection: TcpConnection, tls: WrappedEnd, raw: bytes) -> bytes:
        """Return the plain bytes of a TLS connection; refuse and drop a client that is not trusted."""
        was_open = tls.is_open
        try:
            plain = tls.unwrap(raw)
        except OSError as problem:
            self._modules.audit.record_stranger(connection.address, refusal_reason(problem))
            self._put(connection, tls.alert())
            self._drop(connection)
            return b""
        if tls.is_open and not was_open:
            self._welcome(connection.session, tls)
        self._put(connection, tls.pending())
        return plain

    def _welcome(self, session: Session, tls: WrappedEnd) -> None:
        self._modules.welcome_certificate(session, tls.certificate(), session.route)

    def _answer_guarded(self, connection: TcpConnection) -> None:
        try:
            self._answer_all(connection)
        except Exception as problem:
            self._fail(connection, problem)

    def _answer_all(self, connection: TcpConnection) -> None:
        inbox, session = connection.inbox, connection.session
        start, until = 0, self._clock() + BURST
        connection.missing = 0
        while len(inbox) - start >= 4 and not session.is_gone:
            (length,) = _LENGTH.unpack_from(inbox, start)
            if length > MAX_BYTES:
                self._send(session, encode(failure(MessageTooLarge(f"a message is at most {MAX_BYTES} bytes"))))
                self._drop(connection)
                return
            end = start + 4 + length
            if len(inbox) < end:
                connection.missing = end - len(inbox)
                break
            raw = bytes(inbox[start + 4 : end])
            start = end
            self._silent.pop(session.route, None)
            reply = self._modules.respond(raw, session)
            if reply is not None:
                self._send(session, reply)
            if self._must_wait(connection, start, until):
                break
        if start:
            connection.came = connection.begun = self._clock()
            del inbox[:start]

    def _must_wait(self, connection: TcpConnection, start: int, until: float) -> bool:
        """Return whether what follows in the inbox waits until others have been served."""
        is_over = len(connection.inbox) > start and self._clock() > until and not connection.session.is_gone
        if is_over:
            self._unanswered[connection.session.route] = None
        return is_over

    def _framed(self, connection: TcpConnection, _session: Session, raw: bytes) -> bytes:
        message = _LENGTH.pack(len(raw)) + raw
        return message if connection.tls is None else connection.tls.seal(message)


def _set_options(end: socket.socket) -> None:
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEPALIVE.items():
        end.setsockopt(socket.IPPROTO_TCP, option, value)
