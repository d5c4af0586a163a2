"""A ZeroMQ ROUTER that serves modules: options, sessions, dead peers.

Every option was needed in trials; see docs/protocol.md, "Options a good server sets".
"""

import contextlib
import itertools
import math
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping

import zmq

from coopsim.errors import MalformedMessage
from coopsim.message import MAX_BYTES, encode, failure
from coopsim.server.listener import BURST, Listener
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.authenticator import who_sent
from coopsim.server.sockets.listening import LINGER_MS, LOCAL, ListenOptions

# the enumerations themselves cost a microsecond each time
_EVENTS, _POLLIN, _NOBLOCK, _MORE = int(zmq.EVENTS), int(zmq.POLLIN), int(zmq.NOBLOCK), int(zmq.NOBLOCK | zmq.SNDMORE)
_MOST_IDLE = 4096  # sessions; ZeroMQ does not say when a peer has left
_MOST_FRAMES, _MOST_ROUTE = 8, 512  # a route through a few proxies; longer ones are an attack
_LONG_ROUTE = encode(failure(MalformedMessage(f"at most {_MOST_FRAMES} routing frames of {_MOST_ROUTE} bytes in all")))
_MOST_PROBED = 200  # sessions a look: a reply must not wait for all
# a bound on memory while the owner of the socket works; the rest waits in the socket
_MOST_HANDED = 64
"""Largest number of messages that wait for the thread that owns the socket, while events are offered."""
_PROBES = (0.0, 0.002, 0.01, 0.05)
"""When peers are probed after a disconnection [s]: directly after it, a send may still succeed."""


