"""Listeners fed from the first byte of a connection on: WebSocket, TLS, ZeroMQ with and without CURVE, plain TCP.

Each input is a connection of its own to a real listener. Whatever comes, the listener raises nothing, notes no fault,
and gives the connection up when its client has gone.
"""

import contextlib
import random
import socket
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import zmq

from coopsim.client.keyring import KeyRing
from coopsim.errors import MalformedMessage
from coopsim.inprocess.source import DirectSource
from coopsim.robots import load
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.faults import FaultLog
from coopsim.server.listener import Listener, Listeners
from coopsim.server.modules.dispatch import Modules
from coopsim.server.options import HostOptions
from coopsim.server.polling import Poller
from coopsim.server.service import Service
from coopsim.server.sockets.authenticator import CurveAuthenticator
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.listening import ListenOptions
from coopsim.server.sockets.router import Router
from coopsim.server.sockets.tls import TlsServer
from coopsim.server.sockets.zmtp_gateway import ZmtpGateway
from coopsim.simulation import Simulation
from coopsim.testkit.fuzz.targets import BrokenPromise, Target
from coopsim.testkit.hostile.handshake_seeds import PING, SEEDS

_DEADLINE = 5.0  # s; longer than the server's own for a first message
_QUIET = 0.001
"""Time for libzmq's threads, which alone do not work at once [s]."""
_SIGNATURE = 10  # bytes that libzmq sends before it hears anything (ZMTP 3.1, signature)
_MOST_READ = 1 << 16  # bytes of an answer; more is never asked for


class ListenerTarget:
    """A listener, and what may be done with it by hand.

    Args:
        listener: Real sockets.
        poller: Where they are waited for.
        port: Its port.
        faults: What it must not note.
    """

    def __init__(self, listener: Listener, poller: Poller, port: int, faults: FaultLog) -> None:
        self._listener, self._poller, self._port, self._faults = listener, poller, port, faults
        self._seen = faults.total

    def feed(self, raw: bytes) -> None:
        """Make a connection of these bytes, in one to three parts, and end it.

        Raises:
            MalformedMessage: Always; the text says what the listener answered.
            BrokenPromise: The listener noted a fault, or keeps the connection.
        """
        chance = random.Random(zlib.crc32(raw))  # noqa: S311 - the same bytes come in the same parts
        cuts = sorted(chance.randrange(len(raw) + 1) for _ in range(chance.choice((0, 0, 1, 2))))
        is_early = isinstance(self._listener, Router) and chance.random() < 0.5
        answer = b""
        with socket.create_connection(("127.0.0.1", self._port), _DEADLINE) as end, contextlib.suppress(OSError):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if isinstance(self._listener, Router) and not is_early:
                answer = self._answer(end, _SIGNATURE)
            for start, stop in zip((0, *cuts), (*cuts, len(raw)), strict=True):
                end.sendall(raw[start:stop])
                self.settle()
            if isinstance(self._listener, Router):
                end.shutdown(socket.SHUT_WR)  # libzmq's threads have read all once they end the connection, too
            answer += self._answer(end, _MOST_READ)
        end_by = time.monotonic() + _DEADLINE
        while isinstance(self._listener, Gateway) and self._listener.clients:
            self.settle()
            if time.monotonic() > end_by:
                raise BrokenPromise("a connection is kept whose client has gone")
        if self._faults.total > self._seen:
            self._seen = self._faults.total
            raise BrokenPromise(f"a fault: {[*self._faults.counts][-1]}")
        # libzmq answers what comes before its own beginning or not, as its threads find time
        raise MalformedMessage("answered early" if is_early else f"answered {_described(answer)}")

    def _answer(self, end: socket.socket, length: int) -> bytes:
        """Return this much of what a listener sends, or all of it.

        Raises:
            BrokenPromise: Of libzmq, whose threads work when they like: neither came.
        """
        end.setblocking(False)
        if isinstance(self._listener, Gateway):
            return end.recv(length)  # it works in `settle` alone, and has answered
        answer, end_by = b"", time.monotonic() + _DEADLINE
        while len(answer) < length:
            self.settle()
            with contextlib.suppress(BlockingIOError):
                part = end.recv(length - len(answer))
                if not part:
                    break
                answer += part
            if time.monotonic() > end_by:
                raise BrokenPromise("a connection is kept whose client sends no more")
        return answer

    def settle(self) -> None:
        """Have the listener do what it has to do."""
        quiet = 0.0 if isinstance(self._listener, Gateway) else _QUIET
        is_more = True
        while is_more:
            events = self._poller.poll(quiet)
            for descriptor, mask in events:
                handle = self._poller.handlers.get(descriptor)
                if handle is not None:
                    handle(descriptor, mask)
            is_more = self._listener.serve() or bool(events)
        self._listener.turn(time.monotonic())


