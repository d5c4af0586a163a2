"""Finds what a file holds: by the index of a complete one, by reading through one that was cut off."""

import io
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import AttachmentIndex, Footer, Header, Metadata, MetadataIndex, SummaryOffset
from mcap.writer import MCAP0_MAGIC

from coopsim.errors import DamagedRecording, NotARecording
from coopsim.recording.channels import FORMAT, INDEX, PROFILE
from coopsim.recording.chunks import PREFIX, ByteSource, ChannelMessage
from coopsim.recording.container import LIBRARY
from coopsim.recording.gathering import Gatherer
from coopsim.recording.images import IMAGE_INDEX, ImageIndex
from coopsim.recording.index import Index
from coopsim.recording.limits import MOST_CHUNK_BYTES
from coopsim.recording.scan import Scan
from coopsim.state.plain import Count, check

_FOOTER = PREFIX.size + 20  # opcode and length, then three numbers, by MCAP
_ATTACHMENT = struct.Struct("<QQ")


class _Plugin(TypedDict):
    file: str
    sha256: str
    devices: NotRequired[list[str]]
    engines: NotRequired[list[str]]


class _Began(TypedDict):
    utc_ns: Count
    monotonic_ns: Count


class MetadataForm(TypedDict):
    """Known facts about a run; other keys hold any JSON."""

    format: NotRequired[int]
    began: NotRequired[_Began | None]
    scenario: NotRequired[str | None]
    seed: NotRequired[int | None]
    engine: NotRequired[str | None]
    step: NotRequired[float | None]
    mode: NotRequired[str | None]
    flags: NotRequired[dict[str, Any] | list[Any]]
    versions: NotRequired[dict[str, str]]
    plugins: NotRequired[list[_Plugin]]
    parent: NotRequired[dict[str, Any] | None]


@dataclass
class Contents:
    """Contents of a file.

    Attributes:
        attachments: Where the records of the attachments begin, by name.
        complete: Whether it was closed properly.
        damaged: How many chunks cannot be read; known only of a file that was read through.
        end: Where the last readable record ends; the size of a complete file.
        rewritten: The program that rewrote it, "" = none.
        note: Why its own index was not used.
    """

    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: dict[str, int] = field(default_factory=dict)
    index: Index = field(default_factory=Index)
    images: ImageIndex = field(default_factory=ImageIndex)
    complete: bool = False
    damaged: int = 0
    end: int = 0
    rewritten: str = ""
    note: str = ""


def find(source: ByteSource) -> Contents:
    """Return what a file holds.

    Raises:
        NotARecording: It is no recording, or one of another version.
        DamagedRecording: It ends before its first record, or its metadata are not what they should be.
    """
    header = check_beginning(source)
    if header.library != LIBRARY:
        return _checked(source, rewritten(source, header.library))
    try:
        contents = _by_index(source)
    except (DamagedRecording, *_UNREADABLE) as problem:
        contents = read_through(source)
        contents.note = str(problem)
    return _checked(source, contents)


def _checked(source: ByteSource, contents: Contents) -> Contents:
    if contents.metadata and contents.metadata.get("format") != FORMAT:
        recorded = contents.metadata.get("format")
        raise NotARecording(f"{source.path}: a recording of format {recorded}; this coopsim reads format {FORMAT}")
    try:
        check(contents.metadata, MetadataForm, "metadata")
    except ValueError as problem:
        raise DamagedRecording(f"{source.path}: {problem}") from None
    return contents


def check_beginning(source: ByteSource) -> Header:
    """Return the header of a file that begins as our recordings do.

    Raises:
        NotARecording: It does not.
        DamagedRecording: It is too short to tell.
    """
    magic = source.read(0, len(MCAP0_MAGIC))
    if not magic or not MCAP0_MAGIC.startswith(magic):
        raise NotARecording(f"{source.path}: this is no recording; those begin with the bytes of MCAP")
    opcode, raw = source.record(len(MCAP0_MAGIC))
    try:
        header: Header = Header.read(_stream(raw))
    except _UNREADABLE:
        opcode = 0
    if opcode != Opcode.HEADER:
        raise DamagedRecording(f"{source.path}: the beginning of the file is damaged")
    if header.profile != PROFILE:
        wrote = f"its profile is {header.profile[:40]!r}, not {PROFILE!r}; written by {header.library[:80]!r}"
        raise NotARecording(f"{source.path}: an MCAP file, but no recording of coopsim ({wrote})")
    return header


def attachment(source: ByteSource, offset: int) -> bytes:
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


