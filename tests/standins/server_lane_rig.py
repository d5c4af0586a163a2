"""A host's sockets, its lane and a source in a thread, turned by hand; clients are bare sockets."""

import itertools
import socket
import struct
import time
from typing import Any

from coopsim.message.zmtp import frame
from coopsim.server.lane.lane import Lane
from coopsim.server.lane.library import find
from coopsim.server.polling import Poller
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.zmtp_gateway import ZmtpGateway

_DEADLINE = 20.0
_QUIET = 3
"""Turns without any event after which nothing moves."""
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = frame(b"\x05READY\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER", 4)
LIBRARY = find({})


def framed(name: str, raw: bytes) -> bytes:
    """Return a message as client `name` sends it: `a` speaks ZeroMQ, everybody else plain TCP."""
    return frame(raw) if name == "a" else struct.pack(">I", len(raw)) + raw


class LaneRig:
    """Clients by name, served with or without the lane; those of `narrow` have the least room for answers."""

    def __init__(self, bench: Any, *, has_lane: bool, narrow: str = "") -> None:
        self.bench, self.poller, self._narrow = bench, Poller(), narrow
        self.poller.__enter__()
        bench.modules.lock._call = self.poller.wake
        # by the clock of the bench, so that on a busy machine no connection uses up its time for what it sent at once
        self.gateways = [
            gateway(0, bench.modules, self.poller, clock=lambda: bench.now) for gateway in (ZmtpGateway, Gateway)
        ]
        link = bench.source.link
        self.lane = Lane(LIBRARY, link, bench.modules, bench.modules.lock, self.poller) if has_lane else None
        for end in (link.woken.reader, link.channel.fileno()):
            self.poller.register(end, 1, lambda *_: self._serve_ready())
        self.poller.on_wake(lambda: [gateway.flush() for gateway in self.gateways])
        self.ends: dict[str, socket.socket] = {}
        self.listeners: tuple[Any, ...] = ()
        tokens = map(str, itertools.count())
        bench.coordinator.ownership._make_token = lambda: next(tokens)
        bench.source.start()

    def _serve_ready(self) -> None:
        with self.bench.modules.lock:
            self.bench.source.link.poll()
            self.bench.modules.poll()

    def end(self, name: str) -> socket.socket:
        """Return the socket of a client, connected."""
        if name not in self.ends:
            gateway = self.gateways[name != "a"]
            self.ends[name] = end = socket.socket()
            if name in self._narrow:
                # before it connects: a window that shrinks leaves acknowledgements outside, and TCP stands still
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            end.settimeout(_DEADLINE)
            end.connect(("127.0.0.1", gateway.port))
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if name == "a":
                end.sendall(GREETING + READY)
            end.setblocking(False)
            self.settle()
            self.heard(name)
            for connection in gateway._connections.values():
                connection.session.label = (
                    f"client {name}"  # without a number of a port, which is another one each time
                )
        return self.ends[name]

    def turn(self, wait: float = 0.002) -> bool:
        """Do what the conductor does in a turn; return whether something happened."""
        before = self.lane.steps if self.lane is not None else 0
        is_moved = False
        events_left: list[tuple[int, int]] = []
        if self.lane is not None:
            events_left = self.lane.run(time.monotonic() + wait, self.listeners) or []
            is_moved, wait = self.lane.steps != before, 0.0
        for descriptor, events in itertools.chain(events_left, self.poller.poll(wait)):
            is_moved = True
            self.poller.handlers.get(descriptor, lambda *_: None)(descriptor, events)
        for gateway in self.gateways:
            is_moved |= gateway.serve()
        return is_moved

    def settle(self) -> None:
        """Serve until nothing moves."""
        quiet, deadline, source = 0, time.monotonic() + _DEADLINE, self.bench.source
        while quiet < _QUIET:
            assert time.monotonic() < deadline, "it never comes to rest"
            is_idle = not self.turn() and source.taken == source.ring.permits and not source.link._answers
            quiet = quiet + 1 if is_idle and not self.bench.coordinator.is_running else 0

    def settle_without_lane(self) -> None:
        """Serve until nothing moves, as where there is no lane."""
        lane, self.lane = self.lane, None
        self.settle()
        self.lane = lane

    def send(self, name: str, *pieces: bytes) -> None:
        """Send bytes of a client, piece by piece, with a turn of the host after each."""
        for piece in pieces:
            self.end(name).sendall(piece)
            self.turn()

    def heard(self, name: str) -> bytes:
        """Return what a client has received since the last time; `GONE` = its connection is over."""
        raw = b""
        while True:
            try:
                part = self.ends[name].recv(1 << 16)
            except BlockingIOError:
                return raw
            except OSError:
                part = b""
            if not part:
                return raw + b"GONE"
            raw += part

    def close(self) -> None:
        """Close everything but the bench."""
        self.bench.source.stop()
        for end in self.ends.values():
            end.close()
        for gateway in self.gateways:
            gateway.close()
        self.poller.close()
