"""Messages by ZeroMQ's protocol on a plain socket: without a thread and its wake-ups a request costs half as much."""

import select
import socket
import time
from collections.abc import Callable

from coopsim.client.compiled import ZMTP
from coopsim.client.endpoints import Endpoint
from coopsim.client.link import Link
from coopsim.client.time_limits import TimeLimits
from coopsim.message.zmtp import Dialog, frame, missing, whole_message

_CHUNK = 1 << 16  # bytes; as much as a socket's buffer holds at once by default
_MOST_UNSENT = 1000  # as ZeroMQ's own high-water mark
# soon at first, since servers that start are up in a moment; rare later, to burn no core
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 1.0
"""Between two tries to connect, which become rarer [s]."""
OPTIONS = {
    (socket.IPPROTO_TCP, socket.TCP_NODELAY): 1,
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE): 1,
    **{
        (socket.IPPROTO_TCP, getattr(socket, name)): value
        for name, value in {
            "TCP_KEEPIDLE": 1,
            "TCP_KEEPINTVL": 1,
            "TCP_KEEPCNT": 3,
            "TCP_USER_TIMEOUT": 5000,
        }.items()
        if hasattr(socket, name)
    },
}
"""What libzmq is told by `KEEPALIVE`, and sets by itself."""
UNREACHABLE = (OSError, UnicodeError)
"""What trying to connect raises; the second one is about host names that cannot be."""


def is_loop(end: socket.socket) -> bool:
    """Return whether a connection leads to itself, as to a port of this machine where nobody listens it may."""
    return bool(end.getsockname() == end.getpeername())


