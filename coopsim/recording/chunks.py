"""The bytes of a recording as they lie in the file: MCAP records, and the messages inside a compressed chunk.

Source: the MCAP specification (opcode, length as uint64, content).
"""

import io
import os
import stat
import struct
import weakref
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

import lz4.frame
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel

from coopsim.errors import DamagedRecording, NotARecording
from coopsim.recording.block import RecordBlock
from coopsim.recording.channels import CHANNELS, EDITS, IMAGE_MARK, IMAGES, KEYFRAMES, TICKS
from coopsim.recording.limits import MOST_CHUNK_BYTES, MOST_MESSAGES, MOST_RECORD_BYTES
from coopsim.recording.messages import EditsMessage, KeyFrameMessage, applied_edits, edits_of, keyframe_of, ticks_of

PREFIX = struct.Struct("<BQ")
"""Opcode and length of the content of every record."""
_CHUNK = struct.Struct("<QQQII")
_MESSAGE = struct.Struct("<HIQQ")
_LENGTH = struct.Struct("<Q")
_NUMBERS = {channel.topic: channel.number for channel in CHANNELS}
Learn: TypeAlias = Callable[[bytes], None]


class ChannelMessage(NamedTuple):
    """A message of a channel.

    Attributes:
        log_time: Position on the time line of the recording [ns].
        publish_time: Date, since 1970 in UTC [ns]; of a recording without dates the position.
    """

    channel: int
    log_time: int
    data: bytes
    publish_time: int = 0


