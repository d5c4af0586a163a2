"""Index of a recording: what each chunk holds; written at closing, rebuilt by reading where it is missing."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.geometry import Ints
from coopsim.recording.channels import EDITS, KEYFRAMES, LAYOUTS, TICKS
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.layouts import generation_of
from coopsim.recording.limits import MOST_RECORDS, MOST_TEXT_BYTES
from coopsim.recording.messages import keyframe_of, ticks_of
from coopsim.state.plain import Count, check, unpack

_STORED = 9  # parts are found, never stored
_SPAN = tuple[Count, Count]
# fields of a line of the index, with their bounds
_PLACE = tuple[Count, Annotated[int, 1, MOST_RECORDS], Count, Count, _SPAN, _SPAN, _SPAN, Count, tuple[Count, ...]]
_INDEX = tuple[tuple[_PLACE, ...], tuple[tuple[Count, Count], ...], Count]


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A chunk of records; first and last as in its message.

    Attributes:
        offset: Where the chunk begins in the file.
        gap: Records that the recorder missed before it.
        edits: How many of its records have edits.
        keyframes: Rows that have a key frame, in order.
        parts: Chunk and number in it of the message and its companions, where another program has put them; () = the
            whole chunk at `offset`.
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
    parts: tuple[tuple[int, int], ...] = ()


@dataclass
class Index:
    """Index of everything in the file.

    Attributes:
        places: Chunks with records, in order.
        layouts: Where the chunk of the layout of each generation begins.
        tail_gap: Records that the recorder missed after the last one.
    """

    places: list[ChunkPlace] = field(default_factory=list)
    layouts: dict[int, int] = field(default_factory=dict)
    tail_gap: int = 0

    def add(self, offset: int, messages: Sequence[ChannelMessage]) -> None:
        """Add a chunk.

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
            self.places.append(record_places(offset, ticks, messages))
        except ValueError as problem:
            raise DamagedRecording(f"the chunk at byte {offset} does not hold what it should: {problem}") from None

    def pack(self) -> bytes:
        """Return its bytes."""
        packed: bytes = msgpack.packb(
            [[astuple(place)[:_STORED] for place in self.places], sorted(self.layouts.items()), self.tail_gap]
        )
        return packed

    @classmethod
    def unpack(cls, raw: bytes) -> "Index":
        """Return the index whose bytes these are.

        Raises:
            DamagedRecording: They are none.
        """
        try:
            if len(raw) > MOST_TEXT_BYTES:
                raise ValueError(f"expected at most {MOST_TEXT_BYTES} bytes, found {len(raw)}")
            decoded = unpack(raw)
            check(decoded, _INDEX)
            places, layouts, tail_gap = decoded
            index = cls([ChunkPlace(*map(_tupled, place)) for place in places], dict(layouts), tail_gap)
            _check_order(index.places)
        except ValueError as problem:
            raise DamagedRecording(f"the index cannot be read: {problem}") from None
        return index

    # where records are; a number counts the records of the file from 0

    @cached_property
    def first_numbers(self) -> Ints:
        """Number of the first record of each chunk, and one more: how many records there are."""
        return np.cumsum([0, *(place.records for place in self.places)], dtype=np.int64)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.first_numbers[-1])

    @property
    def gaps(self) -> int:
        """Number of records that are missing: the recorder missed them, or their chunk was lost."""
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


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_order(places: Sequence[ChunkPlace]) -> None:
    """Check that every chunk lies behind the one before, in the file and in time."""
    before = ChunkPlace(-1, 1, 0, 0, (0, 0), (0, 0), (0, 0), 0, ())
    for number, place in enumerate(places):
        rows = (-1, *place.keyframes, place.records)
        is_rising = all(first < second for first, second in pairwise(rows))
        if place.offset <= before.offset or place.position_ns[0] < before.position_ns[1] or not is_rising:
            raise ValueError(f"chunk {number} does not follow the one before it")
        if place.position_ns[0] > place.position_ns[1]:
            raise ValueError(f"chunk {number} ends before it begins")
        before = place


def record_places(offset: int, ticks: Sequence[ChannelMessage], messages: Sequence[ChannelMessage]) -> ChunkPlace:
    """Return where records are.

    Args:
        offset: Where their chunk begins.
        ticks: Their message.
        messages: That and its companions.

    Raises:
        ValueError: They do not hold what they should.
    """
    (content,) = (ticks_of(message.data) for message in ticks)
    keyframes = [keyframe_of(message.data)["row"] for message in messages if message.channel == KEYFRAMES]
    tick, position, revision = (
        (first, last) for first, last in (content["tick"], content["position_ns"], content["revision"])
    )
    edits = sum(message.channel == EDITS for message in messages)
    place = ChunkPlace(
        offset,
        content["records"],
        content["generation"],
        content["gap"],
        tick,
        position,
        revision,
        edits,
        tuple(keyframes),
    )
    if any(first >= second for first, second in pairwise((-1, *place.keyframes, place.records))):
        raise ValueError(f"the rows of its key frames are {place.keyframes}; expected rising ones of {place.records}")
    return place
