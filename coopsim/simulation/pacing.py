"""When a tick may begin: on the wall clock, when the barrier says so, or at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from coopsim.simulation.histogram import Histogram

SPIN_NS = 300_000
GIVE_UP_NS = 1_000_000_000


@dataclass
class Lateness:
    """What real time was missed, counted over the whole run.

    Attributes:
        overruns: Ticks whose time had come before they could be waited for.
        max_ns: The largest lateness, that of ticks that were waited for too: a busy machine wakes late.
        slipped_ns: Real time given up for good.
        spread: Of all ticks that were paced, the punctual ones too.
    """

    overruns: int = 0
    max_ns: int = 0
    slipped_ns: int = 0
    spread: Histogram = field(default_factory=Histogram)

    def add(self, late_ns: int) -> None:
        """Count how late a tick that was paced begins."""
        self.spread.add(late_ns)
        self.max_ns = max(self.max_ns, late_ns)

    def quantile(self, share: float) -> float | None:
        """Return the lateness that a share of all ticks does not exceed [s]; None where none was paced."""
        ns = self.spread.quantile(share)
        return None if ns is None else min(ns, self.max_ns) * 1e-9


class Doorbell(Protocol):
    """What a pacer waits at."""

    def wait(self, timeout_ns: int | None) -> bool:
        """Wait until a message came (True) or the time is over (False); None = for ever."""
        ...

    def permitted(self) -> bool:
        """Wait for a message or a permission; True when there was a permission, which is used up."""
        ...


class Pacer(Protocol):
    """Decides when a tick may begin; the tick itself never asks which mode it runs in."""

    def wait(self) -> bool:
        """Return True when the next tick may begin, False when messages came before."""
        ...


class RealTime:
    """Ticks on the wall clock, on an absolute schedule: t_w = N·τ - t_n.

    A late tick begins at once and is counted; delays up to one second are made good, beyond that the schedule
    starts anew.

    Source: SwarmSimX, section 2.1 (waiting for the desired time); S-26…29.

    Args:
        period_ns: Real time of one tick: the step divided by the speed.
        doorbell: Told when messages come meanwhile.
        lateness: Counters that outlive this pacer.
        now: Monotonic clock in nanoseconds; tests pass their own.
        sleep: Waits for a number of seconds; tests pass their own.
    """

    def __init__(
        self,
        period_ns: int,
        doorbell: Doorbell,
        lateness: Lateness,
        now: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._period, self._doorbell, self._lateness = period_ns, doorbell, lateness
        self._now, self._sleep = now, sleep
        self._due = now() + period_ns

    def wait(self) -> bool:
        """Wait until the tick is due: poll, sleep, then spin for the last 0.3 ms."""
        spare = self._due - self._now()
        if self._doorbell.wait(max(0, spare - 4 * SPIN_NS)):
            return False
        if spare > 0:
            self._lateness.add(self._rest())
        else:
            self._lateness.add(-spare)
            self._count(-spare)
        self._due += self._period
        return True

    def _rest(self) -> int:
        """Wait until the tick is due; return how much later it is by then [ns]."""
        spare = self._due - self._now()
        if spare > SPIN_NS:
            self._sleep((spare - SPIN_NS) * 1e-9)
        while (now := self._now()) < self._due:
            pass
        return now - self._due

    def _count(self, late_ns: int) -> None:
        self._lateness.overruns += 1
        if late_ns > GIVE_UP_NS:
            self._lateness.slipped_ns += late_ns
            self._due = self._now()


class OnSignal:
    """Lockstep: ticks when the barrier says that every robot has its command.

    Source: CoopDynSim, section III-A (simulated time); C-30.
    """

    def __init__(self, doorbell: Doorbell) -> None:
        self._doorbell = doorbell

    def wait(self) -> bool:
        """Wait for a permission."""
        return self._doorbell.permitted()


class FreeRun:
    """Ticks as fast as the machine can."""

    def __init__(self, doorbell: Doorbell) -> None:
        self._doorbell = doorbell

    def wait(self) -> bool:
        """Return at once."""
        return not self._doorbell.wait(0)