class ZmtpLink:
    """A DEALER socket for a client that asks and waits: it queues, connects, and connects anew until there is a server.

    Args:
        endpoint: Where the server listens.
        make_other: Makes what carries the messages to a server that wants keys or another version.
    """

    framing = ZMTP

    def __init__(self, endpoint: Endpoint, make_other: Callable[[], Link]) -> None:
        self._endpoint, self._make_other = endpoint, make_other
        self._other: Link | None = None
        self._socket: socket.socket | None = None
        self._poll = select.poll()
        self._dialog = Dialog()
        self._unsent: list[bytes] = []
        self._pause = FIRST_PAUSE
        self._limits = TimeLimits()

    def descriptor(self, timeout: float) -> int:
        """Return the socket's, which waits so long for what comes; -1 = there is none, or something came already."""
        end = self._socket
        if end is None or timeout <= 0.0 or not self._dialog.is_empty:
            return -1
        self._limits.receiving(end, timeout)
        return end.fileno()

    def accept_received(self, raw: bytes) -> None:
        """Take in what somebody else has received."""
        self._dialog.feed(raw)

    def send(self, raw: bytes, timeout: float, sent: int = 0) -> bool:
        """Send one message, or keep it until there is a server; False if too many wait, or it takes nothing.

        Args:
            raw: The message.
            timeout: How long that may take [s].
            sent: How many bytes of its frame have been sent by somebody else.
        """
        if self._other is not None:
            return self._other.send(raw, timeout)
        end = self._socket
        if end is not None and self._dialog.is_open and (sent or self._is_there()):
            try:
                self._push(end, frame(raw)[sent:], timeout)
            except BlockingIOError:
                return False
            except OSError:
                pass  # it waits for the next connection
            else:
                return True
        return self._queue(raw, timeout)

    def _queue(self, raw: bytes, timeout: float) -> bool:
        if len(self._unsent) >= _MOST_UNSENT:
            return False
        self._unsent.append(raw)
        deadline = time.monotonic() + timeout
        while self._unsent and (left := deadline - time.monotonic()) > 0 and self._advance(left):
            pass
        return True

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message, None if none came within `timeout` [s].

        Raises:
            KeyRefused: The server does not let us in.
        """
        began = time.monotonic()
        if self._socket is not None and self._dialog.is_empty and (raw := self._read(self._socket, timeout)):
            if rest := missing(raw):
                raw += self._read(self._socket, timeout, rest)
            message = whole_message(raw)
            if message is not None:
                return message
            if self._socket is not None:
                self._dialog.feed(raw)
        deadline = began + timeout
        while self._other is None:
            message = self._dialog.next_message()
            if self._dialog.outgoing and self._socket is not None:
                self._advance(timeout)  # a ping wants its answer
            if message is not None:
                return message
            left = deadline - time.monotonic()
            if left <= 0.0:
                return self._rest_that_came() if timeout <= 0.0 else None
            if not self._advance(left):
                # nobody listens there: the next try waits a little longer than the one before
                time.sleep(max(min(self._pause, deadline - time.monotonic()), 0.0))
                self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
        return self._other.receive(deadline - time.monotonic())

    def _rest_that_came(self) -> bytes | None:
        """Return the message whose rest has come meanwhile: who never waits shall hear it, too."""
        while self._socket is not None and not self._dialog.is_empty:
            if not (raw := self._read(self._socket, 0.0)):
                break
            self._dialog.feed(raw)
            if (message := self._dialog.next_message()) is not None:
                return message
        return None

    def reset(self) -> None:
        """Begin anew; what was not sent yet is forgotten."""
        if self._other is not None:
            self._other.reset()
        self._unsent.clear()
        self._disconnect()

    def close(self) -> None:
        """Close the connection; what was not sent yet is forgotten."""
        if self._other is not None:
            self._other.close()
        self._unsent.clear()
        self._disconnect()

    def _advance(self, timeout: float) -> bool:
        """Come a little nearer to the next message; False if there is no connection just now."""
        end = self._socket or self._connect(timeout)
        if end is None:
            return False
        if not self._dialog.outgoing and not self._dialog.is_broken:
            raw = self._read(end, timeout)
            if not raw:
                return self._socket is not None
            self._dialog.feed(raw)
        dialog = self._dialog
        if not dialog.is_open:
            dialog.next_message()  # no message yet: what the peer is ready for
        if dialog.is_foreign:
            self._leave_to_other(timeout)
        elif dialog.is_broken or not self._send_waiting(end, timeout):
            self._disconnect()
            return False
        return True

    def _send_waiting(self, end: socket.socket, timeout: float) -> bool:
        """Send what waits: commands, and messages if they may be sent; False if that fails."""
        dialog = self._dialog
        unsent = self._unsent if dialog.is_open else []
        raw = b"".join((dialog.outgoing, *map(frame, unsent)))
        try:
            if raw:
                self._push(end, raw, timeout)
        except OSError:
            return False
        dialog.outgoing.clear()
        unsent.clear()
        if dialog.is_open:
            self._pause = FIRST_PAUSE
        return True

    def _connect(self, timeout: float) -> socket.socket | None:
        try:
            end = socket.create_connection((self._endpoint.host.strip("[]"), self._endpoint.port), max(timeout, 0.01))
        except UNREACHABLE:
            return None
        if is_loop(end):
            end.close()
            return None
        for (level, option), value in OPTIONS.items():
            end.setsockopt(level, option, value)
        end.settimeout(None)
        self._socket, self._limits = end, TimeLimits()
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)
        return end

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, self._dialog = None, Dialog()

    def _leave_to_other(self, timeout: float) -> None:
        self._disconnect()
        self._other = self._make_other()
        for raw in self._unsent:
            self._other.send(raw, timeout)
        self._unsent.clear()

    def _is_there(self) -> bool:
        """Return whether the server has not ended the connection meanwhile, and take in what it has sent."""
        end = self._socket
        while end is not None and self._poll.poll(0):
            self._dialog.feed(self._read(end, 0.0))
            end = self._socket
        return end is not None

    def _push(self, end: socket.socket, raw: bytes, timeout: float) -> None:
        try:
            self._limits.sending(end, timeout)
            end.sendall(raw)
        except BaseException:  # Ctrl-C, too: nothing may follow what was sent in part
            self._disconnect()
            raise

    def _read(self, end: socket.socket, timeout: float, count: int = 0) -> bytes:
        """Return what came; nothing in time, or the end of the connection, is b"".

        Args:
            end: The connection.
            timeout: How long to wait [s]; the kernel would make several milliseconds of 0.
            count: How many bytes to wait for, if they come; 0 = any.
        """
        flags = socket.MSG_WAITALL if count else 0
        if timeout > 0.0:
            self._limits.receiving(end, timeout)
        else:
            flags |= socket.MSG_DONTWAIT
        try:
            raw = end.recv(count or _CHUNK, flags)
        except BlockingIOError:
            return b""
        except OSError:
            raw = b""
        if not raw:
            self._disconnect()
        return raw