class ByteSource:
    """A file that is open for reading at any place.

    Attributes:
        channels: Our numbers of its channels, by the number in the file; None = they are the same.

    Raises:
        NotARecording: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.channels: dict[int, int] | None = None
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
        if not 0 <= offset <= self.size or length <= 0:
            return b""
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
        if length > MOST_RECORD_BYTES or offset + PREFIX.size + length > self.size:
            raise DamagedRecording(f"{self.path}: the record at byte {offset} is cut off or damaged")
        return opcode, self.read(offset + PREFIX.size, length)

    def messages(self, offset: int) -> list[ChannelMessage]:
        """Return the messages of the chunk that begins at `offset`; of a message outside of chunks, itself.

        Raises:
            DamagedRecording: There is no whole chunk.
        """
        opcode, content = self.record(offset)
        try:
            if opcode == Opcode.MESSAGE:
                return self._ours([message_of(content)])
            if opcode != Opcode.CHUNK:
                raise DamagedRecording("it is no chunk")
            return self._ours(messages_of(content, None if self.channels is None else self.learn))
        except DamagedRecording as problem:
            raise DamagedRecording(f"{self.path}: the chunk at byte {offset} is damaged: {problem}") from None

    def learn(self, raw: bytes) -> None:
        """Add the record of a channel from a file that another program wrote."""
        with suppress(McapError, struct.error, ValueError):
            channel = Channel.read(ReadDataStream(io.BytesIO(raw)))
            if self.channels is not None and channel.topic in _NUMBERS:
                self.channels[channel.id] = _NUMBERS[channel.topic]
            elif self.channels is not None and channel.metadata == IMAGE_MARK:
                self.channels[channel.id] = IMAGES

    def _ours(self, messages: list[ChannelMessage]) -> list[ChannelMessage]:
        """Return messages with our numbers of their channels."""
        numbers = self.channels
        return (
            messages
            if numbers is None
            else [message._replace(channel=numbers.get(message.channel, 0)) for message in messages]
        )

    def close(self) -> None:
        """Close the file; it is not used any more."""
        self._finalizer()


def claim_of(head: bytes, length: int) -> int | None:
    """Return how many bytes a chunk says that it holds unpacked; None if it is none of ours.

    Args:
        head: Its first bytes.
        length: Of all of it.
    """
    try:
        _, _, size, _, name_length = _CHUNK.unpack_from(head)
        (packed,) = _LENGTH.unpack_from(head, _CHUNK.size + name_length)
    except struct.error:
        return None
    is_whole = _CHUNK.size + name_length + _LENGTH.size + packed == length
    return size if is_whole and size <= MOST_CHUNK_BYTES else None


def messages_of(content: bytes, learn: Learn | None = None) -> list[ChannelMessage]:
    """Return the messages of a chunk.

    Args:
        content: Of its record.
        learn: Called with each record of a channel in it.

    Raises:
        DamagedRecording: Its check sum is wrong, it is none of ours, or it claims to be larger than any of ours.
    """
    try:
        _, _, size, crc, name_length = _CHUNK.unpack_from(content)
        start = _CHUNK.size + name_length
        (length,) = _LENGTH.unpack_from(content, start)
        name, packed = content[_CHUNK.size : start], memoryview(content)[start + _LENGTH.size :]
    except struct.error as problem:
        raise DamagedRecording(str(problem)) from None
    if length != len(packed):
        raise DamagedRecording(f"it holds {len(packed)} bytes where it says {length}")
    if size > MOST_CHUNK_BYTES:
        raise DamagedRecording(f"it says that it holds {size} bytes; expected at most {MOST_CHUNK_BYTES}")
    raw = _unpacked(bytes(name), packed, size)
    if len(raw) != size or (crc and zlib.crc32(raw) != crc):  # 0 = not computed
        raise DamagedRecording("its check sum is wrong")
    return _split(raw, learn)


def _unpacked(compression: bytes, packed: memoryview, size: int) -> bytes:
    """Return what was compressed, at most one byte more than `size`."""
    try:
        match compression:
            case b"zstd":
                return _zstd(packed, size)
            case b"lz4":
                raw: bytes = lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=size + 1)
                return raw
            case b"":
                return bytes(packed)
    except (zstandard.ZstdError, RuntimeError, EOFError, ValueError) as problem:
        raise DamagedRecording(str(problem)) from None
    raise DamagedRecording(f"it is compressed by {compression[:20]!r}; expected zstd, lz4 or nothing")


def _zstd(packed: memoryview, size: int) -> bytes:
    stated = zstandard.frame_content_size(packed)
    if stated not in (size, -1):  # -1 = it does not say
        raise DamagedRecording("its size is not the one that it should have")
    raw: bytes = zstandard.decompress(packed, size)
    return raw


def _split(raw: bytes, learn: Learn | None) -> list[ChannelMessage]:
    messages: list[ChannelMessage] = []
    offset, records = 0, 0
    while offset + PREFIX.size <= len(raw):
        opcode, length = PREFIX.unpack_from(raw, offset)
        begin, offset = offset + PREFIX.size, offset + PREFIX.size + length
        if offset > len(raw):
            raise DamagedRecording("a message is longer than its chunk")
        records += 1
        if records > MOST_MESSAGES:
            raise DamagedRecording(f"it holds more than {MOST_MESSAGES} messages")
        if opcode == Opcode.CHANNEL and learn is not None:
            learn(raw[begin:offset])
        if opcode == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, _, log_time, publish_time = _MESSAGE.unpack_from(raw, begin)
            messages.append(ChannelMessage(channel, log_time, raw[begin + _MESSAGE.size : offset], publish_time))
    return messages


def message_of(content: bytes) -> ChannelMessage:
    """Return the message that stands in a record of its own.

    Raises:
        DamagedRecording: It is cut off.
    """
    if len(content) < _MESSAGE.size:
        raise DamagedRecording("a message is cut off")
    channel, _, log_time, publish_time = _MESSAGE.unpack_from(content)
    return ChannelMessage(channel, log_time, content[_MESSAGE.size :], publish_time)


def block_of(messages: list[ChannelMessage], where: str = "") -> RecordBlock:
    """Return the records that the messages of a chunk hold.

    Args:
        messages: One of `/coopsim/ticks` and its companions.
        where: What errors begin with.

    Raises:
        DamagedRecording: There are none, or something in them is not what it should be.
    """
    try:
        (raw,) = (message.data for message in messages if message.channel == TICKS)
        ticks = ticks_of(raw)
        edits = [edits_of(message.data) for message in messages if message.channel == EDITS]
        keyframes = [keyframe_of(message.data) for message in messages if message.channel == KEYFRAMES]
        _check_rows([*edits, *keyframes], ticks["records"])
        states = {keyframe["row"]: keyframe["state"] for keyframe in keyframes}
        return RecordBlock(ticks, {edit["row"]: applied_edits(edit) for edit in edits}, states, where)
    except ValueError as problem:
        text = f"a chunk does not hold what it should: {problem}"
        raise DamagedRecording(f"{where}{': ' * bool(where)}{text}") from None


def _check_rows(companions: list[EditsMessage | KeyFrameMessage], records: int) -> None:
    """Check that edits and key frames belong to records that there are."""
    for companion in companions:
        if companion["row"] >= records:
            raise ValueError(f"row: expected one of {records} records, found {companion['row']}")
