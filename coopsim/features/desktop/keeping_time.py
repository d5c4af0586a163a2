"""Punctuality of a run in real time, out of what its servers tell."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.features.desktop.link import StateSample


_KEPT = 2000  # ticks; 20 s of a usual run
# a tick that takes all of its time is late as soon as the machine does anything else
_SHARE = 0.8
"""Part of the time of a tick that may be spent, so that it begins on time although some take longer."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Five numbers of a box plot [s]: ends of the whiskers, quartiles, the middle."""

    low: float
    lower: float
    middle: float
    upper: float
    high: float


class TimeKeeping:
    """Real time between ticks, as the state stream tells it, and what follows from the pace of a free run.

    Attributes:
        periods: Real time of a tick, the newest last [s].
        cost: Real time that a tick took when the run waited for nothing [s], None = it never did.
    """

    def __init__(self) -> None:
        self.periods: deque[float] = deque(maxlen=_KEPT)
        self.cost: float | None = None
        self._measured = 0
        self._last: StateSample | None = None

    def add(self, sample: "StateSample") -> None:
        """Take in a state of a live run."""
        last, self._last = self._last, sample
        ticks = sample.state.tick - last.state.tick if last is not None else 0
        if last is not None and ticks > 0 and not sample.state.raw.is_paused:
            self.periods.append((sample.arrived - last.arrived) / ticks)

    def pace(self, mode: str, factor: float, step: float, robots: int) -> None:
        """Learn from a run that waits for nothing what a tick costs.

        Args:
            mode: Of the run.
            factor: Simulated seconds per real second.
            step: Simulated time of a tick [s].
            robots: How many there are.
        """
        if robots != self._measured:
            self.cost, self._measured = None, robots
        if mode == "free" and factor > 0.0:
            self.cost = step / factor

    def load(self, step: float, speed: float) -> float | None:
        """Return the part of real time that ticks take at a speed, None while it is not known."""
        return None if self.cost is None else self.cost * speed / step

    def largest(self, step: float, speed: float) -> int | None:
        """Return how many such robots there would be time for, None while it is not known."""
        load = self.load(step, speed)
        return None if not load or not self._measured else int(self._measured * _SHARE / load)

    def spread(self) -> Spread | None:
        """Return the box plot of the periods, None while there are none."""
        if not self.periods:
            return None
        return Spread(*(float(percentile) for percentile in np.percentile(self.array(), (1, 25, 50, 75, 99))))

    def array(self) -> Floats:
        """Return the periods [s]."""
        return np.array(self.periods)


# Pace of frames.
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
