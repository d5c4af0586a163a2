"""A proxy between clients and a server that makes the network between them bad, repeatably."""

import contextlib
import heapq
import itertools
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from types import TracebackType
from typing import Self

from coopsim.client.endpoints import Endpoint, parse
from coopsim.testkit.chaos import REPLIES, REQUESTS, Chaos, Fate
from coopsim.testkit.pieces import Cutter, Piece, PlainCutter, ZmtpCutter

_CHUNK = 1 << 16  # bytes; as much as a socket's buffer holds at once by default
_CONNECT = 2.0  # s; on loopback a listener answers at once or not at all
_MOST_UNSENT = 4 << 20
"""Limit for bytes that a peer has not read; beyond it the other side is not read either."""


@dataclass(slots=True)
class Counts:
    """Numbers of what a proxy did so far.

    Attributes:
        connections: Clients that connected.
        passed: Messages that arrived, however often and late.
        dropped: Messages that never arrived, but for a cut.
        duplicated: Messages that arrived twice.
        delayed: Messages that arrived later.
        reordered: Messages that were held back for later ones to pass.
        cut: Connections that were broken.
    """

    connections: int = 0
    passed: int = 0
    dropped: int = 0
    duplicated: int = 0
    delayed: int = 0
    reordered: int = 0
    cut: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, field.name)} {field.name}" for field in fields(self))


class _Flow:
    """A direction of a connection."""

    __slots__ = ("cutter", "direction", "ended", "number", "outbox", "pending", "sink", "source", "straight")

    def __init__(self, direction: str, source: socket.socket, sink: socket.socket, cutter: Cutter) -> None:
        self.direction, self.source, self.sink, self.cutter = direction, source, sink, cutter
        self.outbox = bytearray()
        self.number = self.pending = 0
        self.ended = False
        self.straight = 0.0  # when the last message that kept its place arrives

    @property
    def is_over(self) -> bool:
        return self.ended and not self.pending and not self.outbox


class _Pair:
    """A client's connection and the one made to the server for it."""

    def __init__(self, number: int, client: socket.socket, server: socket.socket, cutter: Callable[[], Cutter]) -> None:
        self.number, self.ends = number, (client, server)
        self.flows = (_Flow(REQUESTS, client, server, cutter()), _Flow(REPLIES, server, client, cutter()))
        self.is_open = True


