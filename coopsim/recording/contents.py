"""Finds what a file holds: by the index of a complete one, by reading through one that was cut off."""

import io
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import AttachmentIndex, Footer, Header, Metadata, MetadataIndex, SummaryOffset
from mcap.writer import MCAP0_MAGIC

from coopsim.errors import DamagedRecording, NotARecording
from coopsim.recording.channels import FORMAT, INDEX, PROFILE
from coopsim.recording.chunks import LARGEST, PREFIX, Source, messages_of
from coopsim.recording.container import LIBRARY
from coopsim.recording.index import Index

_FOOTER = PREFIX.size + 20
_ATTACHMENT = struct.Struct("<QQ")
_ZSTD = b"\x04\x00\x00\x00zstd"
_ZSTD_PLACE = PREFIX.size + 28  # where the name of the compression stands in a chunk
_WINDOW = 1 << 20


@dataclass
class Contents:
    """What a file holds.

    Attributes:
        attachments: Where the records of the attachments begin, by name.
        complete: Whether it was closed properly.
        damaged: How many chunks cannot be read; known only of a file that was read through.
        end: Where the last readable record ends; the size of a complete file.
    """

    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: dict[str, int] = field(default_factory=dict)
    index: Index = field(default_factory=Index)
    complete: bool = False
    damaged: int = 0
    end: int = 0


def find(source: Source) -> Contents:
    """Return what a file holds.

    Raises:
        NotARecording: It is no recording, or one that another program has written anew.
        DamagedRecording: It ends before its first record.
    """
    check_beginning(source)
    try:
        found = _by_index(source)
    except (DamagedRecording, *_UNREADABLE):
        found = read_through(source)
    if found.metadata and found.metadata.get("format") != FORMAT:
        text = (
            f"{source.path}: a recording of format {found.metadata.get('format')}; this coopsim reads format {FORMAT}"
        )
        raise NotARecording(text)
    return found


def check_beginning(source: Source) -> None:
    """See to it that a file begins as our recordings do.

    Raises:
        NotARecording: It does not.
        DamagedRecording: It is too short to tell.
    """
    magic = source.read(0, len(MCAP0_MAGIC))
    if not magic or not MCAP0_MAGIC.startswith(magic):
        raise NotARecording(f"{source.path}: this is no recording; those begin with the bytes of MCAP")
    opcode, raw = source.record(len(MCAP0_MAGIC))
    try:
        header = Header.read(_stream(raw))
    except _UNREADABLE:
        opcode = 0
    if opcode != Opcode.HEADER:
        raise DamagedRecording(f"{source.path}: the beginning of the file is damaged")
    if (header.profile, header.library) != (PROFILE, LIBRARY):
        wrote = f"profile {header.profile!r}, written by {header.library!r}"
        raise NotARecording(f"{source.path}: an MCAP file that coopsim did not write ({wrote})")


def attachment(source: Source, offset: int) -> bytes:
    """Return the data of the attachment whose record begins at `offset`.

    Raises:
        DamagedRecording: It is not what was written.
    """
    opcode, raw = source.record(offset)
    try:
        begin = _after_names(raw)
        size, crc = int.from_bytes(raw[begin : begin + 8], "little"), int.from_bytes(raw[-4:], "little")
    except struct.error:
        opcode = 0
    if opcode != Opcode.ATTACHMENT or begin + size + 12 != len(raw) or zlib.crc32(raw[:-4]) != crc:
        raise DamagedRecording(f"{source.path}: the attachment at byte {offset} is damaged")
    return raw[begin + 8 : -4]


# a complete file

_UNREADABLE = (McapError, struct.error, ValueError)


def _by_index(source: Source) -> Contents:
    tail = source.read(source.size - _FOOTER - len(MCAP0_MAGIC), _FOOTER + len(MCAP0_MAGIC))
    if not tail.endswith(MCAP0_MAGIC) or PREFIX.unpack_from(tail) != (Opcode.FOOTER, 20):
        raise DamagedRecording(f"{source.path}: the file was not closed")
    footer = Footer.read(_stream(tail[PREFIX.size :]))
    summary = source.read(footer.summary_start, source.size - len(tail) - footer.summary_start)
    if zlib.crc32(summary + tail[: PREFIX.size + 16]) != footer.summary_crc:
        raise DamagedRecording(f"{source.path}: the summary is damaged")
    found = Contents(complete=True, end=source.size)
    for opcode, raw in _summary(summary, footer):
        if opcode == Opcode.ATTACHMENT_INDEX:
            entry = AttachmentIndex.read(_stream(raw))
            found.attachments[entry.name] = entry.offset
        elif opcode == Opcode.METADATA_INDEX:
            found.metadata = _metadata(*source.record(MetadataIndex.read(_stream(raw)).offset))
    if INDEX not in found.attachments:
        raise DamagedRecording(f"{source.path}: the index is missing")
    found.index = Index.unpack(attachment(source, found.attachments.pop(INDEX)))
    return found


