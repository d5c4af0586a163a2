"""ZeroMQ without keys on plain sockets: to its clients what a ROUTER of libzmq is, without its threads.

Each connection is served when the kernel says so, in the thread that answers; one that ends is noticed at once. Source:
ZMTP 3.0 (RFC 23) and ROUTER sockets (RFC 28).
"""

import socket
import time
from collections.abc import Callable, Collection, Mapping

from coopsim.client.zmtp_link import OPTIONS
from coopsim.errors import MalformedMessage
from coopsim.message import MAX_BYTES, encode, failure
from coopsim.message.zmtp import COMMAND, LONG, LONG_HEAD, MORE, SHORT_HEAD, Dialog, frame, pong
from coopsim.server.listener import BURST
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.connection import TcpConnection
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.listening import LOOPBACK

MOST_CONNECTIONS = 4096  # as many as the robots of a large crowd have clients
HANDSHAKE = 2.0
"""Time limit for greetings [s]."""
# proxies add one frame each: a chain of eight is none that anybody builds
MOST_FRAMES, MOST_ROUTE = 8, 512
"""Routing frames that proxies may add, and their bytes in all."""
MOST_SESSIONS = 4096
"""Largest number of clients behind one connection, from which those that own nothing are forgotten."""
_KINDS = MORE | LONG | COMMAND
_TOO_LONG = encode(failure(MalformedMessage(f"at most {MOST_FRAMES} routing frames of {MOST_ROUTE} bytes in all")))


class ZmtpSession(Session):
    """A client behind a connection.

    Attributes:
        connection: Where it is; numbers of sockets are used again.
        head: Routing frames of its replies, as they are sent.
    """

    __slots__ = ("connection", "head")
    connection: "ZmtpConnection"
    head: bytes


class ZmtpConnection(TcpConnection):
    """A connection, with a client for each route that proxies tell.

    Attributes:
        dialog: The greetings, None once they are over.
        route: Routing frames of the message that has begun.
        is_too_long: Whether there are too many of those, so that the message is refused.
        clients: By their routes.
    """

    __slots__ = ("clients", "dialog", "is_too_long", "route")

    def __init__(self, end: socket.socket, session: ZmtpSession, now: float) -> None:
        super().__init__(end, session, now)
        self.dialog: Dialog | None = Dialog(b"ROUTER")
        self.route: list[bytes] = []
        self.is_too_long = False
        self.clients: dict[tuple[bytes, ...], ZmtpSession] = {(): session}
        session.connection, session.head = self, b""

    @property
    def sessions(self) -> Collection[Session]:
        """The clients at its other end."""
        return self.clients.values()

    @property
    def is_plain(self) -> bool:
        """Whether it is open, nothing is under way, and there is one client at its other end."""
        return super().is_plain and self.dialog is None and not self.route and len(self.clients) == 1

    def serves(self, session: Session) -> bool:
        """Return whether this is a client at its other end."""
        return isinstance(session, ZmtpSession) and session.connection is self

    def add_to_route(self, part: bytes) -> None:
        """Take in a routing frame; those beyond the limit are not kept."""
        route = self.route
        if len(route) >= MOST_FRAMES or sum(map(len, route)) + len(part) > MOST_ROUTE:
            self.is_too_long = True
        else:
            route.append(part)


