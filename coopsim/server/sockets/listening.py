"""Listening sockets and their doors: the address of a run and its CURVE keys.

Specification: docs/protocol.md, section 15. Every option was needed in a trial.
"""

from dataclasses import dataclass

import zmq

from coopsim.client.keepalive import KEEPALIVE
from coopsim.client.keyring import KeyRing
from coopsim.errors import PortTaken

LOOPBACK = "127.0.0.1"
LINGER_MS = 200
"""Time that a socket has for the last replies when it closes [ms]."""
_LOCAL_ADDRESSES = ("127.", "::1")
DOMAIN = b"coopsim"
_OPTIONS = {
    zmq.LINGER: 0,
    zmq.HANDSHAKE_IVL: 2000,
    zmq.BACKLOG: 1024,
    **KEEPALIVE,
}
"""Of every socket that others connect to."""


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Options of listening sockets.

    Attributes:
        address: IPv4 or IPv6 address of the interface to listen on.
        keys: Our key pair and the trusted ones; None = every client that reaches the address.
    """

    address: str = LOOPBACK
    keys: KeyRing | None = None

    @property
    def host(self) -> str:
        """The address as endpoints write it."""
        return f"[{self.address}]" if ":" in self.address else self.address

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.address.startswith(_LOCAL_ADDRESSES)

    def open(self, socket: "zmq.Socket[bytes]", port: int, what: str = "ZeroMQ") -> int:
        """Bind a socket to `port`, 0 = a free one; return the port.

        Raises:
            PortTaken: The port, or the address, cannot be used.
            NoKey: Our key pair cannot be read.
        """
        for option, value in _OPTIONS.items():
            socket.setsockopt(option, value)
        socket.setsockopt(zmq.IPV6, int(":" in self.address))
        if self.keys is not None:
            socket.setsockopt(zmq.CURVE_SERVER, 1)
            socket.setsockopt(zmq.CURVE_SECRETKEY, self.keys.own.secret.encode())
            socket.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
        try:
            socket.bind(f"tcp://{self.host}:{port or '*'}")
        except zmq.ZMQError as problem:
            socket.close(0)
            raise PortTaken(f"port {port} of {self.address} cannot be used for {what}: {problem.strerror}") from None
        return int(socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])


LOCAL = ListenOptions()
"""Accepts connections from this machine only."""
