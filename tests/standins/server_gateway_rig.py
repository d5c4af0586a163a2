"""A gateway on real sockets that is turned by hand."""

import socket
import struct

from server_fakes import ask

from coopsim.message import decode, encode
from coopsim.server.polling import Poller
from coopsim.server.sockets.connection import MakesEnds
from coopsim.server.sockets.gateway import Gateway

DEADLINE = 10.0
PING = encode(ask("/robot1/motors", 0))


def framed(raw: bytes) -> bytes:
    return struct.pack(">I", len(raw)) + raw


class GatewayRig:
    """A gateway on real sockets that is turned by hand, with a clock of its own."""

    def __init__(
        self, modules: object, most: int = 1000, tls: MakesEnds | None = None, kind: type[Gateway] = Gateway
    ) -> None:
        self.now = 0.0
        self.poller = Poller()
        self.modules = modules
        self.gateway = kind(0, modules, self.poller, most, clock=lambda: self.now, tls=tls)
        self.ends: list[socket.socket] = []

    def connect(self) -> socket.socket:
        end = socket.create_connection(("127.0.0.1", self.gateway.port), DEADLINE)
        self.ends.append(end)
        before = self.gateway.clients
        while self.gateway.clients == before and self.pump(1.0):
            pass
        return end

    def pump(self, wait: float = 0.02) -> int:
        """Handle what there is; return how many events there were."""
        events = self.poller.poll(wait)
        for descriptor, mask in events:
            self.gateway.handle(descriptor, mask)
        return len(events)

    def settle(self) -> None:
        while self.pump():
            pass

    def after(self, seconds: float) -> int:
        """Let time pass; return how many connections are left."""
        self.settle()
        self.now += seconds
        self.gateway.turn(self.now)
        return self.gateway.clients

    def ask(self, end: socket.socket, raw: bytes = PING) -> int:
        """Return the error of the reply."""
        end.sendall(framed(raw))
        return self.receive(end)

    def receive(self, end: socket.socket) -> int:
        self.settle()
        (length,) = struct.unpack(">I", end.recv(4, socket.MSG_WAITALL))
        return decode(end.recv(length, socket.MSG_WAITALL)).error

    def close(self) -> None:
        self.gateway.close()
        self.poller.close()
        for end in self.ends:
            end.close()
