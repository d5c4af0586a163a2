"""The parts of a lockstep step, done one after the other in one process with the code of client, host and physics."""

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from coopsim.message import Message, decode, encode
from coopsim.robots import load
from coopsim.server.lockstep.groups import RobotGroup
from coopsim.simulation import Simulation
from coopsim.simulation.latch import CommandLatch
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.publisher import Publisher
from coopsim.state import Record
from coopsim.testkit.bench.measuring.workers import COMMAND
from coopsim.transport import Ring

PARTS = (
    "client: request packed",
    "host: request read, commands written",
    "physics: commands taken",
    "physics: tick",
    "physics: readings shown",
    "physics: hash and rest of the record",
    "host: readings found, answer packed",
    "client: answer read",
)
_STEP = 11  # its number in the interface `step`
_WARM_UP = 20  # steps; forms are learned by then


class StepParts:
    """A scenario whose robots have a client each.

    Args:
        scenario: Its text.

    Attributes:
        simulation: Of the scenario.
    """

    def __init__(self, scenario: str) -> None:
        with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
            file = Path(folder) / "step.scenario"
            file.write_text(scenario, encoding="utf-8")
            self.simulation = Simulation(load(file))
        layout = self.simulation.layout
        self._number, self._shown = 0, 0.0
        self._groups = [RobotGroup(layout, (place.name,)) for place in layout.robots]
        self._requests = [self._request(group) for group in self._groups]

    def measure(self, steps: int) -> dict[str, float]:
        """Return the median time of each part in a step of all robots [us]."""
        times: dict[str, list[float]] = {part: [] for part in PARTS}
        with _ring(self.simulation) as ring:
            publisher = self._publisher(ring)
            for _ in range(_WARM_UP + steps):
                for part, spent in self._step(ring, publisher).items():
                    times[part].append(spent)
        return {part: 1e6 * statistics.median(spent[_WARM_UP:]) for part, spent in times.items()}

    def _request(self, group: RobotGroup) -> Message:
        data = np.array(COMMAND, np.float64)
        return Message("/sim/step", _STEP, (group.generation, *group.names), data, id=1, binary=True)

    def _publisher(self, ring: Ring) -> Publisher:
        """Return what writes the records."""
        nobody: Any = SimpleNamespace(send=lambda _: None)
        host: Any = SimpleNamespace(notify=self._note)
        self._latch = CommandLatch(self.simulation, ring)
        publisher = Publisher(self.simulation, ring, nobody, nobody, host, Lateness())
        publisher.publish(mode="lockstep", speed=1.0, paused=False)
        return publisher

    def _note(self) -> bool:
        """Note when the host is woken."""
        self._shown = time.perf_counter()
        return True

    def _step(self, ring: Ring, publisher: Publisher) -> dict[str, float]:
        """Do a step; return what each part took [s]."""
        simulation, clock = self.simulation, time.perf_counter
        self._number += 1
        marks = [clock()]
        raws = [encode(request, self._number) for request in self._requests]
        marks.append(clock())
        requests = []
        for raw, group in zip(raws, self._groups, strict=True):
            requests.append(decode(raw))
            with ring.writing(group.generation) as rows:
                group.write(requests[-1].data, rows)
        marks.append(clock())
        self._latch(simulation.commands)
        marks.append(clock())
        simulation.tick()
        marks.append(clock())
        publisher.publish(mode="lockstep", speed=1.0, paused=False)
        marks += [self._shown, clock()]
        answers = self._answers(ring, requests)
        marks.append(clock())
        for raw in answers:
            decode(raw)
        marks.append(clock())
        return {part: after - before for part, before, after in zip(PARTS, marks, marks[1:], strict=False)}

    def _answers(self, ring: Ring, requests: Sequence[Message]) -> list[bytes]:
        """Return the answers to all clients."""
        record = Record(ring.latest())
        tick, readings = record.tick, record.readings
        return [
            encode(request.reply((group.generation,), group.read(readings), tick=tick))
            for request, group in zip(requests, self._groups, strict=True)
        ]


@contextmanager
def _ring(simulation: Simulation) -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=8 << 20, command_floats=simulation.layout.command_size + 1)
    try:
        yield ring
    finally:
        ring.unlink()
