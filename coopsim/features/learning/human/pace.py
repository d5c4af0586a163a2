"""Pace of episodes that people watch: a step takes as long as its simulated time, unless somebody chose otherwise."""

import threading
import time
from collections.abc import Callable

_CHECKED_EVERY = 0.2  # s; how late a window that was closed is noticed while time stands still
_BEHIND = 0.5  # s; a learner that thought for longer does not hurry afterwards


class EpisodePace:
    """Waits between two steps of an environment; any thread may change it.

    Args:
        clock: Monotonic real time [s].

    Attributes:
        is_paused: Whether steps wait until somebody goes on.
        speed: Simulated seconds per real second.
        is_free: Whether steps wait for nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._changed = clock, threading.Condition()
        self.is_paused = self.is_free = False
        self.speed, self._due, self._permitted = 1.0, clock(), 0

    def wait(self, seconds: float, is_watched: Callable[[], bool]) -> None:
        """Wait until a step is to end.

        Args:
            seconds: Its simulated time [s].
            is_watched: Whether somebody still looks on; without them nothing waits.
        """
        with self._changed:
            self._due = max(self._due, self._clock() - _BEHIND) + seconds / self.speed
            while is_watched() and (left := self._left()) > 0.0:
                self._changed.wait(min(left, _CHECKED_EVERY))

    def _left(self) -> float:
        """Return how long to wait at most [s]."""
        now = self._clock()
        if not self.is_paused:
            return 0.0 if self.is_free else self._due - now
        if self._permitted == 0:
            return _CHECKED_EVERY
        self._permitted -= 1
        self._due = now
        return 0.0

    def pause(self) -> None:
        """Let steps wait."""
        with self._changed:
            self.is_paused, self._permitted = True, 0

    def permit(self, steps: int) -> None:
        """Let some steps be made while others wait."""
        with self._changed:
            self._permitted += steps
            self._changed.notify_all()

    def go_on(self) -> None:
        """Let steps wait no more."""
        with self._changed:
            self.is_paused, self._due = False, self._clock()
            self._changed.notify_all()

    def choose(self, *, is_free: bool) -> None:
        """Choose whether steps are made as fast as they can, or as time goes."""
        with self._changed:
            self.is_free, self._due = is_free, self._clock()
            self._changed.notify_all()

    def set_speed(self, speed: float) -> None:
        """Choose how much faster than real time steps are made."""
        with self._changed:
            self.speed, self._due = speed, self._clock()
            self._changed.notify_all()
