"""The bytes of a recording as they lie in the file: MCAP records, and the messages inside a compressed chunk.

Source: the MCAP specification (opcode, length as uint64, content).
"""

import os
import stat
import struct
import weakref
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
import zstandard
from mcap.opcode import Opcode

from coopsim.errors import DamagedRecording, NotARecording
from coopsim.recording.block import Block
from coopsim.recording.channels import EDITS, KEYFRAMES, TICKS

PREFIX = struct.Struct("<BQ")
"""Opcode and length of the content of every record."""
LARGEST = 1 << 30
"""No record and no chunk of ours is larger; a damaged length is, and must not fill the memory."""
_CHUNK = struct.Struct("<QQQII")
_MESSAGE = struct.Struct("<HIQQ")
_COMPRESSION = b"zstd"


class Message(NamedTuple):
    """One message of a channel.

    Attributes:
        log_time: Position on the time line of the recording [ns].
    """

    channel: int
    log_time: int
    data: bytes


class Source:
    """A file that is open for reading at any place.

    Raises:
        NotARecording: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as problem:
            raise NotARecording(f"{path}: {problem.strerror}") from None
        self._finalizer = weakref.finalize(self, os.close, self._handle)
        status = os.fstat(self._handle)
        self.size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise NotARecording(f"{path}: this is no file")

    def read(self, offset: int, length: int) -> bytes:
        """Return `length` bytes, fewer at the end of the file.

        Raises:
            DamagedRecording: The file system could not read them.
        """
        try:
            return os.pread(self._handle, length, offset)
        except OSError as problem:
            raise DamagedRecording(f"{self.path}: {problem.strerror}") from None

    def record(self, offset: int) -> tuple[int, bytes]:
        """Return opcode and content of the MCAP record that begins at `offset`.

        Raises:
            DamagedRecording: It is cut off, or no record begins here.
        """
        prefix = self.read(offset, PREFIX.size)
        if len(prefix) < PREFIX.size:
            raise DamagedRecording(f"{self.path}: the file ends at byte {self.size}, within a record")
        opcode, length = PREFIX.unpack(prefix)
        if length > LARGEST or offset + PREFIX.size + length > self.size:
            raise DamagedRecording(f"{self.path}: the record at byte {offset} is cut off or damaged")
        return opcode, self.read(offset + PREFIX.size, length)

    def messages(self, offset: int) -> list[Message]:
        """Return the messages of the chunk that begins at `offset`.

        Raises:
            DamagedRecording: There is no whole chunk.
        """
        opcode, content = self.record(offset)
        if opcode != Opcode.CHUNK:
            raise DamagedRecording(f"{self.path}: there should be a chunk at byte {offset}")
        try:
            return messages_of(content)
        except DamagedRecording as problem:
            raise DamagedRecording(f"{self.path}: the chunk at byte {offset} is damaged: {problem}") from None

    def block(self, offset: int) -> Block:
        """Return the records of the chunk that begins at `offset`.

        Raises:
            DamagedRecording: There is no whole chunk with records.
        """
        return block_of(self.messages(offset))

    def close(self) -> None:
        """Close the file; it is not used any more."""
        self._finalizer()


def messages_of(content: bytes) -> list[Message]:
    """Return the messages of a chunk.

    Raises:
        DamagedRecording: Its check sum is wrong, or it is none of ours.
    """
    try:
        _, _, size, crc, name_length = _CHUNK.unpack_from(content)
        start = _CHUNK.size + name_length
        if name_length > len(content) or content[_CHUNK.size : start] != _COMPRESSION:
            raise DamagedRecording("it is not compressed by zstd")
        packed = content[start + 8 :]
        if size > LARGEST or zstandard.frame_content_size(packed) != size:
            raise DamagedRecording("its size is not the one that it should have")
        raw = zstandard.decompress(packed, size)
    except (struct.error, zstandard.ZstdError) as problem:
        raise DamagedRecording(str(problem)) from None
    if zlib.crc32(raw) != crc:
        raise DamagedRecording("its check sum is wrong")
    return _split(raw)


def _split(raw: bytes) -> list[Message]:
    found, offset = [], 0
    while offset + PREFIX.size <= len(raw):
        opcode, length = PREFIX.unpack_from(raw, offset)
        begin, offset = offset + PREFIX.size, offset + PREFIX.size + length
        if offset > len(raw):
            raise DamagedRecording("a message is longer than its chunk")
        if opcode == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, _, log_time, _ = _MESSAGE.unpack_from(raw, begin)
            found.append(Message(channel, log_time, raw[begin + _MESSAGE.size : offset]))
    return found


def block_of(messages: list[Message]) -> Block:
    """Return the records that the messages of a chunk hold.

    Raises:
        DamagedRecording: There are none.
    """
    try:
        (ticks,) = (content(message) for message in messages if message.channel == TICKS)
        edits = [content(message) for message in messages if message.channel == EDITS]
        keyframes = [content(message) for message in messages if message.channel == KEYFRAMES]
        return Block(
            ticks, {each["row"]: each["edits"] for each in edits}, {each["row"]: each["state"] for each in keyframes}
        )
    except (ValueError, KeyError, TypeError) as problem:
        raise DamagedRecording(f"a chunk does not hold what it should: {problem!r}") from None


def content(message: Message) -> dict[str, Any]:
    """Return what a msgpack message says.

    Raises:
        ValueError: It is no msgpack.
    """
    said: dict[str, Any] = msgpack.unpackb(message.data)
    return said
