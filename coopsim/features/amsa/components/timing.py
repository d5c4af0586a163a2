"""Exact times of steps: each leaf at its own frequency, counted in whole units of time."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction


def common_unit(rates: Iterable[Fraction]) -> Fraction:
    """Return the longest time that all periods are whole multiples of [s]."""
    periods = [1 / rate for rate in rates]
    return Fraction(
        math.gcd(*(period.numerator for period in periods)), math.lcm(*(period.denominator for period in periods))
    )


class Timetable:
    """Says when each of several frequencies is due: its k-th step at k / frequency, without drift.

    Args:
        rates: Different frequencies [Hz].

    Attributes:
        unit: Longest time that all periods are whole multiples of [s].
        upcoming: When the next steps are due, in units.
    """

    def __init__(self, rates: Sequence[Fraction]) -> None:
        self.unit = common_unit(rates) if rates else Fraction(1)
        self._periods = [int(1 / rate / self.unit) for rate in rates]
        self._next = [0] * len(rates)
        self.upcoming = 0

    @property
    def time(self) -> Fraction:
        """When the next steps are due [s]."""
        return self.upcoming * self.unit

    def go_to(self, units: int) -> None:
        """Go on from another time: the next steps are those that are due then or later."""
        self._next = [-(-units // period) * period for period in self._periods]
        self.upcoming = min(self._next, default=0)

    def advance(self) -> int:
        """Go on to the instant behind the upcoming one; return which rates are due at the latter, as bits."""
        now, times, due = self.upcoming, self._next, 0
        for index, when in enumerate(times):
            if when == now:
                due |= 1 << index
                times[index] = now + self._periods[index]
        self.upcoming = min(times)
        return due
