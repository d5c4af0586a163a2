"""Pace of frames."""

import time
from collections.abc import Callable


class FramePacer:
    """Waits between frames so that one begins each period, however long the others took.

    Args:
        clock: Seconds.
        sleep: Waits so many seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._due = clock()

    def wait(self, rate: float) -> None:
        """Wait until the next frame is due; after a late one that is at once, and what was missed is not made up for.

        Args:
            rate: Of frames [Hz].
        """
        now = self._clock()
        self._due = max(self._due + 1.0 / rate, now)
        self._sleep(self._due - now)
