"""Tracks of everything that moves, from the records of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from coopsim.geometry import Floats, heading
from coopsim.state import Layout, Record

INTERVAL_NS = 100_000_000  # a way through ten places a second is smooth in every picture


@dataclass(frozen=True, slots=True)
class Track:
    """Way of one body.

    Attributes:
        points: Time, x, y and heading about every 0.1 s of simulated time, shape (k, 4) [s, m, m, rad].
        readings: Newest ones of the modules of a robot, by their kind.
    """

    name: str
    points: Floats
    readings: Mapping[str, Floats] = field(default_factory=dict)


class Tracks:
    """Follows a run and keeps a pose of each body every 0.1 s of simulated time."""

    is_over = False

    def __init__(self) -> None:
        self._due_ns = 0
        self._last: tuple[Layout, Record] | None = None
        self._points: dict[str, list[tuple[float, float, float, float]]] = {}

    def add(self, layout: Layout, record: Record) -> None:
        """Keep the poses of the next record if they are due."""
        if record.header.time_ns < self._due_ns - INTERVAL_NS:
            self._start_over()
        self._last = layout, record
        if record.header.time_ns >= self._due_ns:
            self._keep(layout, record)

    def all(self) -> Mapping[str, Track]:
        """Return the tracks so far, the newest pose included, by name."""
        if self._last is None:
            return {}
        self._keep(*self._last)
        read = _readings(*self._last)
        return {
            name: Track(name, np.array(points), read.get(name, {})) for name, points in sorted(self._points.items())
        }

    def _keep(self, layout: Layout, record: Record) -> None:
        self._due_ns = record.header.time_ns // INTERVAL_NS * INTERVAL_NS + INTERVAL_NS
        time = record.header.time_ns / 1e9
        for name, (x, y, _, *quaternion) in zip(layout.bodies, record.poses.tolist(), strict=True):
            points = self._points.setdefault(name, [])
            if not points or points[-1][0] < time:
                points.append((time, x, y, heading(*quaternion)))

    def _start_over(self) -> None:
        """Time went back: the clock was reset."""
        self._points.clear()
        self._due_ns = 0


def _readings(layout: Layout, record: Record) -> dict[str, dict[str, Floats]]:
    """Return what the modules of robots read, by robot and kind."""
    readings = np.array(record.readings)
    return {
        place.name: {
            module.interface.kind: readings[begin : begin + module.reading_width]
            for module in place.type.modules
            for begin in (place.reading_offset + module.reading_offset,)
        }
        for place in layout.robots
    }
