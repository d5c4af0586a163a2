"""Connections that carry whole messages: ZeroMQ and plain TCP behind one small contract."""

import math
import socket
import struct
import time
from typing import TYPE_CHECKING

import zmq

from coopsim.client.certificates import SERVER_NAME
from coopsim.client.compiled import TCP
from coopsim.client.endpoints import Endpoint
from coopsim.client.keepalive import KEEPALIVE
from coopsim.client.keys import ConnectionKeys, Handshake
from coopsim.client.time_limits import TimeLimits
from coopsim.errors import CoopsimError, KeyRefused, MessageTooLarge, NoReply
from coopsim.message import MAX_BYTES

if TYPE_CHECKING:
    import ssl

_LENGTH = struct.Struct(">I")
_CHUNK = 1 << 16  # bytes; as much as a socket's buffer holds at once by default
_REST = 5.0  # s; a connection that was used later than that is believed, for asking costs a call of the system
_TLS_ALERT = b"\x15\x03"
_SNDTIMEO, _RCVTIMEO = int(zmq.SNDTIMEO), int(zmq.RCVTIMEO)


class ZmqLink:
    """A DEALER socket with the options a good client sets.

    Args:
        context: Where it is made.
        endpoint: Where the server listens.
        keys: The keys of both sides; None = in the clear.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", endpoint: Endpoint, keys: ConnectionKeys | None = None
    ) -> None:
        self._context, self._endpoint, self._keys = context, endpoint, keys
        self._handshake: Handshake | None = None
        self._waits: dict[int, int] = {}
        self._socket = self._connected()

    def _connected(self) -> "zmq.Socket[bytes]":
        # no IMMEDIATE: with it a reply that came just before the server closed is lost unread
        socket = self._context.socket(zmq.DEALER)
        options = {
            zmq.LINGER: 0,
            zmq.RECONNECT_IVL: 10,
            zmq.RECONNECT_IVL_MAX: 1000,
            zmq.MAXMSGSIZE: MAX_BYTES,
            zmq.IPV6: int(":" in self._endpoint.host),
            **KEEPALIVE,
        }
        for option, value in options.items():
            socket.setsockopt(option, value)
        self._waits = {_SNDTIMEO: -1, _RCVTIMEO: -1}
        if self._keys is not None:
            self._keys.apply_to(socket)
        self._handshake = Handshake(socket, self._endpoint, self._keys)
        socket.connect(self._endpoint.address)
        return socket

    def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if there was no connection within `timeout` [s]."""
        try:
            self._socket.send(raw, zmq.NOBLOCK)
        except zmq.Again:
            return self._send_patiently(raw, timeout)
        return True

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s].

        Raises:
            KeyRefused: The server does not let us in.
        """
        if self._handshake is not None and not self._is_welcome(self._handshake, timeout):
            return None
        self._wait_at_most(_RCVTIMEO, timeout)
        try:
            return self._socket.recv()
        except zmq.Again:
            return None

    def reset(self) -> None:
        """Begin anew with another socket."""
        self.close()
        self._socket = self._connected()

    def close(self) -> None:
        """Close the socket."""
        self._end_handshake()
        self._socket.close(linger=0)

    def _is_welcome(self, handshake: Handshake, timeout: float) -> bool:
        """Wait for a message or the end of the handshake; False if neither came in time."""
        deadline = time.monotonic() + timeout
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(handshake.monitor, zmq.POLLIN)
        while ready := poller.poll(max(0, math.ceil(1000.0 * (deadline - time.monotonic())))):
            if any(ready_socket is self._socket for ready_socket, _ in ready) or handshake.has_succeeded():
                self._end_handshake()
                return True
        return False

    def _end_handshake(self) -> None:
        handshake, self._handshake = self._handshake, None
        if handshake is not None:
            handshake.close()

    def _send_patiently(self, raw: bytes, timeout: float) -> bool:
        self._wait_at_most(_SNDTIMEO, timeout)
        try:
            self._socket.send(raw)
        except zmq.Again:
            return False
        return True

    def _wait_at_most(self, option: int, seconds: float) -> None:
        wait = math.ceil(max(seconds, 0.0) * 1000)
        if self._waits[option] != wait:
            self._socket.setsockopt(option, wait)
            self._waits[option] = wait


class TcpEnd:
    """The end of a plain TCP or TLS connection: where it leads, and whether the server there is the one expected.

    Args:
        endpoint: Where the server listens.
        keys: The keys of both sides, for TLS.

    Raises:
        NoKey: It is TLS, and a certificate is missing.
    """

    def __init__(self, endpoint: Endpoint, keys: ConnectionKeys | None = None) -> None:
        self._endpoint, self._keys = endpoint, keys
        self._tls: ssl.SSLContext | None = None
        if endpoint.is_tls:
            from coopsim.client.tls import context_of  # ssl takes a while to load, and few need it

            self._tls = context_of(keys, endpoint)

    def _check_certificate(self, certificate: bytes | None) -> None:
        """Refuse a server that shows another certificate than the one expected.

        Raises:
            KeyRefused: It does.
        """
        from coopsim.client.tls import checked

        checked(certificate, self._endpoint, self._keys)

    def _raise_refusal(self, problem: OSError) -> None:
        """Raise what a failure of TLS means, if it is about keys: trying again would not help."""
        if self._tls is not None:
            from coopsim.client.tls import refusal

            refused = refusal(problem, self._endpoint, self._keys)
            if refused is not None:
                raise refused from None

    def _length(self, head: bytes | bytearray) -> int:
        """Return the length of the message that begins with `head`.

        Raises:
            MessageTooLarge: It is more than a message may have: the server does not speak the protocol.
            KeyRefused: The server speaks TLS.
        """
        length: int = _LENGTH.unpack_from(head)[0]
        if length <= MAX_BYTES:
            return length
        if self._tls is None and head.startswith(_TLS_ALERT):
            raise KeyRefused(f"{self._endpoint} serves only clients with keys: tls://HOST:PORT, see `coopsim keys`")
        raise MessageTooLarge(f"{self._endpoint} announces a message of {length} bytes; is it a coopsim server?")


class PlainLink(TcpEnd):
    """Messages with their length in four bytes, big-endian, before them; connects anew when the server went away.

    Args:
        endpoint: Where the server listens.
        keys: The keys of both sides, for TLS.

    Raises:
        NoKey: It is TLS, and a certificate is missing.
    """

    framing = TCP

    def __init__(self, endpoint: Endpoint, keys: ConnectionKeys | None = None) -> None:
        super().__init__(endpoint, keys)
        self._socket: socket.socket | None = None
        self._limits = TimeLimits()
        self._received = bytearray()
        self._used = -math.inf

    def descriptor(self, timeout: float) -> int:
        """Return the socket's, which waits so long for what comes; -1 = there is none, or something came already."""
        end = self._socket
        if end is None or timeout <= 0.0 or self._received or self._tls is not None:
            return -1
        self._limits.receiving(end, timeout)
        return end.fileno()

    def accept_received(self, raw: bytes) -> None:
        """Take in what somebody else has received."""
        self._received += raw

    def send(self, raw: bytes, timeout: float, sent: int = 0) -> bool:
        """Send one message; False if there was no connection within `timeout` [s].

        Args:
            raw: The message.
            timeout: How long that may take [s].
            sent: How many bytes of its frame have been sent by somebody else.
        """
        now = time.monotonic()
        deadline = now + timeout
        if not sent and now - self._used > _REST and self._is_closed_there():
            self.close()
        self._used = now
        whole = _LENGTH.pack(len(raw)) + raw
        while True:
            try:
                self._connected(max(deadline - time.monotonic(), 0.01)).sendall(whole[sent:])
            except OSError as problem:
                sent = 0
                self.close()
                self._raise_refusal(problem)
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

    def reset(self) -> None:
        """Close the socket; the next message opens another."""
        self.close()

    def close(self) -> None:
        """Close the socket and forget a half-received message."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._received.clear()

    def _is_closed_there(self) -> bool:
        """Return whether the server ended the connection, as it does with silent ones when places are short."""
        if self._socket is None:
            return False
        try:
            late = self._receive(self._socket, 0.0)
        except BlockingIOError:
            return False
        except OSError as problem:
            return not _is_early(problem)
        self._received += late
        return not late

    def _connected(self, timeout: float) -> socket.socket:
        if self._socket is None:
            raw = socket.create_connection((self._endpoint.host.strip("[]"), self._endpoint.port), timeout)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = self._wrapped(raw)
            self._limits = TimeLimits()
            if self._tls is None:
                self._socket.settimeout(None)
        if self._tls is None:
            self._limits.sending(self._socket, timeout)
        else:
            self._socket.settimeout(timeout)
        return self._socket

    def _wrapped(self, raw: socket.socket) -> socket.socket:
        if self._tls is None:
            return raw
        wrapped = self._tls.wrap_socket(raw, server_hostname=SERVER_NAME)  # closes it when it fails
        try:
            self._check_certificate(wrapped.getpeercert(binary_form=True))
        except KeyRefused:
            wrapped.close()
            raise
        return wrapped

    def _complete(self) -> bytes | None:
        if len(self._received) < _LENGTH.size:
            return None
        try:
            length = self._length(self._received)
        except CoopsimError:
            self.close()
            raise
        end = _LENGTH.size + length
        if len(self._received) < end:
            return None
        message = bytes(self._received[_LENGTH.size : end])
        del self._received[:end]
        return message

    def _read(self, timeout: float) -> bool:
        if self._socket is None:
            raise NoReply(f"no connection to {self._endpoint}")
        try:
            received = self._receive(self._socket, max(timeout, 0.0))
        except (TimeoutError, BlockingIOError):
            return False
        except OSError as problem:
            if _is_early(problem):
                return False
            received = b""
            self.close()
            self._raise_refusal(problem)
        if not received:
            self.close()
            raise NoReply(f"the server at {self._endpoint} closed the connection")
        self._received += received
        return True

    def _receive(self, end: socket.socket, timeout: float) -> bytes:
        if self._tls is not None:
            end.settimeout(timeout)
            return end.recv(_CHUNK)
        if timeout == 0.0:
            return end.recv(_CHUNK, socket.MSG_DONTWAIT)
        self._limits.receiving(end, timeout)
        return end.recv(_CHUNK)


def _is_early(problem: OSError) -> bool:
    """Return whether TLS only says that nothing has come yet."""
    return type(problem).__name__ in {"SSLWantReadError", "SSLWantWriteError"}