def _summary(summary: bytes, footer: Footer) -> Iterator[tuple[int, bytes]]:
    """Yield opcode and content of what the summary says of attachments and metadata, and pass over the rest."""
    for opcode, raw in _records(summary[footer.summary_offset_start - footer.summary_start :]):
        if opcode == Opcode.SUMMARY_OFFSET:
            group = SummaryOffset.read(_stream(raw))
            if group.group_opcode in (Opcode.ATTACHMENT_INDEX, Opcode.METADATA_INDEX):
                begin = group.group_start - footer.summary_start
                yield from _records(summary[begin : begin + group.group_length])


def _records(raw: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + PREFIX.size <= len(raw):
        opcode, length = PREFIX.unpack_from(raw, offset)
        offset += PREFIX.size + length
        yield opcode, raw[offset - length : offset]


def _metadata(opcode: int, raw: bytes) -> dict[str, Any]:
    try:
        if opcode == Opcode.METADATA:
            return {name: json.loads(text) for name, text in Metadata.read(_stream(raw)).metadata.items()}
    except _UNREADABLE:
        return {}  # they are for people; the records can be read without
    return {}


def _stream(raw: bytes) -> ReadDataStream:
    return ReadDataStream(io.BytesIO(raw))


# a file without an index


def read_through(source: Source) -> Contents:
    """Return what can be read of a file, without using its index."""
    found = Contents(end=len(MCAP0_MAGIC))
    offset = len(MCAP0_MAGIC)
    while offset + PREFIX.size <= source.size:
        opcode, length = PREFIX.unpack(source.read(offset, PREFIX.size))
        end = offset + PREFIX.size + length
        if opcode == Opcode.DATA_END:
            found.end = source.size
            break
        if opcode not in _BEFORE_THE_END or length > LARGEST or end > source.size:
            following = _next_chunk(source, offset + 1)
            if following is None:
                break
            found.damaged += 1
            end = following
        elif _take(found, source, opcode, offset):
            found.end = end
        offset = end
    found.attachments.pop(INDEX, None)
    return found


_BEFORE_THE_END = {
    Opcode.HEADER,
    Opcode.SCHEMA,
    Opcode.CHANNEL,
    Opcode.CHUNK,
    Opcode.MESSAGE_INDEX,
    Opcode.ATTACHMENT,
    Opcode.METADATA,
}


def _take(found: Contents, source: Source, opcode: int, offset: int) -> bool:
    """Note what the record at `offset` holds; False when it is damaged."""
    try:
        if opcode == Opcode.CHUNK:
            found.index.add(offset, source.messages(offset))
        elif opcode == Opcode.METADATA:
            found.metadata = _metadata(*source.record(offset))
        elif opcode == Opcode.ATTACHMENT:
            attachment(source, offset)
            found.attachments[_name(source.record(offset)[1])] = offset
    except DamagedRecording:
        found.damaged += 1
        return False
    return True


def _name(raw: bytes) -> str:
    begin = _ATTACHMENT.size + 4
    length = int.from_bytes(raw[_ATTACHMENT.size : begin], "little")
    return raw[begin : begin + length].decode(errors="replace")


def _after_names(raw: bytes) -> int:
    """Return where the data of an attachment begin: after two times, its name and its media type."""
    begin = _ATTACHMENT.size
    for _ in range(2):
        (length,) = struct.unpack_from("<I", raw, begin)
        begin += 4 + length
    return begin


def _next_chunk(source: Source, offset: int) -> int | None:
    """Return where the next whole chunk begins, found by the name of its compression."""
    while offset < source.size:
        window = source.read(offset, _WINDOW + len(_ZSTD))
        hit = window.find(_ZSTD)
        while hit >= 0:
            begin = offset + hit - _ZSTD_PLACE
            if _is_chunk(source, begin):
                return begin
            hit = window.find(_ZSTD, hit + 1)
        offset += _WINDOW
    return None


def _is_chunk(source: Source, offset: int) -> bool:
    try:
        opcode, raw = source.record(max(0, offset))
        if opcode == Opcode.CHUNK:
            messages_of(raw)
            return True
    except DamagedRecording:
        return False
    return False
