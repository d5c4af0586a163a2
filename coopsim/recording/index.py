"""Which chunk of a recording holds what; written when it is closed, found again by reading when it was not."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.geometry import Ints
from coopsim.recording.channels import EDITS, KEYFRAMES, LAYOUTS, TICKS
from coopsim.recording.chunks import Message, content
from coopsim.recording.layouts import generation_of


@dataclass(frozen=True, slots=True)
class Place:
    """One chunk of records; first and last as in its message.

    Attributes:
        offset: Where the chunk begins in the file.
        gap: Records that the recorder missed before it.
        edits: How many of its records have edits.
        keyframes: Rows that have a key frame, in order.
    """

    offset: int
    records: int
    generation: int
    gap: int
    tick: tuple[int, int]
    position_ns: tuple[int, int]
    revision: tuple[int, int]
    edits: int
    keyframes: tuple[int, ...]


@dataclass
class Index:
    """Where everything is.

    Attributes:
        places: Chunks with records, in order.
        layouts: Where the chunk of the layout of each generation begins.
        tail_gap: Records that the recorder missed after the last one.
    """

    places: list[Place] = field(default_factory=list)
    layouts: dict[int, int] = field(default_factory=dict)
    tail_gap: int = 0

    def add(self, offset: int, messages: Sequence[Message]) -> None:
        """Take notice of a chunk.

        Raises:
            DamagedRecording: Its messages are not what they should be.
        """
        for message in messages:
            if message.channel == LAYOUTS:
                self.layouts[generation_of(message.data)] = offset
        ticks = [message for message in messages if message.channel == TICKS]
        if not ticks:
            return
        try:
            self.places.append(_place(offset, ticks, messages))
        except (ValueError, KeyError, TypeError) as problem:
            raise DamagedRecording(f"the chunk at byte {offset} does not hold what it should: {problem!r}") from None

    def pack(self) -> bytes:
        """Return its bytes."""
        packed: bytes = msgpack.packb(
            [[astuple(place) for place in self.places], sorted(self.layouts.items()), self.tail_gap]
        )
        return packed

    @classmethod
    def unpack(cls, raw: bytes) -> "Index":
        """Return the index whose bytes these are.

        Raises:
            DamagedRecording: They are none.
        """
        try:
            places, layouts, tail_gap = msgpack.unpackb(raw, use_list=False)
            return cls([Place(*place) for place in places], dict(layouts), tail_gap)
        except (ValueError, TypeError) as problem:
            raise DamagedRecording(f"the index cannot be read: {problem!r}") from None

    # where records are; a number counts the records of the file from 0

    @cached_property
    def first_numbers(self) -> Ints:
        """Number of the first record of each chunk, and one more: how many records there are."""
        return np.cumsum([0, *(place.records for place in self.places)], dtype=np.int64)

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.first_numbers[-1])

    @property
    def gaps(self) -> int:
        """How many records are missing: the recorder missed them, or their chunk was lost."""
        missing = self.tail_gap + sum(place.gap for place in self.places[:1])
        for before, after in zip(self.places, self.places[1:], strict=False):
            missing += max(after.gap, after.revision[0] - before.revision[1] - 1)
        return missing

    def chunk_of(self, number: int) -> tuple[int, int]:
        """Return in which chunk record `number` is, and in which row of it."""
        chunk = int(np.searchsorted(self.first_numbers, number, "right")) - 1
        return chunk, number - int(self.first_numbers[chunk])

    def chunk_at_position(self, position_ns: int) -> int:
        """Return the chunk of the last record at or before a position, 0 if none is."""
        return _rank(self._first_positions, position_ns)

    def chunk_at_tick(self, tick: int) -> int:
        """Return the chunk of the last record at or before a tick, 0 if none is."""
        return _rank(self._first_ticks, tick)

    @cached_property
    def _first_positions(self) -> NDArray[np.uint64]:
        return np.array([place.position_ns[0] for place in self.places], np.uint64)

    @cached_property
    def _first_ticks(self) -> NDArray[np.uint64]:
        return np.maximum.accumulate(np.array([place.tick[0] for place in self.places], np.uint64))


def _rank(rising: NDArray[np.uint64], wanted: int) -> int:
    return max(0, last_at(rising, wanted))


def last_at(rising: NDArray[np.uint64], wanted: int) -> int:
    """Return the index of the last value at or before `wanted`, -1 if there is none."""
    if wanted < 0:
        return -1
    return int(np.searchsorted(rising, np.uint64(min(wanted, 2**64 - 1)), "right")) - 1


def _place(offset: int, ticks: Sequence[Message], messages: Sequence[Message]) -> Place:
    (said,) = map(content, ticks)
    keyframes = [content(message)["row"] for message in messages if message.channel == KEYFRAMES]
    return Place(
        offset=offset,
        records=said["records"],
        generation=said["generation"],
        gap=said["gap"],
        tick=tuple(said["tick"]),
        position_ns=tuple(said["position_ns"]),
        revision=tuple(said["revision"]),
        edits=sum(message.channel == EDITS for message in messages),
        keyframes=tuple(keyframes),
    )
