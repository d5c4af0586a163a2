"""Time limits of sockets that block, which the kernel minds: one call instead of two."""

import math
import socket
import struct

_TIMEVAL = struct.Struct("@ll")


class TimeLimits:
    """Time limits that one socket has."""

    def __init__(self) -> None:
        self._sending = self._receiving = math.nan

    def sending(self, end: socket.socket, seconds: float) -> None:
        """Let sending take so long at most, then raise BlockingIOError."""
        if seconds != self._sending:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _packed(seconds))
            self._sending = seconds

    def receiving(self, end: socket.socket, seconds: float) -> None:
        """Let receiving take so long at most, then raise BlockingIOError."""
        if seconds != self._receiving:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _packed(seconds))
            self._receiving = seconds


def _packed(seconds: float) -> bytes:
    """Return a limit as the kernel takes it, which counts in milliseconds; 0 would be none."""
    wait = max(math.ceil(1000.0 * seconds), 1)
    return _TIMEVAL.pack(wait // 1000, 1000 * (wait % 1000))
