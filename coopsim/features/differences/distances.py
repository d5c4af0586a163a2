"""Distances between the robots of two recordings, tick by tick, as far as both go."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats, Ints
from coopsim.recording import RecordBlock, Recording
from coopsim.scene import by_name
from coopsim.state import Layout

APART = 0.001
"""Robots that are farther from each other than this count as parted [m]."""


class Side(NamedTuple):
    """Some records of one recording, in one block.

    Attributes:
        rows: Of the block.
    """

    layout: Layout
    block: RecordBlock
    rows: Ints


class Stretch(NamedTuple):
    """The same ticks in two recordings, in one block of each.

    Attributes:
        places: Which of all common ticks they are.
    """

    places: Ints
    first: Side
    second: Side


@dataclass(slots=True)
class RobotDistance:
    """Distances of a robot of one run from the same robot of another.

    Attributes:
        largest: Distance of the two [m].
        mean: Over all ticks that both hold [m].
        final: In the last tick that both hold [m].
        first: Simulated time of the first run when they were more than 1 mm apart [s]; None = never.
    """

    robot: str
    largest: float = 0.0
    mean: float = 0.0
    final: float = 0.0
    first: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim diff --json` prints."""
        return asdict(self)


def stretches(recordings: tuple[Recording, Recording], numbers: tuple[Ints, Ints]) -> Iterator[Stretch]:
    """Yield the common ticks of two recordings, block by block.

    Args:
        recordings: Where they are.
        numbers: Of the records of the common ticks in each, in order.
    """
    chunks = [
        np.searchsorted(np.asarray(recording_indexed.index.first_numbers), number, side="right") - 1
        for recording_indexed, number in zip(recordings, numbers, strict=True)
    ]
    starts = np.flatnonzero(np.diff(chunks[0], prepend=-1) | np.diff(chunks[1], prepend=-1))
    held: list[tuple[int, RecordBlock] | None] = [None, None]
    for begin, end in zip(starts, [*starts[1:], len(numbers[0])], strict=True):
        sides = []
        for which, recording in enumerate(recordings):
            chunk, kept = int(chunks[which][begin]), held[which]
            block = kept[1] if kept is not None and kept[0] == chunk else recording.block(chunk)
            held[which] = chunk, block
            rows = numbers[which][begin:end] - int(recording.index.first_numbers[chunk])
            sides.append(Side(recording.layout(block.generation), block, rows))
        yield Stretch(np.arange(begin, end), sides[0], sides[1])


class Distances:
    """Gathers how far robots are apart, stretch by stretch: all robots at once."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._counts = np.zeros(0, np.int64)
        # of each robot: largest, mean and final distance, and when it parted, NaN = never
        self._seen = np.zeros((4, 0))
        self._layouts: tuple[Layout, Layout] | None = None

    def add(self, stretch: Stretch) -> None:
        """Add the next common ticks."""
        first, second = stretch.first, stretch.second
        if self._layouts is None or self._layouts[0] is not first.layout or self._layouts[1] is not second.layout:
            self._join(first.layout, second.layout)
        if not self._joint.size:
            return
        ways = [_ways(side, bodies) for side, bodies in zip((first, second), self._bodies, strict=True)]
        # a row for each robot: a sum along rows is rounded as that of one robot alone
        gaps: Floats = np.ascontiguousarray(np.sqrt(((ways[0] - ways[1]) ** 2).sum(axis=2)).T)
        times = first.block.head("time_ns")[first.rows] / 1e9
        rows, ticks = self._joint, gaps.shape[1]
        self._counts[rows] += ticks
        largest, mean, _, parted = self._seen[:, rows]
        apart = gaps > APART
        since = np.where(apart.any(axis=1), times[apart.argmax(axis=1)], np.nan)
        means = mean + (gaps.mean(axis=1) - mean) * ticks / self._counts[rows]
        first_parted = np.where(np.isnan(parted), since, parted)
        self._seen[:, rows] = np.maximum(largest, gaps.max(axis=1)), means, gaps[:, -1], first_parted

    def _join(self, first: Layout, second: Layout) -> None:
        """Note which robots both have, where their bodies are in each, and rows for them here."""
        self._layouts = first, second
        names = [name for name in first.robot if name in second.robot]
        self._joint = np.array([self._rows.setdefault(name, len(self._rows)) for name in names], np.int64)
        self._bodies = [np.array([layout.robot[name].body for name in names], np.int64) for layout in self._layouts]
        more = len(self._rows) - self._counts.size
        self._counts = np.append(self._counts, np.zeros(more, np.int64))
        unseen = np.repeat([[0.0], [0.0], [0.0], [np.nan]], more, axis=1)
        self._seen = np.concatenate([self._seen, unseen], axis=1)

    @property
    def by_robot(self) -> tuple[RobotDistance, ...]:
        """By name of the robot."""
        ordered = sorted(self._rows, key=by_name)
        seen = self._seen[:, [self._rows[name] for name in ordered]].T.tolist()
        return tuple(
            RobotDistance(name, largest, mean, final, None if math.isnan(parted) else parted)
            for name, (largest, mean, final, parted) in zip(ordered, seen, strict=True)
        )


def _ways(side: Side, bodies: Ints) -> NDArray[np.float64]:
    """Return where bodies are, shape (ticks, bodies, 3) [m]."""
    return side.block.poses[side.rows][:, bodies, :3].astype(np.float64)
