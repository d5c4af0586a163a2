"""A lock that tells its holder when other threads want it."""

import ctypes
import threading
from collections.abc import Callable
from types import TracebackType


class CallingLock:
    """A lock that its thread may take again; while `is_kept` is set, who has to wait calls its holder.

    Args:
        call: Wakes the holder; any thread may call it.

    Attributes:
        waiting: How many threads wait.
        is_kept: Whether the holder keeps it until it is called.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self._lock, self._counting, self._call = threading.RLock(), threading.Lock(), call
        self.waiting = ctypes.c_int64(0)
        self.is_kept = False

    def __enter__(self) -> bool:
        if not self._lock.acquire(blocking=False):
            self._wait()
        return True

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def is_wanted(self) -> bool:
        """Return whether somebody waits."""
        return self.waiting.value > 0

    def _wait(self) -> None:
        # first counted, then called: the holder looks at the count after it has said that it keeps the lock
        with self._counting:
            self.waiting.value += 1
        try:
            if self.is_kept:
                self._call()
            self._lock.acquire()
        finally:
            with self._counting:
                self.waiting.value -= 1