class ChaosProxy:
    """Stands between clients and a server, ZeroMQ or plain TCP, and does to their messages what `chaos` says.

    A context manager; clients connect to `endpoint` instead of the server's. Each client has its own connection to the
    server, so that the server sees every client come and go. Handshakes and heartbeats pass unharmed. What becomes of
    the n-th message of the k-th connection is a function of the seed alone.

    Encrypted connections (CURVE) do not survive duplicated or overtaken messages: they number them.

    Args:
        server: Where the server listens: `tcp://host:port`, or `tcp+plain://host:port` for plain TCP.
        chaos: How bad the network is; may be exchanged at any time by `chaos`.

    Raises:
        BadArgument: `server` is no endpoint.
    """

    def __init__(self, server: str, chaos: Chaos | None = None) -> None:
        self._server = parse(server)
        self.chaos = chaos or Chaos()
        self._cutter: Callable[[], Cutter] = PlainCutter if self._server.is_plain else ZmtpCutter
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self._alarm, self._wakeup = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._pairs: list[_Pair] = []
        self._due: list[tuple[float, int, _Pair, _Flow, bytes]] = []
        self._order = itertools.count()
        self._counts = Counts()
        self._orders: list[Callable[[], None]] = []
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="chaos proxy", daemon=True)

    @property
    def endpoint(self) -> str:
        """Address that clients connect to."""
        return str(Endpoint("127.0.0.1", self._listener.getsockname()[1], self._server.is_plain))

    @property
    def counts(self) -> Counts:
        """Numbers of what was done so far."""
        return replace(self._counts)

    def cut(self) -> None:
        """Break all connections now; clients may connect again."""
        self._orders.append(self._cut_all)
        self._wakeup.send(b"!")

    def __enter__(self) -> Self:
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._alarm, selectors.EVENT_READ, self._handle)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        self._wakeup.send(b"!")
        self._thread.join()
        for pair in list(self._pairs):
            self._close(pair)
        self._selector.close()
        for end in (self._listener, self._alarm, self._wakeup):
            end.close()

    # the thread

    def _run(self) -> None:
        while not self._stopping:
            wait = max(0.0, self._due[0][0] - time.monotonic()) if self._due else None
            for key, events in self._selector.select(wait):
                key.data(events)
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                self._deliver(*heapq.heappop(self._due)[2:])

    def _handle(self, _: int) -> None:
        self._alarm.recv(_CHUNK)
        while self._orders:
            self._orders.pop(0)()

    def _accept(self, _: int) -> None:
        client, _address = self._listener.accept()
        try:
            server = socket.create_connection((self._server.host.strip("[]"), self._server.port), _CONNECT)
        except OSError:  # no server: the client sees what it would see without us
            client.close()
            return
        for end in (client, server):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = _Pair(self._counts.connections, client, server, self._cutter)
        self._counts.connections += 1
        self._pairs.append(pair)
        self._watch(pair)

    def _serve(self, pair: _Pair, flow: _Flow, back: _Flow, events: int) -> None:
        """Do what there is to do at the end where `flow` begins and `back` ends."""
        if events & selectors.EVENT_WRITE and pair.is_open:
            self._push(pair, back)
        if events & selectors.EVENT_READ and pair.is_open:
            self._receive(pair, flow)

    def _receive(self, pair: _Pair, flow: _Flow) -> None:
        try:
            raw = flow.source.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self._close(pair)
            return
        if not raw:
            flow.ended = True
            self._settle(pair)
            return
        for piece in flow.cutter.feed(raw):
            self._decide(pair, flow, piece)
            if not pair.is_open:
                return
        self._watch(pair)

    def _decide(self, pair: _Pair, flow: _Flow, piece: Piece) -> None:
        fate = Fate()
        if piece.is_message:
            fate = self.chaos.fate(pair.number, flow.direction, flow.number)
            flow.number += 1
            self._count(fate)
        if fate.cuts:
            self._cut(pair)
            return
        due = max(time.monotonic() + fate.delay, flow.straight)
        if not fate.overtaken:
            flow.straight = due
        else:
            due += self.chaos.hold
        for _ in range(fate.copies):
            flow.pending += 1
            heapq.heappush(self._due, (due, next(self._order), pair, flow, piece.raw))

    def _count(self, fate: Fate) -> None:
        counts = self._counts
        if fate.cuts:
            return
        counts.passed += fate.copies > 0
        counts.dropped += fate.copies == 0
        counts.duplicated += fate.copies > 1
        counts.delayed += fate.copies > 0 and fate.delay > 0.0
        counts.reordered += fate.copies > 0 and fate.overtaken

    def _deliver(self, pair: _Pair, flow: _Flow, raw: bytes) -> None:
        flow.pending -= 1
        if pair.is_open:
            flow.outbox += raw
            self._push(pair, flow)

    def _push(self, pair: _Pair, flow: _Flow) -> None:
        try:
            while flow.outbox:
                del flow.outbox[: flow.sink.send(memoryview(flow.outbox)[:_CHUNK])]
        except BlockingIOError:
            pass
        except OSError:
            self._close(pair)
            return
        self._settle(pair)

    def _settle(self, pair: _Pair) -> None:
        """Pass on that a side says no more; close when neither does."""
        for flow in pair.flows:
            if flow.is_over:
                with contextlib.suppress(OSError):
                    flow.sink.shutdown(socket.SHUT_WR)
        if all(flow.is_over for flow in pair.flows):
            self._close(pair)
        else:
            self._watch(pair)

    def _watch(self, pair: _Pair) -> None:
        """Wait for what can be done: reading where there is room, writing where something is left."""
        if not pair.is_open:
            return
        for flow, back in (pair.flows, pair.flows[::-1]):
            end = flow.source
            events = 0 if flow.ended or len(flow.outbox) > _MOST_UNSENT else selectors.EVENT_READ
            events |= selectors.EVENT_WRITE if back.outbox else 0
            registered = end in self._selector.get_map()
            serve = partial(self._serve, pair, flow, back)
            if registered and not events:
                self._selector.unregister(end)
            elif not registered and events:
                self._selector.register(end, events, serve)
            elif registered:
                self._selector.modify(end, events, serve)

    def _cut_all(self) -> None:
        for pair in list(self._pairs):
            self._cut(pair)

    def _cut(self, pair: _Pair) -> None:
        self._counts.cut += 1
        self._close(pair)

    def _close(self, pair: _Pair) -> None:
        if not pair.is_open:
            return
        pair.is_open = False
        self._pairs.remove(pair)
        for end in pair.ends:
            with contextlib.suppress(KeyError):
                self._selector.unregister(end)
            end.close()