class ZmtpGateway(Gateway):
    """Listens for ZeroMQ's DEALER, REQ and ROUTER sockets that use no keys.

    Args:
        port: TCP port, 0 = a free one.
        modules: What answers.
        poller: Reports the sockets; woken when another thread posts a reply.
        most: Largest number of connections; beyond it, one that never sent anything, or is silent longest, is dropped.
        address: IPv4 or IPv6 address of the interface to listen on.
        clock: Monotonic seconds.

    Raises:
        PortTaken: The port is in use.

    Attributes:
        port: The TCP port.
    """

    carrier = "ZeroMQ"
    takes_states = False
    is_zmtp = True

    def __init__(
        self,
        port: int,
        modules: Modules,
        poller: Poller,
        most: int = MOST_CONNECTIONS,
        address: str = LOOPBACK,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(port, modules, poller, most, address, clock)
        self._count = 0

    @property
    def ports(self) -> Mapping[str, int]:
        """The TCP port."""
        return {"zmq": self.port}

    # connections

    def _connection(self, end: socket.socket, _port: int) -> ZmtpConnection:
        for (level, option), value in OPTIONS.items():
            end.setsockopt(level, option, value)
        self._count += 1
        return ZmtpConnection(end, ZmtpSession(self, end.fileno(), f"client {self._count}"), self._clock())

    def _greet(self, connection: TcpConnection) -> None:
        """Send the greeting, which waits for nothing: a client may wait for it."""
        if isinstance(connection, ZmtpConnection) and connection.dialog is not None:
            self._say(connection, connection.dialog)

    def _say(self, connection: ZmtpConnection, dialog: Dialog) -> None:
        if dialog.outgoing:
            self._put(connection, bytes(dialog.outgoing))
            dialog.outgoing.clear()

    def _is_over(self, connection: TcpConnection, now: float, *, is_short: bool) -> bool:
        if isinstance(connection, ZmtpConnection) and connection.dialog is not None:
            return now - connection.came > HANDSHAKE
        return super()._is_over(connection, now, is_short=is_short)

    def _shake_hands(self, connection: ZmtpConnection, dialog: Dialog) -> bool:
        """Take in greetings; return whether the connection is open."""
        dialog.feed(bytes(connection.inbox))
        connection.inbox.clear()
        dialog.next_message()  # no message yet: what the peer is ready for
        if dialog.is_foreign or dialog.is_broken:
            self._drop(connection)
            return False
        self._say(connection, dialog)
        if dialog.is_open:
            connection.dialog = None
            connection.inbox += dialog.remaining_bytes()
            connection.came = connection.begun = self._clock()
            self._silent.pop(connection.session.route, None)
        return dialog.is_open

    # messages

    def _answer_all(self, connection: TcpConnection) -> None:
        assert isinstance(connection, ZmtpConnection)  # noqa: S101 - it makes no others
        if connection.dialog is not None and not self._shake_hands(connection, connection.dialog):
            return
        inbox, until = connection.inbox, self._clock() + BURST
        start = connection.missing = 0
        while len(inbox) - start >= SHORT_HEAD and not connection.session.is_gone:
            kind = inbox[start]
            begin = start + (LONG_HEAD if kind & LONG else SHORT_HEAD)
            if len(inbox) < begin:
                break
            size = int.from_bytes(inbox[start + 1 : begin], "big")
            if size > MAX_BYTES or kind & ~_KINDS:
                self._drop(connection)  # who sends too much is not answered, as by libzmq
                return
            end = begin + size
            if len(inbox) < end:
                connection.missing = end - len(inbox)
                break
            self._receive_frame(connection, kind, bytes(inbox[begin:end]))
            start = end
            if self._must_wait(connection, start, until):
                break
        if start:
            connection.came = connection.begun = self._clock()
            del inbox[:start]

    def _receive_frame(self, connection: ZmtpConnection, kind: int, body: bytes) -> None:
        """Take in a frame: a command, a part of the route, or a request, which is answered."""
        if kind & COMMAND:
            if answer := pong(body):
                self._put(connection, answer)
        elif kind & MORE:
            connection.add_to_route(body)
        elif connection.is_too_long:
            connection.route, connection.is_too_long = [], False
            self._send(connection.session, _TOO_LONG)
        else:
            session = self._sender(connection) if connection.route else connection.session
            reply = self._modules.respond(body, session)
            if reply is not None:
                self._send(session, reply)

    def _sender(self, connection: ZmtpConnection) -> ZmtpSession:
        """Return who is at the other end of the route of a message that is whole now."""
        route = tuple(connection.route)
        connection.route = []
        known = connection.clients.get(route)
        if known is not None:
            return known
        if len(connection.clients) >= MOST_SESSIONS:
            kept = {key: client for key, client in connection.clients.items() if not key or not client.is_idle}
            connection.clients = kept
        label = connection.session.label + (f", route {len(connection.clients)}" if len(connection.clients) > 1 else "")
        session = ZmtpSession(self, connection.session.route, label)
        session.connection, session.head = connection, b"".join(frame(part, MORE) for part in route)
        connection.clients[route] = session
        return session

    def _framed(self, _connection: TcpConnection, session: Session, raw: bytes) -> bytes:
        assert isinstance(session, ZmtpSession)  # noqa: S101 - its connections serve no others
        return session.head + frame(raw)
