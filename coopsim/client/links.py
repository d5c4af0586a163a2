"""Connections that carry whole messages: ZeroMQ and plain TCP behind one small contract."""

import math
import socket
import struct
import time
from typing import Protocol

import zmq

from coopsim.client.endpoints import Endpoint
from coopsim.errors import MessageTooLarge, NoReply
from coopsim.message import MAX_BYTES

_LENGTH = struct.Struct(">I")
_CHUNK = 1 << 16


class Link(Protocol):
    """A connection to one server."""

    def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if nobody was connected within `timeout` [s]."""
        ...

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
        """
        ...

    def close(self) -> None:
        """Close the connection; what was not sent yet is dropped."""
        ...


class ZmqLink:
    """A DEALER socket with the options a good client sets."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", endpoint: Endpoint) -> None:
        self._socket = context.socket(zmq.DEALER)
        # IMMEDIATE: a request for nobody must fail, not wait in a queue
        options = {
            zmq.LINGER: 0,
            zmq.IMMEDIATE: 1,
            zmq.RECONNECT_IVL: 10,
            zmq.RECONNECT_IVL_MAX: 1000,
            zmq.HEARTBEAT_IVL: 500,
            zmq.MAXMSGSIZE: MAX_BYTES,
        }
        for option, value in options.items():
            self._socket.setsockopt(option, value)
        self._waits = {zmq.SNDTIMEO: 0, zmq.RCVTIMEO: 0}
        self._socket.connect(endpoint.address)

    def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if nobody was connected within `timeout` [s]."""
        try:
            self._socket.send(raw, zmq.NOBLOCK)
        except zmq.Again:
            return self._send_patiently(raw, timeout)
        return True

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s]."""
        self._wait_at_most(zmq.RCVTIMEO, timeout)
        try:
            return self._socket.recv()
        except zmq.Again:
            return None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close(linger=0)

    def _send_patiently(self, raw: bytes, timeout: float) -> bool:
        self._wait_at_most(zmq.SNDTIMEO, timeout)
        try:
            self._socket.send(raw)
        except zmq.Again:
            return False
        return True

    def _wait_at_most(self, option: int, seconds: float) -> None:
        wait = math.ceil(max(seconds, 0.0) * 1000)
        if self._waits[zmq.SocketOption(option)] != wait:
            self._socket.setsockopt(option, wait)
            self._waits[zmq.SocketOption(option)] = wait


class PlainLink:
    """Messages with their length in four bytes, big-endian, before them; connects anew when the server went away."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._socket: socket.socket | None = None
        self._received = bytearray()

    def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if nobody was connected within `timeout` [s]."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                self._connected(max(deadline - time.monotonic(), 0.01)).sendall(_LENGTH.pack(len(raw)) + raw)
            except OSError:
                self.close()
                if time.monotonic() >= deadline:
                    return False
                # the pace at which ZeroMQ tries again, see RECONNECT_IVL
                time.sleep(0.01)
            else:
                return True

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s].

        Raises:
            NoReply: The server closed the connection.
            MessageTooLarge: It announces more than a message may have: it does not speak the protocol.
        """
        deadline = time.monotonic() + timeout
        while (message := self._complete()) is None:
            if not self._read(deadline - time.monotonic()):
                return None
        return message

    def close(self) -> None:
        """Close the socket and forget a half-received message."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._received.clear()

    def _connected(self, timeout: float) -> socket.socket:
        if self._socket is None:
            self._socket = socket.create_connection((self._endpoint.host.strip("[]"), self._endpoint.port), timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(timeout)
        return self._socket

    def _complete(self) -> bytes | None:
        if len(self._received) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._received)
        if length > MAX_BYTES:
            self.close()
            raise MessageTooLarge(f"{self._endpoint} announces a message of {length} bytes; is it a coopsim server?")
        end = _LENGTH.size + length
        if len(self._received) < end:
            return None
        message = bytes(self._received[_LENGTH.size : end])
        del self._received[:end]
        return message

    def _read(self, timeout: float) -> bool:
        if self._socket is None:
            raise NoReply(f"not connected to {self._endpoint}")
        self._socket.settimeout(max(timeout, 1e-6))
        try:
            received = self._socket.recv(_CHUNK)
        except TimeoutError:
            return False
        except OSError:
            received = b""
        if not received:
            self.close()
            raise NoReply(f"the server at {self._endpoint} closed the connection")
        self._received += received
        return True
