"""Shared memory between the source of records and everybody who reads them.

The file holds a page of control words, two areas of command rows, and a ring of records. One process writes records,
one process (the host) writes command rows; readers never block the writers. Each generation of the layout uses the
command area of its parity, so that rows of an old layout can never be read as rows of a new one.

Correct order of the words relies on stores becoming visible in program order, as on x86.
"""

import contextlib
import mmap
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from coopsim.errors import InternalError
from coopsim.geometry import Floats
from coopsim.state import HEADER_BYTES, RecordHeader

_MAGIC = 0x636F6F7073696D31
_PAGE = 4096
# control words
_W_MAGIC, _W_RING_BYTES, _W_COMMAND_FLOATS, _W_HEAD, _W_TAIL, _W_LATEST, _W_COUNT = range(7)
_W_VERSION = 8  # two seqlocks, one per command area
_W_READER, _W_CURSOR = 12, 13  # a recorder announces itself and its read position here
_NAME = re.compile(r"coopsim-(\d+)-[0-9a-f]{8}\.ring$")
_LATCH_TRIES = 200


def _folder() -> Path:
    shared = Path("/dev/shm")  # noqa: S108 - the place for shared memory on Linux
    return shared if shared.is_dir() and os.access(shared, os.W_OK) else Path(tempfile.gettempdir())


def remove_abandoned_rings() -> list[str]:
    """Remove the rings of launchers that no longer live; return their names."""
    removed = []
    for path in _folder().glob("coopsim-*.ring"):
        match = _NAME.search(path.name)
        if match and not Path(f"/proc/{match[1]}").exists() and Path("/proc/self").exists():
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path.name)
    return removed


