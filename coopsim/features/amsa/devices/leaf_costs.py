"""Costs of the steps of leaves on board: one system is measured now and then, and those that were slow for a while."""

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from coopsim.devices.program import PartCost
from coopsim.features.amsa.components import System
from coopsim.features.amsa.components.leaf_step import LeafCost, LeafStep

EVERY: Final = 32
"""Of so many ticks in which leaves are due one is measured, of one robot after the other: the others cost the same."""
_STRIDE = 13  # odd: which of them it is goes through all of them, so that no leaf's period hides it
WATCHED: Final = 256
"""So many times the steps of a system are measured after they took too long, which a busy machine may have done."""


class LeafCosts:
    """Measures leaves by the time that their thread runs, so that a busy machine does not count.

    Args:
        order: Names of the leaves.
        unit_ns: What times of systems are counted in [ns].

    Attributes:
        watched: Systems that were slow lately, with how often they are still to be measured.
        is_profiled: Whether all ticks are measured.
    """

    def __init__(self, order: Sequence[str], unit_ns: Fraction) -> None:
        self._unit_ns = unit_ns
        self._sums = {name: LeafCost() for name in order}
        self._rounds, self._turn = 0, 0
        self.watched: dict[System, int] = {}
        self.is_profiled = False

    def sampled(self, rows: Sequence[int]) -> int:
        """Return which of the systems that are due is measured in this tick, -1 = none."""
        if not rows:
            return -1
        block, place = divmod(self._rounds, EVERY)
        self._rounds += 1
        if place != block * _STRIDE % EVERY and not self.is_profiled:
            return -1
        self._turn += 1
        return rows[self._turn % len(rows)]

    def watch(self, system: System) -> None:
        """Measure a system for a while: its steps took longer than they may."""
        self.watched[system] = WATCHED

    def step(self, system: System, end: int, now_ns: int) -> Iterator[tuple[LeafStep, int]]:
        """Carry out the steps of a system that are due, measured; yield each leaf with its slowest step [ns].

        Args:
            system: Which.
            end: Before when they are due, in units of its timetable.
            now_ns: When they are carried out, in simulated time.
        """
        system.measure(time.thread_time_ns)
        while system.instant < end:
            system.was_due(int(system.instant * self._unit_ns), now_ns)
            system.step()
        measured = [(leaf, leaf.cost) for leaf in system.leaves() if leaf.cost is not None]
        # measuring ends here: a clock read for each leaf in each tick would cost more than small leaves
        system.measure(None)
        if system in self.watched:
            self.watched[system] -= 1
            if not self.watched[system]:
                del self.watched[system]
        for leaf, cost in measured:
            self._sums[leaf.leaf.name].merge(cost)
            yield leaf, cost.slowest_ns

    def report(self) -> list[PartCost]:
        """Return what was measured so far, in the order of execution."""
        return [
            {
                "name": name,
                "steps": total.steps,
                "mean": total.total_ns * 1e-9 / max(1, total.steps),
                "slowest": total.slowest_ns * 1e-9,
                "late": total.late_ns * 1e-9,
            }
            for name, total in self._sums.items()
        ]
