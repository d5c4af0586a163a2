"""Signals as something that a selector can wait for."""

import signal
import socket
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self, TypeAlias

_Handler: TypeAlias = Callable[[int, FrameType | None], Any] | int | signal.Handlers | None

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """While entered, SIGINT, SIGTERM, SIGHUP and the end of children make a descriptor readable.

    Only the main thread may enter it.
    """

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._before: dict[signal.Signals, _Handler] = {}
        self._descriptor = -1

    def __enter__(self) -> Self:
        self._descriptor = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (*STOPPING, signal.SIGCHLD):
            self._before[number] = signal.signal(number, lambda *_: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._descriptor)
        self._reader.close()
        self._writer.close()

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._reader.fileno()

    def drain(self) -> list[int]:
        """Return the numbers of the stopping signals that came, in order; the end of a child only wakes."""
        try:
            numbers = self._reader.recv(4096)
        except BlockingIOError:
            return []
        return [number for number in numbers if number in STOPPING]