class Router(Listener):
    """A ROUTER socket and the connections on it; everything but `post` belongs to one thread.

    Args:
        context: Where the socket is made.
        port: TCP port, 0 = a free one.
        modules: What answers.
        wake: Called when `post` was used by another thread.
        name: For the labels of its clients.
        listen: Where to listen, and who gets in.

    Raises:
        PortTaken: The port is in use.

    Attributes:
        port: The TCP port.
    """

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        port: int,
        modules: Modules,
        wake: Callable[[], object],
        name: str = "",
        listen: ListenOptions = LOCAL,
    ) -> None:
        self._socket = context.socket(zmq.ROUTER)
        _set_options(self._socket)
        self.port = listen.open(self._socket, port)
        try:
            self._monitor = self._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        except zmq.ZMQError:
            self._socket.close(0)
            raise
        self._modules, self._wake, self._name = modules, wake, name
        self._receive = self._receive_with_key if listen.keys is not None else self._receive_plainly
        self._owner = threading.get_ident()
        self._sessions: dict[bytes | tuple[bytes, ...], Session] = {}
        self._outbox: deque[tuple[Session, bytes]] = deque()
        self._gone: list[Session] = []
        self._count = 0
        self._probes: list[float] = []
        self._is_hinted = False

    @property
    def clients(self) -> int:
        """Number of connections known."""
        return len(self._sessions)

    @property
    def ports(self) -> Mapping[str, int]:
        """The TCP port."""
        return {"zmq": self.port}

    @property
    def descriptors(self) -> tuple[int, int]:
        """Of the socket and its monitor.

        Edges are reported once: call `serve` at the end of every turn, `turn` when the monitor was reported and,
        to be safe, now and then.
        """
        return self._socket.FD, self._monitor.FD

    def register(self, poller: Poller) -> None:
        """Register both descriptors."""
        requests, monitor = self.descriptors
        poller.register(requests, select.EPOLLIN | select.EPOLLET, self._serve_later)
        poller.register(monitor, select.EPOLLIN | select.EPOLLET, lambda *_: self.turn(time.monotonic()))

    def _serve_later(self, _descriptor: int, _events: int) -> None:
        """Serve requests later, at the end of the turn, without asking whether there are any."""
        self._is_hinted = True

    def adopt(self) -> None:
        """Make the calling thread the owner of the socket."""
        self._owner = threading.get_ident()

    # requests and replies

    def serve(self) -> bool:
        """Answer what has arrived, for `BURST` seconds at most; return whether there may be more.

        Sends eat the edge of the descriptor too, so that this must come after the last one of a turn.
        """
        socket, respond, clock = self._socket, self._modules.respond, time.monotonic
        is_hinted, self._is_hinted = self._is_hinted, False
        end = clock() + BURST
        while clock() < end:
            if not is_hinted and not _has_input(socket):
                return False
            is_hinted = False
            session = None
            try:
                session, body = self._receive()
                reply = respond(body, session) if session is not None else None
                if session is not None and reply is not None:
                    self._send(session, reply)
            except zmq.Again:
                continue  # the hint was wrong
            except Exception as problem:
                self._fail(session, problem)
        return True

    def _fail(self, session: Session | None, problem: Exception) -> None:
        """Give up a message with which something went wrong that nobody foresaw; other clients are served."""
        refusal = self._modules.faults.note("a connection by ZeroMQ", problem)
        if session is not None:
            self._gone.append(session)
            self._send(session, encode(failure(refusal)))

    def _receive_plainly(self) -> tuple[Session | None, bytes]:
        """Return the next message, and who sent it; None = it was refused."""
        *route, body = self._socket.recv_multipart(_NOBLOCK)
        return self._sessions.get(route[0] if len(route) == 1 else tuple(route)) or self._admit(route), body

    def _receive_with_key(self) -> tuple[Session | None, bytes]:
        """Do the same where there are keys: a route may be used again by another client, a key may not."""
        first = self._socket.recv(_NOBLOCK, copy=False)
        *rest, body = self._socket.recv_multipart(_NOBLOCK)
        route = [first.bytes, *rest]
        public, descriptor = who_sent(first)
        known = self._sessions.get(route[0] if len(route) == 1 else tuple(route))
        if known is not None and known.keyed is not None and known.keyed.key.public == public:
            return known, body
        if known is not None:
            self._modules.lost(known)
        session = self._admit(route)
        if session is not None:
            self._modules.welcome(session, public, descriptor)
        return session, body

    def _admit(self, route: list[bytes]) -> Session | None:
        if _is_long(route):
            self._send(Session(self, route[:1], ""), _LONG_ROUTE)
            return None
        return self._welcome(route)

    def post(self, session: Session, raw: bytes) -> None:
        """Send a reply; from another thread it is handed over."""
        if threading.get_ident() == self._owner:
            self._send(session, raw)
        else:
            self._outbox.append((session, raw))
            self._wake()

    def offer(self, session: Session, raw: bytes) -> bool:
        """Send an event if the connection has room for it; return whether it had."""
        if threading.get_ident() != self._owner:
            if len(self._outbox) >= _MOST_HANDED:
                return False
            self.post(session, raw)
            return True
        try:
            self._socket.send_multipart([*session.route, raw], zmq.NOBLOCK)
        except zmq.Again:
            return False
        except zmq.ZMQError:  # it is dead
            self._gone.append(session)
        return True

    def flush(self) -> None:
        """Send what other threads handed over."""
        while self._outbox:
            self._send(*self._outbox.popleft())

    def _send(self, session: Session, raw: bytes) -> None:
        socket = self._socket
        try:
            for frame in session.route:
                socket.send(frame, _MORE)
            socket.send(raw, _NOBLOCK)
        except zmq.ZMQError:  # EHOSTUNREACH: it is dead; EAGAIN: it does not read its replies
            self._gone.append(session)

    # connections

    def _welcome(self, route: list[bytes]) -> Session:
        self._count += 1
        session = Session(self, route, f"client {self._count}{self._name}")
        if len(self._sessions) >= _MOST_IDLE:
            for old in [old for old in self._sessions.values() if old.is_idle and old.keyed is not None]:
                self._modules.dismiss(old)
            self._sessions = {key: old for key, old in self._sessions.items() if not old.is_idle}
        self._sessions[route[0] if len(route) == 1 else tuple(route)] = session
        return session

    def turn(self, now: float, /) -> None:
        """Forget connections that broke; ZeroMQ does not say whose, so that all are probed."""
        broke = False
        while _has_input(self._monitor):
            self._monitor.recv_multipart(zmq.NOBLOCK)
            broke = True
        if broke:
            self._probes = [now + later for later in _PROBES]
        if self._probes and now >= self._probes[0]:
            self._probes.pop(0)
            self._probe()
            if not self._probes:
                self._probe_idle()
        for session in self._pop_gone():
            key = session.route[0] if len(session.route) == 1 else tuple(session.route)
            if self._sessions.get(key) is session:  # and not a new client with its route
                del self._sessions[key]
            self._modules.lost(session)

    def due(self, _now: float, /) -> float:
        """Return when connections are probed next."""
        return self._probes[0] if self._probes else math.inf

    def _probe(self) -> None:
        """Send an empty message, which clients ignore, to every connection that matters."""
        for session in self._sessions.values():
            if not session.is_idle:
                self._try(session)

    def _probe_idle(self) -> None:
        """Do the same with some of those that do not, so that they are forgotten in the end: by turns, for many."""
        for key in list(itertools.islice(self._sessions, _MOST_PROBED)):
            session = self._sessions[key] = self._sessions.pop(key)
            if session.is_idle:
                self._try(session)

    def _try(self, session: Session) -> None:
        try:
            self._socket.send_multipart([session.route[0], b""], zmq.NOBLOCK)
        except zmq.Again:
            pass  # it lives, but does not read
        except zmq.ZMQError:
            self._gone.append(session)

    def _pop_gone(self) -> list[Session]:
        lost_sessions, self._gone = self._gone, []
        return lost_sessions

    def close(self, linger_ms: int = LINGER_MS) -> None:
        """Send what is left within `linger_ms` and close."""
        self.flush()
        for session in list(self._sessions.values()):
            self._modules.lost(session)
        self._socket.disable_monitor()
        with contextlib.suppress(zmq.ZMQError):
            self._monitor.close(0)
        self._socket.close(linger_ms)


def _is_long(route: list[bytes]) -> bool:
    """Return whether there are more, or longer, routing frames than proxies add."""
    return len(route) > _MOST_FRAMES or sum(map(len, route)) > _MOST_ROUTE


def _has_input(socket: "zmq.Socket[bytes]") -> bool:
    return bool(socket.getsockopt(_EVENTS) & _POLLIN)  # type: ignore[operator]  # an int for this option


def _set_options(socket: "zmq.Socket[bytes]") -> None:
    options = {
        zmq.MAXMSGSIZE: MAX_BYTES,
        zmq.SNDHWM: 1000,
        # per connection, up to a mebibyte each; further messages wait at their sender
        zmq.RCVHWM: 4,
        zmq.ROUTER_MANDATORY: 1,
        zmq.ROUTER_HANDOVER: 0,
    }
    for option, value in options.items():
        socket.setsockopt(option, value)
