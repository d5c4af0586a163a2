"""A connection: messages, each behind its length."""

from __future__ import annotations

import socket
import ssl
import struct
import time

from coopsim_client.errors import Lost, Malformed, Silent

LARGEST = 1 << 20


def place_of(address: str) -> tuple[str, int]:
    """Return host and port of host:port; Lost when it is none."""
    host, _, port = address.removeprefix("tcp://").removeprefix("tls://").rpartition(":")
    if not host or not port.isdecimal():
        raise Lost(f"{address!r} is no host:port")
    return host.strip("[]"), int(port)


class Link:
    """A connection by plain TCP, or TLS; a context says whose certificate it trusts."""

    def __init__(self, address: str, timeout: float, tls: ssl.SSLContext | None = None) -> None:
        self.host, port = place_of(address)
        self._inbox = bytearray()
        try:
            self._socket = socket.create_connection((self.host, port), timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as problem:
            raise Lost(f"no simulation at {address}: {problem}") from None
        if tls is not None:
            try:
                self._socket = tls.wrap_socket(self._socket, server_hostname="coopsim")
            except OSError as problem:
                self._socket.close()
                raise Lost(f"no simulation at {address}: {problem}") from None

    def send(self, raw: bytes, deadline: float) -> None:
        """Send one message; half of one that did not go in time would make nonsense of all that follow."""
        try:
            self._socket.settimeout(max(deadline - time.monotonic(), 1e-6))
            self._socket.sendall(struct.pack(">I", len(raw)) + raw)
        except OSError as problem:
            self.close()
            raise Lost(f"the simulation is gone: {problem}") from None

    def receive(self, deadline: float) -> bytes:
        """Return the next message; what came of one before the deadline is kept for later."""
        while True:
            if len(self._inbox) >= 4:
                end = 4 + int.from_bytes(self._inbox[:4], "big")
                if end > 4 + LARGEST:
                    self.close()
                    raise Malformed(f"the server announced a message of {end - 4} bytes")
                if len(self._inbox) >= end:
                    raw = bytes(self._inbox[4:end])
                    del self._inbox[:end]
                    return raw
            self._inbox += self._part(deadline)

    def _part(self, deadline: float) -> bytes:
        try:
            self._socket.settimeout(max(deadline - time.monotonic(), 1e-6))
            part = self._socket.recv(1 << 16)
        except TimeoutError:
            raise Silent("no reply in time: is the simulation paused, or waiting for another robot?") from None
        except OSError as problem:
            raise Lost(f"the simulation is gone: {problem}") from None
        if not part:
            self.close()
            raise Lost("the simulation has closed the connection")
        return part

    def close(self) -> None:
        """End the connection."""
        self._socket.close()
