"""Goes through the records of an MCAP file one after the other, and over what is damaged to the next whole chunk."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mcap.opcode import Opcode
from mcap.writer import MCAP0_MAGIC

from coopsim.errors import DamagedRecording
from coopsim.recording.chunks import PREFIX, ByteSource, claim_of, messages_of
from coopsim.recording.limits import MOST_CHUNK_BYTES, MOST_RECORD_BYTES

_WINDOW = 1 << 16  # bytes; heads of many records in one read
_SEARCHED = 1 << 20  # bytes behind a damaged place in which a record must begin again
_LEAST: dict[int, int] = {
    Opcode.HEADER: 8,
    Opcode.SCHEMA: 14,
    Opcode.CHANNEL: 16,
    Opcode.MESSAGE: 22,
    Opcode.CHUNK: 40,
    Opcode.MESSAGE_INDEX: 6,
    Opcode.ATTACHMENT: 36,
    Opcode.METADATA: 8,
    Opcode.DATA_END: 4,
}
"""How many bytes the records before the end have at least."""
_OF_INTEREST = frozenset(map(int, (Opcode.CHUNK, Opcode.MESSAGE, Opcode.CHANNEL, Opcode.METADATA, Opcode.ATTACHMENT)))
_NEVER = 1 << 64  # longer than any length of 64 bits: an unknown opcode is damage
_CHUNK_HEAD = re.compile(rb"\x06.{4}\0{4}.{16}.{4}\0{4}.{4}(?:\x04\0{3}zstd|\x03\0{3}lz4|\0{4})", re.DOTALL)
_HEAD_BYTES = 64  # enough of a record to know its kind


class Found(NamedTuple):
    """A record of the file.

    Attributes:
        offset: Where it begins.
        end: Where the next one begins.
    """

    opcode: int
    offset: int
    end: int


class Scan:
    """Yields the records of a file that hold messages, metadata and attachments, up to the end of its data.

    What it costs is bounded by the length of the file: it looks at the inside of no more false chunks than fit into
    the file twice.

    Args:
        source: The file.

    Attributes:
        damaged: How often it had to look for the next chunk.
        is_closed: Whether the end of the data was reached.
        passed: Where the last of the other records ends.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._begin, self._window = 0, b""
        self._patience = MOST_CHUNK_BYTES + 2 * source.size
        self.damaged = 0
        self.is_closed = False
        self.passed = 0

    def __iter__(self) -> Iterator[Found]:
        offset: int | None = len(MCAP0_MAGIC)
        while offset is not None and offset + PREFIX.size <= self._source.size:
            at = offset - self._begin
            if not 0 <= at <= len(self._window) - PREFIX.size:
                self._begin, self._window, at = offset, self._source.read(offset, _WINDOW), 0
            opcode, length = PREFIX.unpack_from(self._window, at)
            end = offset + PREFIX.size + length
            if not _LEAST.get(opcode, _NEVER) <= length <= MOST_RECORD_BYTES or end > self._source.size:
                offset = self._next_chunk(offset + 1)
                self.damaged += offset is not None
                continue
            if opcode == Opcode.DATA_END:
                self.is_closed = True
                return
            if opcode in _OF_INTEREST:
                yield Found(opcode, offset, end)
            else:
                self.passed = end
            offset = end

    def _next_chunk(self, offset: int) -> int | None:
        """Return where the next whole chunk begins."""
        while offset < self._source.size and self._patience > 0:
            window = self._source.read(offset, _SEARCHED + _HEAD_BYTES)
            at = 0
            while (hit := _CHUNK_HEAD.search(window, at)) and self._patience > 0:
                if self._is_chunk(offset + hit.start(), window[hit.start() : hit.start() + _HEAD_BYTES]):
                    return offset + hit.start()
                at = hit.start() + 1
            offset += _SEARCHED
        return None

    def _is_chunk(self, offset: int, head: bytes) -> bool:
        _, length = PREFIX.unpack_from(head)
        claim = claim_of(head[PREFIX.size :], length)
        if claim is None or offset + PREFIX.size + length > self._source.size:
            return False
        try:
            messages_of(self._source.record(offset)[1])
        except DamagedRecording:
            self._patience -= length + claim
            return False
        return True
