"""Punctuality of ticks: the pacer of real time around a whole tick, and a bare sleep beside it."""

import math
import os
import select
import time
from typing import TYPE_CHECKING

import numpy as np

from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.simulation import Simulation

STEP_NS = 10_000_000  # the usual step


def pace(seconds: float, has_priority: bool) -> tuple[Floats, Floats, bool]:
    """Tick one robot at 100 Hz, then sleep on the same schedule.

    Args:
        seconds: How long each.
        has_priority: Ask for real-time priority first.

    Returns:
        Lateness of the beginnings of ticks and of bare sleeps, shape (n,) [ms]; whether priority was permitted.
    """
    from coopsim.robots import load
    from coopsim.simulation import Simulation

    simulation = Simulation(load("single"))
    for _ in range(50):
        simulation.tick()
    if has_priority:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        except PermissionError:
            return np.zeros(1), np.zeros(1), False
    count = math.ceil(seconds * 1e9 / STEP_NS)
    return _ticks(simulation, count), _sleeps(count), True


class _Silence:
    """A wakeup that never rings."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._reader, select.POLLIN)

    def wait(self, timeout_ns: int | None) -> bool:
        """Wait for whole milliseconds, like the one of the physics process."""
        return bool(self._poll.poll(None if timeout_ns is None else timeout_ns // 1_000_000))

    def permitted(self) -> bool:
        """Return False: nothing is permitted."""
        return False


class _Watch:
    """A clock that remembers its last reading."""

    def __init__(self) -> None:
        self.last = 0

    def __call__(self) -> int:
        self.last = time.monotonic_ns()
        return self.last


def _ticks(simulation: "Simulation", count: int) -> Floats:
    from coopsim.simulation.pacing import Lateness, RealTime

    watch = _Watch()
    pacer = RealTime(STEP_NS, _Silence(), Lateness(), now=watch)
    begin, late = watch.last, np.zeros(count)
    for tick in range(count):
        pacer.wait()
        # the pacer looks at the clock for the last time when it lets the tick begin
        late[tick] = watch.last - begin - (tick + 1) * STEP_NS
        simulation.tick()
        simulation.state_hash()
    return late * 1e-6


def _sleeps(count: int) -> Floats:
    begin, late = time.monotonic_ns(), np.zeros(count)
    for tick in range(count):
        due = begin + (tick + 1) * STEP_NS
        time.sleep(max(0, due - time.monotonic_ns()) * 1e-9)
        late[tick] = time.monotonic_ns() - due
    return late * 1e-6
