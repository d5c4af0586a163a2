"""Command rows in shared memory: the host writes them, physics takes all of a row or nothing."""

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator

from coopsim.errors import InternalError
from coopsim.geometry import Floats
from coopsim.transport.ring_words import W_AREA_GENERATION

_VERSION, _GENERATION = 0, W_AREA_GENERATION  # words of an area
_LATCH_SPINS = 200  # tries before this processor is left to the writer


class CommandAreas:
    """Two areas of command rows, each for the generations of one parity.

    Args:
        words: Four control words: the sequence lock of each area, and the generation that its rows follow.
        areas: The rows, shape (2, n).
    """

    def __init__(self, words: memoryview, areas: Floats) -> None:
        self._words, self._areas = words, areas
        self._lock = threading.Lock()

    @property
    def capacity(self) -> int:
        """Number of floats that an area holds."""
        return int(self._areas.shape[1])

    @contextlib.contextmanager
    def writing(self, generation: int) -> Iterator[Floats]:
        """Give the rows of `generation` to write; other threads wait, the reader sees all or nothing."""
        area = generation & 1
        with self._lock:
            self._words[_VERSION + area] += 1
            try:
                self._words[_GENERATION + area] = generation
                yield self._areas[area]
            finally:
                self._words[_VERSION + area] += 1

    def address(self, generation: int) -> int:
        """Return where the rows of `generation` lie in this process."""
        return int(self._areas[generation & 1].ctypes.data)

    def latch(self, generation: int, out: Floats, patience: float = 0.1) -> bool:
        """Copy the rows of `generation` into `out`.

        Returns:
            False, `out` untouched, while the host has not begun with this generation, or when a writer was in the
            middle of a write for all of `patience` seconds.

        Raises:
            InternalError: There is no room for the commands.
        """
        if out.size > self.capacity:
            raise InternalError(f"{out.size} command values are more than the {self.capacity} there is room for")
        area = generation & 1
        words, rows = self._words, self._areas[area, : out.size]
        for attempt in itertools.count():
            before = words[_VERSION + area]
            if not before & 1:
                if words[_GENERATION + area] != generation:
                    return False
                copy = rows.copy()
                if words[_VERSION + area] == before:
                    out[:] = copy
                    return True
            if attempt == _LATCH_SPINS:
                deadline = time.monotonic() + patience
            elif attempt > _LATCH_SPINS:  # the writer has lost its processor: leave it ours
                if time.monotonic() > deadline:
                    break
                time.sleep(50e-6)
        return False
