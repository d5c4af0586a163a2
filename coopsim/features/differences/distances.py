"""Distances between the robots of two recordings, tick by tick, as far as both go."""

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
    """Gathers how far robots are apart, stretch by stretch."""

    def __init__(self) -> None:
        self._by_robot: dict[str, RobotDistance] = {}
        self._counts: dict[str, int] = {}

    def add(self, stretch: Stretch) -> None:
        """Add the next common ticks."""
        first, second = stretch.first, stretch.second
        names = [name for name in first.layout.robot if name in second.layout.robot]
        if not names:
            return
        ways = [_ways(side, names) for side in (first, second)]
        gaps: Floats = np.sqrt(((ways[0] - ways[1]) ** 2).sum(axis=2))
        times = first.block.head("time_ns")[first.rows] / 1e9
        for column, name in enumerate(names):
            self._add(name, gaps[:, column], times)

    def _add(self, name: str, gaps: Floats, times: Floats) -> None:
        distance = self._by_robot.setdefault(name, RobotDistance(name))
        count = self._counts.get(name, 0)
        self._counts[name] = count + len(gaps)
        distance.largest = max(distance.largest, float(gaps.max()))
        distance.mean += (float(gaps.mean()) - distance.mean) * len(gaps) / self._counts[name]
        distance.final = float(gaps[-1])
        apart = np.flatnonzero(gaps > APART)
        if distance.first is None and len(apart):
            distance.first = float(times[apart[0]])

    @property
    def by_robot(self) -> tuple[RobotDistance, ...]:
        """By name of the robot."""
        return tuple(self._by_robot[name] for name in sorted(self._by_robot, key=by_name))


def _ways(side: Side, names: list[str]) -> NDArray[np.float64]:
    """Return where robots are, shape (ticks, robots, 3) [m]."""
    bodies = [side.layout.robot[name].body for name in names]
    return side.block.poses[side.rows][:, bodies, :3].astype(np.float64)