@contextlib.contextmanager
def listening(carrier: str) -> Iterator[Target]:
    """Yield what feeds a listener of a carrier, one of `SEEDS`; closed in the end.

    Raises:
        BrokenPromise: In the end it serves no client that means well.
    """
    with contextlib.ExitStack() as opened, tempfile.TemporaryDirectory(prefix="coopsim-fuzz-") as folder:
        ring = KeyRing(Path(folder))
        ring.new("fuzz")
        options = HostOptions(listen=ListenOptions(keys=ring))
        service = Service(DirectSource(Simulation(load("single"))), options, Listeners())
        opened.callback(service.close)
        service.modules.poll()
        poller = opened.enter_context(Poller())
        listener, port = _MAKERS[carrier](service.modules, poller, ring, opened)
        opened.callback(listener.close)
        listener.register(poller)
        target = ListenerTarget(listener, poller, port, service.modules.faults)
        yield target.feed
        if carrier == "curve":
            _check_curve(target, port, ring)


def _described(answer: bytes) -> str:
    """Return what tells answers apart, without digits and quotation marks: those do not count as other answers."""
    text = f"{len(answer).bit_length()} {answer[:12]!r}"
    return text.translate(str.maketrans("0123456789'\"", "abcdefghij||"))


def _check_curve(target: ListenerTarget, port: int, ring: KeyRing) -> None:
    """Ping with the key that is trusted."""
    key = ring.own
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    with contextlib.closing(context.socket(zmq.DEALER)) as client:
        client.linger = 0
        client.curve_publickey, client.curve_secretkey = key.public.encode(), key.secret.encode()
        client.curve_serverkey = key.public.encode()
        client.connect(f"tcp://127.0.0.1:{port}")
        client.send(PING)
        end = time.monotonic() + _DEADLINE
        while not client.poll(1) and time.monotonic() < end:
            target.settle()
        is_served = bool(client.poll(0))
    context.term()
    if not is_served:
        raise BrokenPromise("a client that means well is served no more")


_Made = tuple[Listener, int]


def _gateway(modules: Modules, poller: Poller, _: KeyRing, __: contextlib.ExitStack) -> _Made:
    gateway = Gateway(0, modules, poller)
    return gateway, gateway.port


def _zmtp(modules: Modules, poller: Poller, _: KeyRing, __: contextlib.ExitStack) -> _Made:
    zmtp_gateway = ZmtpGateway(0, modules, poller)
    return zmtp_gateway, zmtp_gateway.port


def _tls(modules: Modules, poller: Poller, ring: KeyRing, _: contextlib.ExitStack) -> _Made:
    gateway = Gateway(0, modules, poller, tls=TlsServer(TrustedKeys(ring)))
    return gateway, gateway.port


def _websocket(modules: Modules, poller: Poller, _: KeyRing, __: contextlib.ExitStack) -> _Made:
    from coopsim.server.sockets.websocket import WebSocketEnds, WebSocketGateway  # not everybody has what it takes

    gateway = WebSocketGateway(0, modules, poller, tls=WebSocketEnds())
    return gateway, gateway.port


def _curve(modules: Modules, poller: Poller, ring: KeyRing, opened: contextlib.ExitStack) -> _Made:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    opened.callback(context.destroy, 0)
    opened.callback(CurveAuthenticator(context, TrustedKeys(ring), faults=modules.faults).close)
    router = Router(context, 0, modules, poller.wake, listen=ListenOptions(keys=ring))
    return router, router.port


_MAKERS: Mapping[str, Callable[[Modules, Poller, KeyRing, contextlib.ExitStack], _Made]] = {
    "websocket": _websocket,
    "tls": _tls,
    "zmtp": _zmtp,
    "framing": _gateway,
    "curve": _curve,
}
CARRIERS = tuple(SEEDS)
"""Every carrier whose handshake is fuzzed."""