def _ending(source: ByteSource) -> tuple[bytes, Footer]:
    """Return the summary of a file that was closed, and what its end says."""
    tail = source.read(source.size - _FOOTER - len(MCAP0_MAGIC), _FOOTER + len(MCAP0_MAGIC))
    if not tail.endswith(MCAP0_MAGIC) or PREFIX.unpack_from(tail) != (Opcode.FOOTER, 20):
        raise DamagedRecording(f"{source.path}: the file was not closed")
    footer = Footer.read(_stream(tail[PREFIX.size :]))
    length = source.size - len(tail) - footer.summary_start
    if not 0 <= length <= MOST_CHUNK_BYTES:
        raise DamagedRecording(f"{source.path}: the summary cannot have {length} bytes")
    summary = source.read(footer.summary_start, length)
    if footer.summary_crc and zlib.crc32(summary + tail[: PREFIX.size + 16]) != footer.summary_crc:
        raise DamagedRecording(f"{source.path}: the summary is damaged")
    return summary, footer


def _by_index(source: ByteSource) -> Contents:
    summary, footer = _ending(source)
    contents = Contents(complete=True, end=source.size)
    for opcode, raw in _summary(summary, footer):
        if opcode == Opcode.ATTACHMENT_INDEX:
            entry = AttachmentIndex.read(_stream(raw))
            contents.attachments[entry.name] = entry.offset
        elif opcode == Opcode.METADATA_INDEX:
            contents.metadata = _metadata(*source.record(MetadataIndex.read(_stream(raw)).offset)) or contents.metadata
    if INDEX not in contents.attachments:
        raise DamagedRecording(f"{source.path}: the index is missing")
    contents.index = Index.unpack(attachment(source, contents.attachments.pop(INDEX)))
    if IMAGE_INDEX in contents.attachments:
        contents.images = ImageIndex.unpack(attachment(source, contents.attachments.pop(IMAGE_INDEX)))
    return contents


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
    """Return the metadata in a record, nothing if it holds others."""
    try:
        record = Metadata.read(_stream(raw)) if opcode == Opcode.METADATA else None
    except _UNREADABLE:
        return {}  # they are for people; the records can be read without
    if record is None or record.name != PROFILE:
        return {}
    values: dict[str, Any] = {}
    for name, text in record.metadata.items():
        with suppress(ValueError, RecursionError):
            values[name] = json.loads(text)
    return values


def _stream(raw: bytes) -> ReadDataStream:
    return ReadDataStream(io.BytesIO(raw))


# a file without an index


Take = Callable[[int, Sequence[ChannelMessage]], None]


def read_through(source: ByteSource, take: Take | None = None) -> Contents:
    """Return what can be read of a file, without using its index.

    Args:
        source: The file.
        take: Notes the messages of a chunk; None = the index does.
    """
    contents = Contents(end=len(MCAP0_MAGIC))
    scan = Scan(source)
    note = take or contents.index.add

    def both(offset: int, messages: Sequence[ChannelMessage]) -> None:
        note(offset, messages)
        contents.images.add(offset, messages)

    for opcode, offset, end in scan:
        if _note_record(contents, source, opcode, offset, both):
            contents.end = end
    contents.end = source.size if scan.is_closed else max(contents.end, scan.passed)
    contents.damaged += scan.damaged
    for name in (INDEX, IMAGE_INDEX):
        contents.attachments.pop(name, None)
    return contents


def rewritten(source: ByteSource, library: str) -> Contents:
    """Return what is in a recording that another program has written anew: its index names other places.

    Args:
        source: The file.
        library: The program.
    """
    index = Index()
    gatherer = Gatherer(index)
    source.channels = {}
    contents = read_through(source, gatherer.add)
    gatherer.finish()
    index.places.sort(key=lambda place: (place.position_ns[0], place.revision[0]))
    contents.index, contents.rewritten = index, library or "another program"
    contents.complete, contents.damaged = contents.end == source.size, contents.damaged + gatherer.damaged
    if not (contents.metadata or index.places or index.layouts):
        raise NotARecording(f"{source.path}: an MCAP file that holds nothing of coopsim, written by {library[:80]!r}")
    return contents


def _note_record(contents: Contents, source: ByteSource, opcode: int, offset: int, take: Take) -> bool:
    """Note what the record at `offset` holds; False when it is damaged."""
    try:
        if opcode in (Opcode.CHUNK, Opcode.MESSAGE):
            take(offset, source.messages(offset))
        elif opcode == Opcode.CHANNEL and source.channels is not None:
            source.learn(source.record(offset)[1])
        elif opcode == Opcode.METADATA:
            contents.metadata = _metadata(*source.record(offset)) or contents.metadata
        elif opcode == Opcode.ATTACHMENT:
            attachment(source, offset)
            contents.attachments[_name(source.record(offset)[1])] = offset
    except DamagedRecording:
        contents.damaged += 1
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
