"""Costs of the devices of a run while it goes on: one tick of many is measured, so that the others cost the same."""

import time
from typing import Any

from coopsim.simulation.failing import TickCalls
from coopsim.simulation.profiling import Profile, timed
from coopsim.simulation.simulation import Simulation

EVERY = 64
"""Of so many ticks one is measured; it is made call by call, not as one compiled call, and takes longer."""
_TOLD_EVERY = 1.0  # s; people read these figures


class SampledCosts:
    """Does the ticks of a simulation, and measures one of `EVERY`.

    Args:
        simulation: It keeps its states.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._profile, self._spent = simulation, Profile(), 0
        self._plain: TickCalls | None = None
        self._timed: TickCalls | None = None
        self._due = 0.0

    def tick(self) -> dict[str, Any] | None:
        """Do a tick; return what is to be told about those before, None where there is nothing new.

        It is the mean of a tick, and of each kind of device in it, since the last time [s].
        """
        # by the number of the tick: which ones are measured does not depend on the clock
        if self._simulation.tick_count % EVERY != EVERY - 1:
            self._simulation.tick()
            return None
        self._measure()
        return self._report()

    def _measure(self) -> None:
        simulation, plain = self._simulation, self._simulation.calls
        if self._plain is None or plain.sensors is not self._plain.sensors:
            self._plain, self._timed = plain, timed(simulation, self._profile)
        assert self._timed is not None  # noqa: S101 - made above
        simulation.calls, began = self._timed, self._profile.begin()
        try:
            simulation.tick()
        finally:
            self._spent += time.perf_counter_ns() - began
            self._profile.end()
            if simulation.calls.sensors is self._timed.sensors:  # else devices came or went in this tick
                simulation.calls = plain

    def _report(self) -> dict[str, Any] | None:
        now, profile = time.monotonic(), self._profile
        if now < self._due:
            return None
        count = profile.ticks.count
        costs = {"tick": self._spent / count * 1e-9, "devices": profile.to_plain()["devices"]}
        self._due, self._spent, self._plain, self._profile = now + _TOLD_EVERY, 0, None, Profile()
        return costs
