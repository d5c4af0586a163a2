"""Pacers of ticks: on the wall clock, when the barrier says so, or at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from coopsim.simulation.histogram import Histogram

if TYPE_CHECKING:
    from coopsim.transport.control import TicksLate

SPIN_NS = 300_000  # a sleep ends up to that late; the rest is spun
GIVE_UP_NS = 1_000_000_000  # more would be made good by a burst of ticks that nobody can follow
WARN_EVERY_NS = 10_000_000_000  # a machine that is too slow must not fill the terminal


@dataclass
class Lateness:
    """Real time that was missed, counted over the whole run.

    Attributes:
        overruns: Ticks whose time had come before they could be waited for.
        max_ns: The largest lateness, that of ticks that were waited for too: a busy machine wakes late.
        slipped_ns: Real time given up for good.
        recent_ns: The largest lateness since the last warning.
        spread: Of all ticks that were paced, the punctual ones too.
    """

    overruns: int = 0
    max_ns: int = 0
    slipped_ns: int = 0
    recent_ns: int = 0
    spread: Histogram = field(default_factory=Histogram)

    def add(self, late_ns: int) -> None:
        """Count how late a tick that was paced begins."""
        self.spread.add(late_ns)
        self.max_ns = max(self.max_ns, late_ns)
        self.recent_ns = max(self.recent_ns, late_ns)

    def quantile(self, share: float) -> float | None:
        """Return the lateness that a share of all ticks does not exceed [s]; None where none was paced."""
        ns = self.spread.quantile(share)
        return None if ns is None else min(ns, self.max_ns) * 1e-9


class Alarm:
    """Warns that real time is not kept: at the first late tick, then every ten seconds while there are more.

    Source: SwarmSimX, section 2.1 (a warning states that the real-time constraint was broken).

    Args:
        lateness: What is looked at.
        now: Monotonic clock in nanoseconds.
    """

    def __init__(self, lateness: Lateness, now: Callable[[], int] = time.monotonic_ns) -> None:
        self._lateness, self._now = lateness, now
        self._told, self._due = 0, 0

    def check(self) -> "TicksLate | None":
        """Return how many ticks began late since the last warning, and by how much at most [s]; None = no warning."""
        lateness = self._lateness
        if lateness.overruns == self._told or self._now() < self._due:
            return None
        from coopsim.transport.control import TicksLate

        late = TicksLate(lateness.overruns - self._told, lateness.recent_ns * 1e-9)
        self._told, self._due, lateness.recent_ns = lateness.overruns, self._now() + WARN_EVERY_NS, 0
        return late


class Wakeup(Protocol):
    """Event that a pacer waits for."""

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
    starts anew. Messages come first, but never twice before a tick that is late, so that they cannot stop time.
    Whatever is asked for meanwhile (another pace, a pause), no real time is lost without being counted.

    Source: SwarmSimX, section 2.1 (waiting for the desired time).

    Args:
        period_ns: Real time of one tick: the step divided by the speed.
        wakeup: Wakes the wait when messages come.
        lateness: Counters that outlive this pacer.
        now: Monotonic clock in nanoseconds; tests pass their own.
        sleep: Waits for a number of seconds; tests pass their own.
    """

    def __init__(
        self,
        period_ns: int,
        wakeup: Wakeup,
        lateness: Lateness,
        now: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._period, self._wakeup, self._lateness = period_ns, wakeup, lateness
        self._now, self._sleep = now, sleep
        self._due = now() + period_ns
        self._left: int | None = None
        self._gave_way = False

    def wait(self) -> bool:
        """Wait until the tick is due: poll, sleep, then spin for the last 0.3 ms."""
        spare = self._due - self._now()
        # 1.2 ms before it is due: a poll may end late, and what is left is slept and spun
        if not (self._gave_way and spare <= 0) and self._wakeup.wait(max(0, spare - 4 * SPIN_NS)):
            self._gave_way = True
            return False
        self._gave_way = False
        if spare > 0:
            self._lateness.add(self._sleep_until_due())
        else:
            self._lateness.add(-spare)
            self._count(-spare)
        # from the schedule, not from now: lateness does not add up
        self._due += self._period
        return True

    def retime(self, period_ns: int) -> None:
        """Go on with another period; what is left of the present one changes with it, what is late stays late."""
        if period_ns != self._period:
            left = self._due - self._now() if self._left is None else self._left
            change = left * period_ns // self._period - left if left > 0 else 0
            self._due += change
            self._left = None if self._left is None else self._left + change
            self._period = period_ns

    def rest(self, *, is_resting: bool) -> None:
        """Stand still, or go on as far before, or behind, the next tick as it was then."""
        if is_resting and self._left is None:
            self._left = self._due - self._now()
        elif not is_resting and self._left is not None:
            self._due, self._left = self._now() + self._left, None

    def give_up(self) -> None:
        """Count the present lateness as slipped: it will not be made good."""
        left = self._due - self._now() if self._left is None else self._left
        self._lateness.slipped_ns += max(0, -left)

    def _sleep_until_due(self) -> int:
        """Wait until the tick is due; return how much later it is by then [ns]."""
        spare = self._due - self._now()
        if spare > SPIN_NS:
            self._sleep((spare - SPIN_NS) * 1e-9)
        # nothing else is that punctual: a wake-up takes 50 us and more
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

    Source: CoopDynSim, section III-A (simulated time).
    """

    def __init__(self, wakeup: Wakeup) -> None:
        self._wakeup = wakeup

    def wait(self) -> bool:
        """Wait for a permission."""
        return self._wakeup.permitted()


class PacedSignal:
    """Lockstep for people: a tick waits for the barrier, and begins no sooner than a period after the one before.

    What happens is that of lockstep, tick by tick; only when it happens differs. Lost time is not made good.

    Args:
        signal: Waits for the barrier.
        wakeup: Wakes the wait when messages come.
        now: Monotonic clock in nanoseconds; tests pass their own.
    """

    def __init__(self, signal: Pacer, wakeup: Wakeup, now: Callable[[], int] = time.monotonic_ns) -> None:
        self._signal, self._wakeup, self._now = signal, wakeup, now
        self._period, self._due = 0, now()

    def wait(self) -> bool:
        """Wait for the time, then for a permission."""
        if (spare := self._due - self._now()) > 0 and self._wakeup.wait(spare):
            return False
        if not self._signal.wait():
            return False
        self._due = max(self._due + self._period, self._now())
        return True

    def retime(self, period_ns: int) -> None:
        """Go on with another period."""
        self._period = period_ns


class FreeRun:
    """Ticks as fast as the machine can; between two messages there is a tick, so that they cannot stop time."""

    def __init__(self, wakeup: Wakeup) -> None:
        self._wakeup = wakeup
        self._gave_way = False

    def wait(self) -> bool:
        """Return at once."""
        # at most one pause for messages between two ticks
        self._gave_way = not self._gave_way and self._wakeup.wait(0)
        return not self._gave_way
