"""Shared memory between the source of records and their readers.

The file holds a page of control words, two areas of command rows, and a ring of records. One process writes records,
one process (the host) writes command rows; readers never block the writers. Each generation of the layout uses the
command area of its parity, and an area says which generation its rows follow, so that rows of an old layout can never
be read as rows of a new one.

A layout is part of the first record that follows it. As long as it holds, it is written once more with a later record
before it would be overwritten, and the control words say where: a new reader finds the present layout, and
a reader that goes on meets every layout before its records.

Correct order of the words relies on stores becoming visible in program order, as on x86.
"""

import mmap
import os
import secrets
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from coopsim.errors import InternalError
from coopsim.geometry import Floats
from coopsim.state import HEADER_BYTES, RecordHeader
from coopsim.state.record import HASH_BEGIN, padded
from coopsim.transport.begun import OpenRecord, RecordBegin
from coopsim.transport.command_areas import CommandAreas
from coopsim.transport.ring_words import (
    MOST_TICKS,
    W_BEGUN,
    W_BEGUN_AT,
    W_COMMAND_FLOATS,
    W_COUNT,
    W_HEAD,
    W_LATEST,
    W_LAYOUT,
    W_LAYOUTS,
    W_MAGIC,
    W_RING_BYTES,
    W_TAIL,
    W_TICK,
    W_VERSION,
    RingAddresses,
)
from coopsim.transport.shared_memory import reserve
from coopsim.transport.turns import Turns

_MAGIC = 0x636F6F7073696D33  # "coopsim3": the number changes with the arrangement of the memory
_PAGE = 16384  # bytes before the first record: a whole number of usual pages
MOST_LAYOUTS = 256
"""Number of generations whose layout can be looked up."""
_OVERTAKEN = 0.1  # s; a reader that is overtaken that long will not catch up by trying