class Ring:
    """The shared memory of one run.

    Use `create` in the launcher and `attach` in its children.
    """

    def __init__(self, path: Path, memory: mmap.mmap) -> None:
        self.path = path
        self._memory = memory
        self._words = np.frombuffer(memory, np.uint64, _PAGE // 8)
        self._lock = threading.Lock()
        if int(self._words[_W_MAGIC]) != _MAGIC:
            raise InternalError(f"{path.name} is no shared memory of this version of coopsim")
        floats = int(self._words[_W_COMMAND_FLOATS])
        self._areas = np.frombuffer(memory, np.float64, 2 * floats, _PAGE).reshape(2, floats)
        self._size = int(self._words[_W_RING_BYTES])
        self._start = _PAGE + 16 * floats
        self._floats = np.frombuffer(memory, np.float64, self._size // 8, self._start)
        self._bytes = np.frombuffer(memory, np.uint8, self._size, self._start)
        self._view = memoryview(memory)

    @classmethod
    def create(cls, *, ring_bytes: int = 32 << 20, command_floats: int = 400_000, owner: int = 0) -> "Ring":
        """Make new shared memory, named after the process `owner` (0 = this one).

        Raises:
            InternalError: The machine has too little shared memory.
        """
        ring_bytes = max(1 << 20, (ring_bytes + 7) // 8 * 8)
        folder = _folder()
        total = _PAGE + 16 * command_floats + ring_bytes
        space = os.statvfs(folder)
        if space.f_bavail * space.f_frsize < total:
            raise InternalError(f"{folder} has too little room for {total >> 20} MiB of shared memory")
        path = folder / f"coopsim-{owner or os.getpid()}-{secrets.token_hex(4)}.ring"
        with path.open("x+b") as file:
            path.chmod(0o600)
            file.truncate(total)
            memory = mmap.mmap(file.fileno(), total)
        words = np.frombuffer(memory, np.uint64, _PAGE // 8)
        words[_W_RING_BYTES], words[_W_COMMAND_FLOATS], words[_W_MAGIC] = ring_bytes, command_floats, _MAGIC
        return cls(path, memory)

    @classmethod
    def attach(cls, path: str | Path) -> "Ring":
        """Open the shared memory that another process made."""
        with Path(path).open("r+b") as file:
            return cls(Path(path), mmap.mmap(file.fileno(), 0))

    def unlink(self) -> None:
        """Remove the name; whoever has it open keeps it."""
        self.path.unlink(missing_ok=True)

    # records

    @property
    def count(self) -> int:
        """How many records were written."""
        return int(self._words[_W_COUNT])

    def append(self, header: RecordHeader, arrays: Sequence[Floats], edits: bytes = b"") -> None:
        """Write one record: `arrays` are poses, twists, readings and commands, flat or not, in this order.

        Raises:
            InternalError: The record is larger than the ring.
        """
        words, size = self._words, header.size
        if size > self._size:
            raise InternalError(f"a record of {size} bytes does not fit a ring of {self._size}")
        head = int(words[_W_HEAD])
        place = head % self._size
        if place + size > self._size:  # records never wrap: a size of 0 sends readers to the start
            self._floats[place // 8] = 0.0
            head += self._size - place
            place = 0
        words[_W_TAIL] = max(0, head + size - self._size)
        self._view[self._start + place : self._start + place + HEADER_BYTES] = header.pack()
        at = (place + HEADER_BYTES) // 8
        for array in arrays:
            self._floats[at : at + array.size] = array.ravel()
            at += array.size
        if edits:
            self._bytes[8 * at : 8 * at + len(edits)] = np.frombuffer(edits, np.uint8)
        words[_W_LATEST] = head
        words[_W_HEAD] = head + size
        words[_W_COUNT] += 1

    def latest(self) -> bytes:
        """Return the bytes of the newest record; b"" before the first."""
        words = self._words
        while words[_W_COUNT]:
            position = int(words[_W_LATEST])
            place = self._start + position % self._size
            size = int(self._floats[(place - self._start) // 8 : (place - self._start) // 8 + 1].view(np.uint64)[0])
            raw = self._view[place : place + size].tobytes()
            if int(words[_W_TAIL]) <= position:
                return raw
        return b""

    def following(self, cursor: int) -> tuple[list[bytes], int, int]:
        """Return (records after `cursor` that are still there, new cursor, how many bytes were lost to overwriting).

        A cursor is a position in bytes since the start of the run; begin with 0.
        """
        records = []
        tail, head = int(self._words[_W_TAIL]), int(self._words[_W_HEAD])
        lost = 0
        if cursor < tail:  # overtaken: only the newest record is a certain boundary
            newest = int(self._words[_W_LATEST])
            lost, cursor = newest - cursor, newest
        while cursor < head:
            place = cursor % self._size
            size = int(self._floats[place // 8 : place // 8 + 1].view(np.uint64)[0])
            if size == 0:
                cursor += self._size - place
                continue
            raw = self._view[self._start + place : self._start + place + size].tobytes()
            if int(self._words[_W_TAIL]) > cursor:
                break
            records.append(raw)
            cursor += size
        return records, cursor, lost

    # command rows

    @property
    def command_capacity(self) -> int:
        """How many floats an area of command rows holds."""
        return int(self._areas.shape[1])

    @contextlib.contextmanager
    def writing(self, generation: int) -> Iterator[Floats]:
        """Give the command rows of `generation` to write; other threads wait, the reader sees all or nothing."""
        area = generation & 1
        with self._lock:
            self._words[_W_VERSION + area] += 1
            try:
                yield self._areas[area]
            finally:
                self._words[_W_VERSION + area] += 1

    def latch(self, generation: int, out: Floats) -> bool:
        """Copy the command rows of `generation` into `out`; False, `out` untouched, when a writer is in the midst."""
        area = generation & 1
        words = self._words
        rows = self._areas[area, : out.size]
        for _ in range(_LATCH_TRIES):
            before = words[_W_VERSION + area]
            if before & np.uint64(1):
                continue
            copy = rows.copy()
            if words[_W_VERSION + area] == before:
                out[:] = copy
                return True
        return False
