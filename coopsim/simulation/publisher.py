"""Records of ticks, written for whoever reads them."""

import math
import pickle
import time

import msgpack

from coopsim.errors import EngineCannot
from coopsim.simulation.edits import Edit
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.simulation import Simulation
from coopsim.simulation.snapshot import snapshot
from coopsim.state import MODES, RecordHeader
from coopsim.transport import Channel, Ring, Wake

KEYFRAME_EVERY_NS = 1_000_000_000
_NAP = 0.0005


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
        self._recorder: Wake | None = None
        self._keyframe_due = 0
        self.edits: list[Edit] = []
        self.state_hash = bytes(16)

    def record_for(self, recorder: Wake | None) -> None:
        """Ring `recorder` after each record from now on, and put a key frame into the next and one each second.

        Args:
            recorder: None = nobody records any more.
        """
        self._recorder, self._keyframe_due = recorder, 0

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
        keyframe = self._keyframe()
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
            keyframe_bytes=len(keyframe),
            speed=speed,
            state_hash=self.state_hash,
        )
        if self._recorder is not None and mode != "real-time":
            self._wait_for_room(header.size)
        arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
        self._ring.append(header, arrays, edits, keyframe)
        self._revision += 1
        self._woken.ring()
        if self._recorder is not None:
            self._recorder.ring()

    def _keyframe(self) -> bytes:
        simulation = self._simulation
        if self._recorder is None or simulation.tick_count * simulation.step_ns < self._keyframe_due:
            return b""
        self._keyframe_due = simulation.tick_count * simulation.step_ns + KEYFRAME_EVERY_NS
        return snapshot(simulation)

    def _wait_for_room(self, size: int) -> None:
        """Let the recorder catch up; when it dies the launcher makes it leave the ring."""
        while not self._ring.has_room(size):
            if self._recorder is not None and not self._recorder.ring():
                break  # nobody holds the other end any more
            time.sleep(_NAP)

    def _announce(self) -> None:
        layout = self._simulation.layout
        if layout.generation != self._generation:
            self._generation = layout.generation
            self._host.send({"layout": pickle.dumps(layout)})
            self._launcher.send({"layout": {"generation": layout.generation, "bodies": list(layout.bodies)}})