class Ring(Turns):
    """The shared memory of one run.

    Use `create` in the launcher and `attach` in its children.
    """

    def __init__(self, path: Path, memory: mmap.mmap) -> None:
        self.path = path
        self._memory = memory
        self._words = np.frombuffer(memory, np.uint64, _PAGE // 8)
        super().__init__(memoryview(memory)[:_PAGE].cast("Q"))  # single words faster than through an array
        if int(self._words[W_MAGIC]) != _MAGIC:  # written last by `create`
            raise InternalError(f"{path.name} is no shared memory of this version of coopsim")
        floats = int(self._words[W_COMMAND_FLOATS])
        areas = np.frombuffer(memory, np.float64, 2 * floats, _PAGE).reshape(2, floats)
        self._commands = CommandAreas(self._turns[W_VERSION : W_VERSION + 4], areas)
        self._size = int(self._words[W_RING_BYTES])
        self._start = _PAGE + 16 * floats
        self._floats = np.frombuffer(memory, np.float64, self._size // 8, self._start)
        self._bytes = np.frombuffer(memory, np.uint8, self._size, self._start)
        self._view = memoryview(memory)
        self._generation, self._layout = -1, b""
        self._repeat_from, self._is_layout_due = 0, False
        self._open: OpenRecord | None = None

    @classmethod
    def create(cls, *, ring_bytes: int = 32 << 20, command_floats: int = 400_000, owner: int = 0) -> "Ring":
        """Make new shared memory, named after the process `owner` (0 = this one).

        Raises:
            InternalError: The machine has too little shared memory.
        """
        ring_bytes = max(1 << 20, (ring_bytes + 7) // 8 * 8)
        total = _PAGE + 16 * command_floats + ring_bytes
        path, memory = reserve(f"coopsim-{owner or os.getpid()}-{secrets.token_hex(4)}.ring", total)
        words = np.frombuffer(memory, np.uint64, _PAGE // 8)
        words[W_RING_BYTES], words[W_COMMAND_FLOATS], words[W_MAGIC] = ring_bytes, command_floats, _MAGIC
        return cls(path, memory)

    @classmethod
    def attach(cls, path: str | Path) -> "Ring":
        """Open the shared memory that another process made.

        Raises:
            InternalError: It is gone, or something else.
        """
        try:
            with Path(path).open("r+b") as file:
                memory = mmap.mmap(file.fileno(), 0)
        except (OSError, ValueError) as problem:
            raise InternalError(f"{path} cannot be opened as shared memory: {problem}") from None
        if len(memory) < 2 * _PAGE:
            raise InternalError(f"{path} is no shared memory of this version of coopsim")
        return cls(Path(path), memory)

    def unlink(self) -> None:
        """Remove the name; open mappings stay valid."""
        self.path.unlink(missing_ok=True)

    # records

    @property
    def largest(self) -> int:
        """Size of the largest record besides the layout [bytes]."""
        return self._size - padded(len(self._layout))

    @property
    def count(self) -> int:
        """Number of records that were written."""
        return self._turns[W_COUNT]

    @property
    def begun(self) -> int:
        """Number of records that were begun: all that were written, and one whose readings alone may be there."""
        return self._turns[W_BEGUN]

    def begin(self, header: RecordHeader, readings: Floats) -> bool:
        """Show the readings of the next record before the rest of it; `append` must follow.

        Args:
            header: That of the record, which has neither edits nor a key frame; the state hash may be missing.
            readings: Of all robots.

        Returns:
            False, and nothing is shown, when the record must carry the layout.
        """
        if self._layout_with(header.size):
            return False
        words, size = self._turns, header.size
        self._check_size(size)
        head, place = self._claim(size)
        self._view[self._start + place : self._start + place + HEADER_BYTES] = header.pack(size)
        at = (place + header.readings_begin) // 8
        self._floats[at : at + readings.size] = readings
        self._open = OpenRecord(header, size, head, place)
        words[W_BEGUN_AT] = head
        words[W_BEGUN] = words[W_COUNT] + 1
        return True

    def begun_record(self) -> RecordBegin | None:
        """Return what is there of a record that was begun; None when all that were begun are whole."""
        words = self._turns
        count, head = words[W_BEGUN], words[W_BEGUN_AT]
        if count <= words[W_COUNT]:
            return None
        place = head % self._size
        header = RecordHeader.unpack(self._view[self._start + place : self._start + place + HEADER_BYTES])
        at = (place + header.readings_begin) // 8
        readings = self._floats[at : at + header.readings].copy()
        is_overtaken = words[W_BEGUN] != count or words[W_TAIL] > head
        return None if is_overtaken else RecordBegin(header, readings, count, head)

    def append(self, header: RecordHeader, arrays: Sequence[Floats], edits: bytes = b"", keyframe: bytes = b"") -> None:
        """Write one record: `arrays` are poses, twists, readings and commands, flat or not, in this order.

        Of a record that was begun, the header but for its state hash and the readings are there already.

        Raises:
            InternalError: The record is larger than the ring, or not what its header says.
        """
        begun, self._open = self._open, None
        if begun is not None and header[:-1] == begun.header[:-1]:
            self._finish(begun, header, arrays)
            return
        size = header.size
        layout = self._layout_with(size)
        if layout:
            header = header._replace(layout_bytes=len(layout))
            size = header.size
        self._check_size(size)
        self._check(header, arrays, edits, keyframe)
        head, place = self._claim(size)
        self._view[self._start + place : self._start + place + HEADER_BYTES] = header.pack(size)
        at = (place + HEADER_BYTES) // 8
        for array in arrays:
            self._floats[at : at + array.size] = array.ravel()
            at += array.size
        for part in filter(None, (edits, keyframe, layout)):
            whole = part.ljust(padded(len(part)), b"\0")
            self._bytes[8 * at : 8 * at + len(whole)] = np.frombuffer(whole, np.uint8)
            at += len(whole) // 8
        if layout:
            self._note_layout(head)
        self._show(header.tick, head, size)

    def _finish(self, begun: OpenRecord, header: RecordHeader, arrays: Sequence[Floats]) -> None:
        """Write what is missing of a record that was begun."""
        self._check(header, arrays, b"", b"")
        at = self._start + begun.place + HASH_BEGIN
        self._view[at : at + len(header.state_hash)] = header.state_hash
        poses, twists, readings, commands = arrays
        at = (begun.place + HEADER_BYTES) // 8
        for array in (poses, twists):
            self._floats[at : at + array.size] = array.ravel()
            at += array.size
        at += readings.size
        self._floats[at : at + commands.size] = commands.ravel()
        self._show(header.tick, begun.head, begun.size)

    def _show(self, tick: int, head: int, size: int) -> None:
        """Let readers see the record that was written at a position."""
        words = self._turns
        words[W_TICK + tick % MOST_TICKS] = words[W_LATEST] = head
        words[W_HEAD] = head + size
        words[W_COUNT] += 1
        words[W_BEGUN] = words[W_COUNT]

    def _claim(self, size: int) -> tuple[int, int]:
        """Give up what the next record overwrites; return its position, and where that is in the ring."""
        head = self._turns[W_HEAD]
        place = head % self._size
        wraps = place + size > self._size
        if wraps:
            head += self._size - place
        # whatever is overwritten from here on is given up first
        self._turns[W_TAIL] = max(0, head + size - self._size)
        if wraps:  # records never wrap: a size of 0 sends readers to the start
            self._floats[place // 8] = 0.0
            place = 0
        return head, place

    def _check_size(self, size: int) -> None:
        if size > self._size:
            raise InternalError(f"a record of {size} bytes does not fit a ring of {self._size}")

    def _check(self, header: RecordHeader, arrays: Sequence[Floats], edits: bytes, keyframe: bytes) -> None:
        promised = 13 * header.bodies + header.readings + header.commands
        parts = (len(edits), len(keyframe))
        if sum(array.size for array in arrays) != promised or parts != (header.edits_bytes, header.keyframe_bytes):
            raise InternalError(f"tick {header.tick}: a record does not hold what its header says")

    # layouts

    def announce(self, generation: int, layout: bytes) -> None:
        """Begin a generation, as the source: the next record carries its layout, as `transport.layouts` packs it."""
        self._generation, self._layout, self._is_layout_due = generation, layout, True

    def repeat_layout(self) -> None:
        """Write the layout of its generation with the next record, so that a reader can begin there."""
        self._is_layout_due = True

    @property
    def generation(self) -> int:
        """The newest generation whose layout was written; -1 before the first."""
        return self._turns[W_LAYOUTS] - 1

    def layout(self, generation: int) -> bytes:
        """Return the layout of a generation; b"" if none of the records that are still there carries it."""
        slot = W_LAYOUT + generation % MOST_LAYOUTS
        layout = self._layout_at_position(self._turns[slot])
        deadline = time.monotonic() + _OVERTAKEN
        while layout is None and generation == self.generation and time.monotonic() < deadline:
            time.sleep(50e-6)  # it is being written anew
            layout = self._layout_at_position(self._turns[slot])
        return layout[1] if layout is not None and layout[0] == generation else b""

    def _layout_at_position(self, position: int) -> tuple[int, bytes] | None:
        """Return generation and layout of the record at a position, None where it was overwritten."""
        if not self.count or self._turns[W_TAIL] > position:
            return None
        place = self._start + position % self._size
        header = RecordHeader.unpack(self._view[place : place + HEADER_BYTES])
        begin = place + header.layout_begin
        raw = self._view[begin : begin + min(header.layout_bytes, self._size)].tobytes()
        return (header.generation, raw) if self._turns[W_TAIL] <= position else None

    def _layout_with(self, size: int) -> bytes:
        """Return the layout if the next record, of `size` bytes without it, must carry it."""
        # this one and the next may each leave a gap as large as they are at the end of the ring
        if self._turns[W_HEAD] + 4 * size > self.plain_until:
            return self._layout
        return b""

    @property
    def plain_until(self) -> int:
        """End of the room for records without the layout, with four times their size left, in bytes since the start."""
        return -1 if self._is_layout_due else self._repeat_from

    def _note_layout(self, position: int) -> None:
        self._repeat_from = position + self._size - 2 * len(self._layout)
        self._is_layout_due = False
        self._turns[W_LAYOUT + self._generation % MOST_LAYOUTS] = position
        self._turns[W_LAYOUTS] = self._generation + 1

    def has_room(self, size: int) -> bool:
        """Return whether a record of `size` bytes can be written without overwriting what the recorder has not read."""
        cursor = self.recorder_cursor
        head = self._turns[W_HEAD]
        size += padded(len(self._layout_with(size)))
        if cursor == head:  # it has read everything, so nothing can be lost
            return True
        wasted = self._size - head % self._size if head % self._size + size > self._size else 0
        return cursor < 0 or head + wasted + size - cursor <= self._size

    def latest(self) -> bytes:
        """Return the bytes of the newest record; b"" before the first."""
        while self._words[W_COUNT]:
            raw = self._copy(int(self._words[W_LATEST]))
            if raw:
                return raw
        return b""

    @property
    def position(self) -> int:
        """Position of the newest record, in bytes since the start of the run; -1 before the first."""
        return int(self._words[W_LATEST]) if self._words[W_COUNT] else -1

    def at(self, position: int) -> bytes:
        """Return the bytes of the record at a `position` that once held the newest one; b"" if it is overwritten."""
        return (self._copy(position) or b"") if position >= 0 else b""

    def of_tick(self, tick: int) -> bytes:
        """Return the bytes of the newest record of a tick; b"" where it is overwritten, or a thousand ticks old."""
        raw = self.at(self._turns[W_TICK + tick % MOST_TICKS]) if self.count else b""
        return raw if raw and RecordHeader.unpack(raw[:HEADER_BYTES]).tick == tick else b""

    def following(self, cursor: int, most: int | None = None) -> tuple[list[bytes], int, int]:
        """Return (records after `cursor` that are still there, new cursor, how many bytes were lost to overwriting).

        Args:
            cursor: A position in bytes since the start of the run; begin with 0.
            most: Bytes after which no more records are taken; None = all there are.
        """
        records: list[bytes] = []
        lost = taken = 0
        head = int(self._words[W_HEAD])
        while cursor < head and (most is None or taken < most):
            raw = self._copy(cursor)
            if raw is None:  # overtaken: only the newest record is a certain boundary
                if records:
                    break
                newest = int(self._words[W_LATEST])
                lost, cursor = lost + newest - cursor, newest
                head = int(self._words[W_HEAD])
            elif raw:
                records.append(raw)
                cursor += len(raw)
                taken += len(raw)
            else:
                cursor += self._size - cursor % self._size
        return records, cursor, lost

    def _copy(self, position: int) -> bytes | None:
        """Return the record at `position`, b"" for the mark at the end of a lap, None where it was overwritten."""
        place = position % self._size
        size = int(self._floats[place // 8 : place // 8 + 1].view(np.uint64)[0])
        raw = self._view[self._start + place : self._start + place + min(size, self._size)].tobytes()
        return raw if int(self._words[W_TAIL]) <= position else None

    # command rows

    @property
    def command_capacity(self) -> int:
        """Number of floats that an area of command rows holds."""
        return self._commands.capacity

    def writing(self, generation: int) -> AbstractContextManager[Floats]:
        """Give the command rows of `generation` to write; other threads wait, the reader sees all or nothing."""
        return self._commands.writing(generation)

    def addresses(self, generation: int) -> RingAddresses:
        """Return where everything lies in this process, as long as the ring lives."""
        words, rows = self._words.ctypes.data, self._commands.address(generation)
        return RingAddresses.of(words, self._bytes.ctypes.data, self._size, rows, generation & 1)

    def latch(self, generation: int, out: Floats, patience: float = 0.1) -> bool:
        """Copy the command rows of `generation` into `out`; see `CommandAreas.latch`."""
        return self._commands.latch(generation, out, patience)
