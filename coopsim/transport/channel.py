"""A duplex channel of msgpack messages between two of our own processes."""

import select
import socket
import struct
import threading
import time
from typing import Any, Generic, TypeVar

import msgpack

from coopsim.state.vocabulary import plain_of
from coopsim.transport.control import CONTROL

_LENGTH = struct.Struct(">I")
Sent = TypeVar("Sent")
Received = TypeVar("Received")


def pack(message: Any) -> bytes:
    """Return a message as it travels.

    Raises:
        TypeError, ValueError, OverflowError: Something in it cannot travel.
    """
    packed: bytes = msgpack.packb(CONTROL.to_plain(message), default=plain_of)
    return packed


class Channel(Generic[Sent, Received]):
    """An end of a socket pair that carries control messages, each as msgpack behind its length.

    Sending never blocks: what the kernel does not take waits in `outbox` until `flush`.
    `send` may be called by any thread, everything else by the owner alone.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self._inbox = bytearray()
        self._outbox = bytearray()
        self._lock = threading.Lock()
        self.closed = False
        self._is_read_out = False

    @classmethod
    def pair(cls) -> tuple["Channel[Any, Any]", "Channel[Any, Any]"]:
        """Return two connected ends."""
        own_end, far_end = socket.socketpair()
        return Channel(own_end), Channel(far_end)

    @classmethod
    def from_descriptor(cls, descriptor: int) -> "Channel[Any, Any]":
        """Return the end that a parent process passed down."""
        return cls(socket.socket(fileno=descriptor))

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._end.fileno()

    @property
    def pending(self) -> bool:
        """Whether something waits to be flushed."""
        return bool(self._outbox)

    def make_room(self, size: int) -> None:
        """Have the kernel take more at once.

        Args:
            size: Of what it keeps until it is read; it may give less [B].
        """
        self._end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)

    def send(self, message: Sent) -> None:
        """Queue `message` and send what the kernel takes now; after the end it is dropped."""
        self.send_packed(pack(message))

    def send_packed(self, raw: bytes) -> None:
        """Send a message that is packed already."""
        with self._lock:
            if self.closed:
                return
            parts: tuple[bytes, ...] = (_LENGTH.pack(len(raw)), raw)
            sent = self._send_some(*parts) if not self._outbox else 0
            for part in parts:  # what is large is not copied before the kernel has had its part
                self._outbox += memoryview(part)[sent:]
                sent = max(0, sent - len(part))
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the kernel takes it."""
        with self._lock:
            while self._outbox and (sent := self._send_some(memoryview(self._outbox)[: 1 << 18])):
                del self._outbox[:sent]
            if self.closed:
                self._outbox.clear()

    def _send_some(self, *parts: bytes | memoryview) -> int:
        """Return how many bytes the kernel takes now; sets `closed` where nobody reads them any more."""
        if self.closed:
            return 0
        try:
            return self._end.sendmsg(parts)
        except BlockingIOError:
            return 0
        except OSError:
            self.closed = True
            return 0

    def receive(self) -> list[Received]:
        """Return the messages that have arrived, without blocking; sets `closed` at the end of the channel.

        The last words of who has ended still come, though `send` found nobody who reads.
        """
        while not self._is_read_out:
            try:
                received = self._end.recv(1 << 18)
            except BlockingIOError:
                break
            except OSError:
                received = b""
            if not received:
                self.closed = self._is_read_out = True
            self._inbox += received
        return self._split()

    def wait(self, timeout: float | None) -> list[Received]:
        """Return messages as soon as there is a whole one, flushing meanwhile.

        Returns:
            Nothing when `timeout` seconds are over (None = never) or the channel ended.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        messages = self.receive()
        while not messages and not self.closed:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left < 0:
                break
            self._poll(left)
            self.flush()
            messages = self.receive()
        return messages

    def _poll(self, seconds: float | None) -> None:
        waiter = select.poll()  # select.select fails beyond 1024 descriptors
        waiter.register(self._end, select.POLLIN | (select.POLLOUT if self._outbox else 0))
        waiter.poll(None if seconds is None else 1000.0 * seconds)

    def close(self) -> None:
        """Close this end; the other one sees the end of the channel. What waits in the outbox is dropped."""
        self.closed = self._is_read_out = True
        self._outbox.clear()
        self._end.close()

    def _split(self) -> list[Received]:
        messages: list[Received] = []
        while len(self._inbox) >= 4:
            (length,) = _LENGTH.unpack_from(self._inbox)
            if len(self._inbox) < 4 + length:
                break
            with memoryview(self._inbox) as inbox, inbox[4 : 4 + length] as raw:
                plain = msgpack.unpackb(raw)
            messages.append(CONTROL.from_plain(plain))
            del self._inbox[: 4 + length]
        return messages
