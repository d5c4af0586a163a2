"""Records of ticks, written for whoever reads them."""

import math
import pickle
import time

import msgpack

from coopsim.errors import EngineCannot
from coopsim.simulation.edits import Edit
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.simulation import Simulation
from coopsim.state import MODES, RecordHeader
from coopsim.transport import Channel, Ring, Wake


class Publisher:
    """Writes a record after each tick and each edit, and the layout before the first record that needs it.

    Args:
        simulation: Whose state it is.
        ring: Where records go.
        host: Where layouts go.
        launcher: Told who moves, for its plots.
        woken: Rung after each record.
        lateness: Counters for the header.
    """

    def __init__(
        self, simulation: Simulation, ring: Ring, host: Channel, launcher: Channel, woken: Wake, lateness: Lateness
    ) -> None:
        self._simulation, self._ring, self._woken = simulation, ring, woken
        self._host, self._launcher = host, launcher
        self._lateness = lateness
        self._generation = -1
        self._revision = 0
        self.edits: list[Edit] = []
        self.state_hash = bytes(16)

    def publish(self, *, mode: str, speed: float, paused: bool, ended: bool = False) -> None:
        """Write one record of the present state.

        Raises:
            EngineCannot: The state is no longer finite.
        """
        simulation = self._simulation
        self._announce()
        engine = simulation.engine
        engine.fill()
        if not math.isfinite(float(engine.planar.sum())):
            raise EngineCannot(
                f"tick {simulation.tick_count}: the physics diverged; try a smaller step or larger masses"
            )
        applied = self.edits + simulation.happened
        edits = msgpack.packb(applied) if applied else b""
        self.edits, simulation.happened = [], []
        self.state_hash = simulation.state_hash()
        lateness = self._lateness
        header = RecordHeader(
            tick=simulation.tick_count,
            revision=self._revision,
            time_ns=simulation.time_ns,
            step_ns=simulation.step_ns,
            generation=simulation.layout.generation,
            mode=MODES.index(mode),
            paused=paused,
            ended=ended,
            bodies=len(engine.names),
            readings=simulation.readings.size,
            commands=simulation.commands.size,
            edits_bytes=len(edits),
            overruns=lateness.overruns,
            max_lateness_ns=lateness.max_ns,
            slipped_ns=lateness.slipped_ns,
            wall_ns=time.monotonic_ns(),
            speed=speed,
            state_hash=self.state_hash,
        )
        self._ring.append(header, (engine.poses, engine.twists, simulation.readings, simulation.commands), edits)
        self._revision += 1
        self._woken.ring()

    def _announce(self) -> None:
        layout = self._simulation.layout
        if layout.generation != self._generation:
            self._generation = layout.generation
            self._host.send({"layout": pickle.dumps(layout)})
            self._launcher.send({"layout": {"generation": layout.generation, "bodies": list(layout.bodies)}})
