"""A ring, records and layouts for the tests of the recorder."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgpack
import numpy as np

from coopsim.interfaces import MOTORS
from coopsim.state import Layout, ModuleLayout, RecordHeader, RobotPlace, TypeLayout
from coopsim.transport import Ring, packed_layout

STEP_NS = 10_000_000
BODIES, READINGS, COMMANDS = 1, 4, 4
RING_BYTES = 1 << 20


def layout(generation: int = 1) -> Layout:
    """Return the layout of one robot with motors."""
    kind = TypeLayout("bench", (ModuleLayout("motors", MOTORS, {}, (), 0, 0, READINGS, True),), COMMANDS, READINGS)
    return Layout(generation, (kind,), (RobotPlace("robot1", kind, 0, 0, 0),), (), ("robot1",), COMMANDS, READINGS)


class Source:
    """What writes records into a ring, as a simulation does."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.revision = self.generation = 0

    def publish(self, tick: int | None = None, *, edit: str = "", keyframe: bytes = b"", **head: object) -> None:
        """Write one record; without more said, tick and revision are the same."""
        number = self.revision if tick is None else tick
        edits = msgpack.packb([{"edit": edit}]) if edit else b""
        sizes = {"edits_bytes": len(edits), "keyframe_bytes": len(keyframe)}
        said = {"tick": number, "time_ns": number * STEP_NS, "generation": 1, "revision": self.revision, **head}
        header = RecordHeader(bodies=BODIES, readings=READINGS, commands=COMMANDS, **sizes, **said)
        if header.generation != self.generation:
            self.generation = header.generation
            self.ring.announce(self.generation, packed_layout(layout(self.generation)))
        values = np.full(13 * BODIES + READINGS + COMMANDS, float(number))
        self.ring.append(header, (values,), edits, keyframe)
        self.revision += 1

    def begin(self) -> None:
        """Show the readings of the next record, and no more of it."""
        header = RecordHeader(self.revision, self.revision, generation=1, bodies=BODIES, readings=READINGS)
        assert self.ring.begin(header, np.full(READINGS, float(self.revision)))

    def publish_many(self, count: int) -> None:
        """Write so many records."""
        for _ in range(count):
            self.publish()

    def overrun(self) -> None:
        """Write until everything that was in the ring is overwritten."""
        end = self.ring.position + 2 * self.ring.largest
        while self.ring.position < end:
            self.publish()


@contextmanager
def shared_ring() -> Iterator[Ring]:
    """Make a small ring that is removed in the end."""
    ring = Ring.create(ring_bytes=RING_BYTES, command_floats=8)
    try:
        yield ring
    finally:
        ring.unlink()
