"""The records of a run as arrays over time, by the names of what is in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.metrics.formations import Formation
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace

Array = NDArray[Any]


@dataclass(frozen=True)
class ArrayPart:
    """Consecutive records of one layout; a row per record.

    Attributes:
        times: On a time line that never goes back, shape (k,) [s].
        poses: Position and quaternion w x y z of every moving body, shape (k, bodies, 7).
        twists: Their velocities, shape (k, bodies, 6).
        readings: Of all robots, shape (k, columns).
        commands: Of all robots, shape (k, columns).
        overruns: How many ticks began late so far, shape (k,).
        lateness: The largest so far, shape (k,) [s].
    """

    layout: Layout
    times: Floats
    poses: Array
    twists: Array
    readings: Array
    commands: Array
    overruns: Array
    lateness: Floats

    def __len__(self) -> int:
        return len(self.times)

    def records(self, rows: Any) -> "ArrayPart":
        """Return some of its records: those of a slice or a mask."""
        arrays = {name: var[rows] for name, var in vars(self).items() if name != "layout"}
        return ArrayPart(self.layout, **arrays)


@dataclass(frozen=True)
class RunArrays:
    """Arrays of a run for metrics and goals. Where something was not there, its values are NaN.

    Attributes:
        parts: Its records, in order.
        formations: The places that teams should keep.
    """

    parts: Sequence[ArrayPart]
    formations: Sequence[Formation] = field(default=())

    @cached_property
    def times(self) -> Floats:
        """Time of each record, shape (k,) [s]."""
        return _joined([part.times for part in self.parts])

    @property
    def duration(self) -> float:
        """From the first record to the last [s]."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    @cached_property
    def entities(self) -> dict[str, EntityRow]:
        """Entities that were ever there, by name, as each was last described."""
        return {row.name: row for part in self.parts for row in part.layout.entities}

    @cached_property
    def robots(self) -> tuple[str, ...]:
        """Names of all robots."""
        return tuple(dict.fromkeys(place.name for part in self.parts for place in part.layout.robots))

    def poses(self, name: str) -> Floats:
        """Return x, y, z and quaternion w x y z of an entity, shape (k, 7)."""
        return _joined([_poses(part, name) for part in self.parts], 7)

    def positions(self, name: str) -> Floats:
        """Return x and y of an entity, shape (k, 2) [m]."""
        return self.poses(name)[:, :2]

    def twists(self, name: str) -> Floats:
        """Return velocity and angular velocity of a moving entity in the world frame, shape (k, 6)."""
        return _joined([_twists(part, name) for part in self.parts], 6)

    def reading(self, robot: str, module: str, reading: str) -> Floats:
        """Return a reading, shape (k, values); no values where no record has it."""
        columns = [_reading(part, robot, module, reading) for part in self.parts]
        width = max((column.shape[1] for column in columns if column is not None), default=0)
        gaps = [np.full((len(part), width), np.nan) for part in self.parts]
        fits = [
            column if column is not None and column.shape[1] == width else gap
            for column, gap in zip(columns, gaps, strict=True)
        ]
        return _joined(fits, width)

    def modules(self, robot: str) -> Iterator[tuple[ArrayPart, RobotPlace, ModuleLayout]]:
        """Yield the modules of a robot, part by part of the run."""
        for part in self.parts:
            place = part.layout.robot.get(robot)
            for module in () if place is None else place.type.modules:
                assert place is not None  # noqa: S101 - it has modules
                yield part, place, module

    def until(self, time: float) -> "RunArrays":
        """Return the run up to the first record at or after a time [s]."""
        rows = int(np.searchsorted(self.times, time - _ROUNDING)) + 1
        parts = []
        for part in self.parts:
            if rows > 0:
                parts.append(part if len(part) <= rows else part.records(slice(rows)))
            rows -= len(part)
        return RunArrays(parts, self.formations)


_ROUNDING = 1e-9  # s; times are whole nanoseconds, which doubles round


def last_of_each_instant(parts: Sequence[ArrayPart]) -> tuple[ArrayPart, ...]:
    """Return records without those after which another one of the same time came: time stood still."""
    parts_kept: list[ArrayPart] = []
    after = np.inf
    for part in reversed([part for part in parts if len(part)]):
        keep = np.diff(part.times, append=after) > 0.0
        parts_kept += [] if not keep.any() else [part if keep.all() else part.records(keep)]
        after = part.times[0]
    return tuple(reversed(parts_kept))


def _joined(parts: Sequence[Array], columns: int | None = None) -> Floats:
    if parts:
        return np.concatenate(parts).astype(np.float64, copy=False)
    return np.zeros(0 if columns is None else (0, columns))


def _poses(part: ArrayPart, name: str) -> Array:
    row = part.layout.entity.get(name)
    if row is None:
        return np.full((len(part), 7), np.nan)
    return part.poses[:, row.body] if row.body >= 0 else np.tile(np.array(row.pose), (len(part), 1))


def _twists(part: ArrayPart, name: str) -> Array:
    row = part.layout.entity.get(name)
    if row is None or row.body < 0:
        return np.full((len(part), 6), np.nan)
    return part.twists[:, row.body]


def _reading(part: ArrayPart, robot: str, module: str, reading: str) -> Array | None:
    place = part.layout.robot.get(robot)
    module_layout = None if place is None else place.type.module(module)
    wanted = (
        next((candidate for candidate in module_layout.interface.readings if candidate.name == reading), None)
        if module_layout
        else None
    )
    if place is None or module_layout is None or wanted is None:
        return None
    offset, length = module_layout.columns(wanted)
    begin = place.reading_offset + offset
    return part.readings[:, begin : begin + length]
