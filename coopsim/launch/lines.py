"""Output of a controller, split into lines."""

import os
from collections import deque
from typing import IO

_LONGEST = 4096


class Lines:
    """Reads whole lines from a pipe without blocking and remembers the last ones.

    Args:
        pipe: Reading end of the pipe; it becomes non-blocking.
        kept: How many lines are remembered.
    """

    def __init__(self, pipe: IO[bytes], kept: int = 10) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._rest = b""
        self.last: deque[str] = deque(maxlen=kept)
        self.closed = False

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._pipe.fileno()

    def read(self) -> list[str]:
        """Return the lines that are complete; at the end of the pipe also the incomplete one."""
        try:
            data = os.read(self.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        self.closed = not data
        *whole, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (self.closed or len(self._rest) > _LONGEST):
            whole, self._rest = [*whole, self._rest], b""
        lines = [line.decode(errors="replace").rstrip() for line in whole]
        self.last.extend(lines)
        return lines
