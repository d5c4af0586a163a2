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
    """One end of a socket pair that carries control messages, each as msgpack behind its length.

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

    @classmethod
    def pair(cls) -> tuple["Channel[Any, Any]", "Channel[Any, Any]"]:
        """Return two connected ends."""
        one, other = socket.socketpair()
        return Channel(one), Channel(other)

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

    def send(self, message: Sent) -> None:
        """Queue `message` and send what the kernel takes now; after the end it is dropped."""
        self.send_packed(pack(message))

    def send_packed(self, raw: bytes) -> None:
        """Send a message that is packed already."""
        with self._lock:
            if not self.closed:
                self._outbox += _LENGTH.pack(len(raw)) + raw
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the kernel takes it."""
        with self._lock:
            while self._outbox and not self.closed:
                try:
                    sent = self._end.send(memoryview(self._outbox)[: 1 << 18])
                except BlockingIOError:
                    return
                except OSError:
                    self.closed = True
                    self._outbox.clear()
                    return
                del self._outbox[:sent]

    def receive(self) -> list[Received]:
        """Return the messages that have arrived, without blocking; sets `closed` at the end of the channel."""
        while not self.closed:
            try:
                came = self._end.recv(1 << 18)
            except BlockingIOError:
                break
            except OSError:
                came = b""
            if not came:
                self.closed = True
            self._inbox += came
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
        self.closed = True
        self._outbox.clear()
        self._end.close()

    def _split(self) -> list[Received]:
        messages: list[Received] = []
        while len(self._inbox) >= 4:
            (length,) = _LENGTH.unpack_from(self._inbox)
            if len(self._inbox) < 4 + length:
                break
            messages.append(CONTROL.from_plain(msgpack.unpackb(bytes(self._inbox[4 : 4 + length]))))
            del self._inbox[: 4 + length]
        return messages
