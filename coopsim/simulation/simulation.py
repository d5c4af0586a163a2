"""The simulation: one tick after the other, always in the same order."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from coopsim.geometry import Floats
from coopsim.robots import RunSpec
from coopsim.simulation.edits import Edit, apply
from coopsim.simulation.stage import Stage

Program: TypeAlias = Callable[["Simulation"], None]
"""An on-board program: reads `simulation.readings`, writes `simulation.commands`; runs before the actuators."""


class Simulation(Stage):
    """Everything about one run but its pace, its processes and its sockets.

    One tick, always in this order: timed events, latch commands, programs, actuators, engine, sensors
    (SwarmSimX, section 2.1; S-22, S-23). Public: benchmarks, sweeps and learning use it in process.

    Args:
        spec: What to simulate (`coopsim.robots.load`).
        engine: Name of a registered engine, instead of the scenario's.
        seed: Instead of the scenario's.
        step: Simulated seconds per tick, instead of the scenario's.
        programs: On-board programs, run in this order.

    Attributes:
        latch: Fills `commands` at the beginning of a tick; None = they are written in place.
        happened: Timed events carried out, as edits, since somebody emptied the list.

    Raises:
        NoSuchPlugin: The engine or a device is not registered.
        EngineCannot: The engine cannot represent the scene.
    """

    def __init__(
        self,
        spec: RunSpec,
        *,
        engine: str | None = None,
        seed: int | None = None,
        step: float | None = None,
        programs: Sequence[Program] = (),
    ) -> None:
        super().__init__(spec, engine=engine, seed=seed, step=step)
        self.programs = list(programs)
        self.latch: Callable[[Floats], None] | None = None
        self.happened: list[Edit] = []

    def tick(self) -> None:
        """Do one tick."""
        if self.time_ns >= self.agenda.next_ns:
            self._run_events()
        if self.latch is not None:
            self.latch(self.tables.commands)
        for program in self.programs:
            program(self)
        engine, dt = self.engine, self.step_ns * 1e-9
        for act, slot in self._actuators:
            act(slot, engine, engine.wrench, dt)
        engine.step(dt)
        self.tick_count += 1
        self.time_ns += self.step_ns
        self.sense(dt)

    def _run_events(self) -> None:
        for edit in self.agenda.due(self.time_ns):
            apply(self, edit)
            self.happened.append({**edit, "event": 1})
