"""Writing to a reader who may stall, as the other end of a pipe can."""

import contextlib
import os
import queue
import threading
import time
from typing import TextIO

_MOST = 1000  # lines that wait for a slow terminal; more are left out and counted, since the run must not wait
_PATIENCE = 2.0  # s; a terminal that is stopped (Ctrl-S) must not keep a run that has ended


class LineWriter:
    """Writes in a thread of its own: a stalled reader loses lines, but delays no other thread.

    A stream that is no file of the system, as in tests, is written to at once.

    Args:
        stream: Where to write.
        most: How many pieces wait for the reader before the next one is left out.
    """

    def __init__(self, stream: TextIO, most: int = _MOST) -> None:
        self._stream = stream
        self._missed = 0
        self._waiting: queue.Queue[str | None] = queue.Queue(most)
        self._thread: threading.Thread | None = None
        with contextlib.suppress(OSError, ValueError):  # not every stream has a number
            stream.flush()
            self._number = stream.fileno()
            self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
            self._thread.start()

    def write(self, text: str) -> None:
        """Write a text, soon."""
        if self._thread is None:
            self._stream.write(text)
            self._stream.flush()
            return
        try:
            if self._missed:
                self._waiting.put_nowait(f"({self._missed} messages were left out, since they were not read)\n")
                self._missed = 0
            self._waiting.put_nowait(text)
        except queue.Full:
            self._missed += 1

    def close(self, patience: float = _PATIENCE) -> None:
        """Wait until everything is written; give up when the reader stalls for longer than the time limit [s]."""
        if self._thread is None:
            return
        deadline = time.monotonic() + patience
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=patience)
        self._thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while (text := self._waiting.get()) is not None:
            if not self._write(text.encode(self._stream.encoding or "utf-8", "backslashreplace")):
                return

    def _write(self, raw: bytes) -> bool:
        """Write bytes past Python's buffers, whose lock could stay held; False = the reader is gone."""
        try:
            while raw:
                raw = raw[os.write(self._number, raw) :]
        except OSError:
            return False
        return True
