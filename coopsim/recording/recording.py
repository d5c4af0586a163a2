"""A recording that is open for reading."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from coopsim.errors import DamagedRecording
from coopsim.recording import contents
from coopsim.recording.block import RecordBlock
from coopsim.recording.channels import END
from coopsim.recording.chunks import ByteSource, ChannelMessage, block_of
from coopsim.recording.ending import Ending
from coopsim.recording.images import CameraStream, RecordedImage
from coopsim.recording.index import ChunkPlace
from coopsim.recording.layouts import layout_from_json, layout_message
from coopsim.state import Layout, Record
from coopsim.state.edits import AppliedEdit


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """State of the simulation at one record.

    Attributes:
        number: Of the record.
        position_ns: Where it lies on the time line of the recording.
        state: As the simulation saved it.
    """

    number: int
    tick: int
    time_ns: int
    position_ns: int
    state: bytes


@dataclass(frozen=True, slots=True)
class RecordedEdits:
    """Edits just before one record.

    Attributes:
        number: Of the record.
        position_ns: Where it lies on the time line of the recording.
    """

    number: int
    tick: int
    time_ns: int
    position_ns: int
    edits: tuple[AppliedEdit, ...]


class Recording:
    """Recording in a file: records, numbered from 0, each at a position on the time line of the recording.

    A position is the simulated time, but goes on where the clock was reset, so that it never goes back.

    Args:
        path: The file; one that was cut off is read as far as it goes, one that still grows as far as it has come.

    Attributes:
        complete: Whether it was closed properly.
        damaged: How many of its chunks cannot be read (counted only while it is not complete).
        index: Which chunk holds what.
        images: Where images of cameras are, if there are any.
        metadata: Facts about the run; `format` and `versions` are always there.
        gaps: How many records are missing: missed by the recorder or lost with a damaged chunk.
        size_bytes: Of the file.
        rewritten: The program that rewrote it, "" = none.
        note: Why the index in the file was not used, "" = it was.

    Raises:
        NotARecording: There is no such file, it cannot be read, or it is something else.
        DamagedRecording: It ends before its first record; also by every method that meets a damaged chunk.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._source = ByteSource(self.path)
        try:
            held = contents.find(self._source)
        except BaseException:
            self._source.close()
            raise
        self.index, self.images = held.index, held.images
        self._attachments = held.attachments
        self.complete, self.damaged, self.metadata = held.complete, held.damaged, held.metadata
        self.gaps = held.index.gaps
        self.size_bytes = self._source.size
        self.rewritten, self.note = held.rewritten, held.note
        self._end_at = self._attachments.pop(END, None)
        self._messages_at = lru_cache(maxsize=2)(self._source.messages)
        self._layout_at = lru_cache(maxsize=8)(partial(_layout_at, self._source))

    @classmethod
    def open(cls, path: str | Path) -> "Recording":
        """Return the recording in a file."""
        return cls(path)

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def show(self, **choices: Any) -> Any:
        """Return the page of `coopsim export --html` for a notebook, see `coopsim.show`."""
        return import_module("coopsim").show(self, **choices)

    def __enter__(self) -> "Recording":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # what there is

    def __len__(self) -> int:
        return self.index.records

    @property
    def chunks(self) -> int:
        """Number of chunks of records."""
        return len(self.index.places)

    @property
    def begin_ns(self) -> int:
        """Position of the first record."""
        return self.index.places[0].position_ns[0] if self.index.places else 0

    @property
    def end_ns(self) -> int:
        """Position of the last record."""
        return self.index.places[-1].position_ns[1] if self.index.places else 0

    @property
    def duration(self) -> float:
        """Simulated time from the first record to the last [s]."""
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def began_ns(self) -> int:
        """When the recording began, in UTC since 1970 [ns]; 0 = it does not say."""
        began = self.metadata.get("began")
        return int(began["utc_ns"]) if began else 0

    @property
    def first_tick(self) -> int:
        """Tick of the first record."""
        return self.index.places[0].tick[0] if self.index.places else 0

    @property
    def last_tick(self) -> int:
        """Tick of the last record."""
        return self.index.places[-1].tick[1] if self.index.places else 0

    @property
    def attachments(self) -> dict[str, str]:
        """Scenario, world and robot files: text by name."""
        return {name: self._text(offset) for name, offset in self._attachments.items()}

    @property
    def attachment_names(self) -> list[str]:
        """Names of the attachments, sorted."""
        return sorted(self._attachments)

    @property
    def ending(self) -> Ending | None:
        """Facts that the writer noted when it closed the file; None where nobody closed it, or an older version did."""
        return None if self._end_at is None else Ending.unpack(self._text(self._end_at))

    def attachment(self, name: str) -> str | None:
        """Return the text of one attachment, None if there is none of this name."""
        offset = self._attachments.get(name)
        return None if offset is None else self._text(offset)

    @property
    def generations(self) -> tuple[int, ...]:
        """Generations whose layouts there are, in order."""
        return tuple(sorted(self.index.layouts))

    def layout(self, generation: int) -> Layout:
        """Return the layout of a generation."""
        offset = self.index.layouts.get(generation)
        if offset is None:
            raise DamagedRecording(f"{self.path}: the layout of generation {generation} is missing")
        return self._layout_at(offset, generation)

    # records

    def block(self, chunk: int) -> RecordBlock:
        """Return the records of one chunk as arrays."""
        place = self.index.places[chunk]
        first, last = place.tick
        where = f"{self.path}, ticks {first} to {last} (chunk at byte {place.offset})"
        block = block_of(self._messages(place), where)
        if (block.records, block.generation) != (place.records, place.generation):
            raise DamagedRecording(
                f"{where}: expected {place.records} records of layout {place.generation} by the index, "
                f"found {block.records} of layout {block.generation}"
            )
        if block.generation in self.index.layouts:
            block.check_columns(self.layout(block.generation))
        return block

    def _messages(self, place: ChunkPlace) -> list[ChannelMessage]:
        if not place.parts:
            return self._source.messages(place.offset)
        return [self._messages_at(offset)[number] for offset, number in place.parts]

    def blocks(self, first: int = 0) -> Iterator[tuple[int, RecordBlock]]:
        """Yield number of the first record and block of every chunk, from the one that holds record `first`."""
        begin = self.index.chunk_of(first)[0]
        for chunk in range(begin, self.chunks):
            yield int(self.index.first_numbers[chunk]), self.block(chunk)

    def records(self, first: int = 0, end: int | None = None) -> Iterator[Record]:
        """Yield records one after the other, from number `first` to before number `end`."""
        last = len(self) if end is None else min(end, len(self))
        for number, block in self.blocks(first):
            if number >= last:
                return
            for row in range(max(0, first - number), min(block.records, last - number)):
                yield block.record(row)

    def edits(self, first: int = 0) -> Iterator[RecordedEdits]:
        """Yield what was changed, from record number `first` on; chunks without changes are not read."""
        begin = self.index.chunk_of(first)[0]
        for chunk in range(begin, self.chunks):
            if self.index.places[chunk].edits:
                yield from (edit for edit in self._edits_of(chunk) if edit.number >= first)

    def _edits_of(self, chunk: int) -> Iterator[RecordedEdits]:
        block = self.block(chunk)
        number = int(self.index.first_numbers[chunk])
        for row, edits in sorted(block.edits.items()):
            yield RecordedEdits(number + row, *_instant(block, row), tuple(edits))

    def keyframe(self, number: int) -> KeyFrame | None:
        """Return the last key frame at or before a record, None if there is none."""
        if not len(self):
            return None
        chunk, row = self.index.chunk_of(min(number, len(self) - 1))
        for earlier in range(chunk, -1, -1):
            rows = [
                keyframe_row
                for keyframe_row in self.index.places[earlier].keyframes
                if earlier < chunk or keyframe_row <= row
            ]
            if rows:
                return self._keyframe_of(earlier, rows[-1])
        return None

    def _keyframe_of(self, chunk: int, row: int) -> KeyFrame:
        block = self.block(chunk)
        number = int(self.index.first_numbers[chunk]) + row
        if row not in block.keyframes:
            raise DamagedRecording(f"{self.path}: the index names a key frame at record {number}, but there is none")
        return KeyFrame(number, *_instant(block, row), block.keyframes[row])

    def image(self, stream: CameraStream, tick: int) -> RecordedImage | None:
        """Return the image that a camera took at a tick, None if it is not in the file."""
        place = self.images.find(stream, tick)
        if place is None:
            return None
        messages = self._messages_at(place.offset)
        try:
            recorded = RecordedImage.unpack(messages[place.number].data)
        except (IndexError, ValueError) as problem:
            raise DamagedRecording(f"{self.path}: the image of {stream.topic} at tick {tick}: {problem}") from None
        if (recorded.stream, recorded.tick) != (stream, tick):
            raise DamagedRecording(f"{self.path}: the image of {stream.topic} at tick {tick} is another one")
        return recorded

    def _text(self, offset: int) -> str:
        return contents.attachment(self._source, offset).decode(errors="replace")


def _instant(block: RecordBlock, row: int) -> tuple[int, int, int]:
    tick, time_ns, position_ns = (int(block.head(name)[row]) for name in ("tick", "time_ns", "position_ns"))
    return tick, time_ns, position_ns


def _layout_at(source: ByteSource, offset: int, generation: int) -> Layout:
    try:
        return layout_from_json(layout_message(source.messages(offset), generation).data)
    except DamagedRecording as problem:
        text = str(problem).removeprefix(f"{source.path}: ")
        raise DamagedRecording(f"{source.path}, layout {generation} (chunk at byte {offset}): {text}") from None
