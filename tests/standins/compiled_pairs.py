"""A simulation whose ticks are compiled beside one whose ticks are not: they must not differ in a single bit."""

from collections.abc import Callable

import numpy as np

from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.compiled_tick import CompiledTick


def compiled_tick(simulation: Simulation) -> CompiledTick | None:
    return simulation._compiled


class Both:
    """A simulation whose ticks are compiled, and one whose ticks are not."""

    def __init__(self, spec: RunSpec, **settings: float | str) -> None:
        self.each = Simulation(spec, **settings), Simulation(spec, **settings)  # type: ignore[arg-type]
        self.compiled, self.plain = self.each
        self.plain.compiles = False

    def do(self, what: Callable[[Simulation], object]) -> None:
        for simulation in self.each:
            what(simulation)

    def tick(self, count: int, *, is_compiled: bool = True) -> None:
        for _ in range(count):
            self.do(Simulation.tick)
            assert self.compiled.state_hash() == self.plain.state_hash()
            assert np.array_equal(self.compiled.readings, self.plain.readings)
            assert np.array_equal(self.compiled.engine.accelerations, self.plain.engine.accelerations)
        assert (compiled_tick(self.compiled) is not None) is is_compiled
        assert compiled_tick(self.plain) is None
