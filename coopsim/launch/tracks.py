"""Where everything that moves has been, read from the ring while the run goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Floats, heading
from coopsim.robots import RunSpec
from coopsim.scene import by_name
from coopsim.state import Record
from coopsim.transport import Ring

INTERVAL_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class Track:
    """Way of one body.

    Attributes:
        points: Time, x, y and heading about every 0.1 s of simulated time, shape (k, 4) [s, m, m, rad].
    """

    name: str
    points: Floats


class Tracks:
    """Follows the ring and keeps a pose of each body every 0.1 s of simulated time.

    Args:
        ring: What to follow, from its beginning.
        bodies: Names of the moving bodies by row, as the run begins.
    """

    def __init__(self, ring: Ring, bodies: Sequence[str]) -> None:
        self._ring, self._bodies = ring, tuple(bodies)
        self._cursor = 0
        self._generation: int | None = None
        self._due_ns = 0
        self._last: Record | None = None
        self._points: dict[str, list[tuple[float, float, float, float]]] = {}

    def lay_out(self, generation: int, bodies: Sequence[str]) -> None:
        """Take notice of the rows of a new generation."""
        self.follow()
        self._generation, self._bodies = generation, tuple(bodies)

    def follow(self) -> None:
        """Read the records that came since the last call; those of an unknown generation are left out."""
        records, self._cursor, _ = self._ring.following(self._cursor)
        for raw in records:
            record = Record(raw)
            if self._generation is None:
                self._generation = record.generation
            if record.generation != self._generation or record.header.bodies != len(self._bodies):
                continue
            if record.header.time_ns < self._due_ns - INTERVAL_NS:
                self._start_over()
            self._last = record
            if record.header.time_ns >= self._due_ns:
                self._keep(record)

    def all(self) -> Mapping[str, Track]:
        """Return the tracks so far, the newest pose included, by name."""
        if self._last is not None:
            self._keep(self._last)
        return {name: Track(name, np.array(points)) for name, points in sorted(self._points.items())}

    def _keep(self, record: Record) -> None:
        self._due_ns = record.header.time_ns // INTERVAL_NS * INTERVAL_NS + INTERVAL_NS
        time = record.header.time_ns / 1e9
        for name, (x, y, _, *quaternion) in zip(self._bodies, record.poses.tolist(), strict=True):
            points = self._points.setdefault(name, [])
            if not points or points[-1][0] < time:
                points.append((time, x, y, heading(*quaternion)))

    def _start_over(self) -> None:
        """Time went back: the clock was reset."""
        self._points.clear()
        self._due_ns = 0


def moving_bodies(spec: RunSpec) -> list[str]:
    """Return the names of everything with a mass, in the order in which an engine begins."""
    objects = [each.name for each in spec.scenario.world.objects if each.mass > 0]
    return sorted([*objects, *(robot.name for robot in spec.scenario.robots)], key=by_name)
