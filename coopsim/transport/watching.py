"""Polling for a moment before one sleeps, which is faster where a core is free, and slower where others want it."""

import os
import time
from collections.abc import Callable

_TAKEN = 0.0006
"""Who gives way for longer has met a thread that works: those of a step need less [s]."""
_REST = 64
"""Number of times without polling after that, unless its owner keeps count by itself."""


class BriefPoll:
    """Polls until something is there, as long as nobody else needs the processor.

    Args:
        clock: Real time [s]; tests pass their own.
        give_way: Lets others have the processor; tests pass their own.
        rests: How many times it sleeps at once after others needed the processor.

    Attributes:
        rest: How many times it still sleeps at once.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        give_way: Callable[[], object] = os.sched_yield,
        *,
        rests: int = _REST,
    ) -> None:
        self._clock, self._give_way, self._rests = clock, give_way, rests
        self.rest = 0

    def until(self, is_there: Callable[[], bool], seconds: float) -> bool:
        """Poll for up to `seconds`; return whether it is there, False = sleep until it is."""
        if self.rest:
            self.rest -= 1
            return is_there()
        began = before = self._clock()
        while not is_there():
            self._give_way()
            now = self._clock()
            if now - before > _TAKEN:
                self.rest = self._rests
                return is_there()
            if now - began >= seconds:
                return False
            before = now
        return True
