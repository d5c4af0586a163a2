"""Gives a recording that was cut off or damaged its index back."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from coopsim.errors import CannotRecord, DamagedRecording
from coopsim.recording import contents
from coopsim.recording.channels import IMAGES
from coopsim.recording.chunks import ByteSource, ChannelMessage
from coopsim.recording.container import Container, create, is_being_written
from coopsim.recording.contents import Contents
from coopsim.recording.images import RecordedImage
from coopsim.recording.index import Index
from coopsim.recording.layouts import layout_message


@dataclass(frozen=True, slots=True)
class Recovery:
    """Result of a recovery: what it kept and what is lost.

    Attributes:
        records: How many records can be read.
        seconds: Simulated time from the first of them to the last.
        was_complete: Whether nothing had to be done.
        damaged_chunks: Chunks and attachments that could not be read.
        missing_records: Records known to be missing between those that can be read.
        lost_bytes: Bytes at the end of the file that belong to no whole chunk.
    """

    records: int
    seconds: float
    was_complete: bool
    damaged_chunks: int
    missing_records: int
    lost_bytes: int


def recover(
    source: str | Path, target: str | Path | None = None, *, opener: Callable[[Path], BinaryIO] = create
) -> Recovery:
    """Write whatever can be read of a recording as a complete one.

    Args:
        source: The recording.
        target: A new file; None = in the place of the old one, which stays as it is until the new one is finished.
        opener: Makes the new file; tests give one that fails.

    Raises:
        NotARecording: The source is no recording.
        DamagedRecording: It ends before its first record.
        CannotRecord: The new file cannot be written, or the old one is still being written.
    """
    path = Path(source)
    old = ByteSource(path)
    try:
        contents.check_beginning(old)
        if is_being_written(path):
            raise CannotRecord(f"{path}: it is still being recorded; stop the recorder first")
        readable = _readable(old)
        attachments = _attachments(old, readable)
        if target is not None:
            _copy(old, readable, attachments, Path(target), opener)
        elif not _is_whole(readable):
            _replace(old, readable, attachments, path, opener)
        return _report(old, readable)
    finally:
        old.close()


def examine(source: str | Path) -> Recovery:
    """Return what `recover` would find, and write nothing.

    Raises:
        NotARecording: It is no recording.
        DamagedRecording: It ends before its first record.
    """
    with closing(ByteSource(Path(source))) as old:
        contents.check_beginning(old)
        return _report(old, _readable(old))


def _readable(source: ByteSource) -> Contents:
    """Return what can be read; of a file that was closed, what its index names and its check sums confirm."""
    readable = contents.find(source)
    if not readable.complete or readable.rewritten:
        return readable
    index, readable.index = readable.index, type(readable.index)(tail_gap=readable.index.tail_gap)
    offsets = {*index.layouts.values(), *(place.offset for place in index.places), *dict(readable.images.chunks)}
    readable.images = type(readable.images)()
    for offset in sorted(offsets):
        try:
            messages = source.messages(offset)
            readable.index.add(offset, messages)
            readable.images.add(offset, messages)
        except DamagedRecording:
            readable.damaged += 1
    return readable


def _is_whole(readable: Contents) -> bool:
    return readable.complete and not readable.damaged and not readable.rewritten


def _replace(
    source: ByteSource,
    readable: Contents,
    attachments: dict[str, str | bytes],
    path: Path,
    opener: Callable[[Path], BinaryIO],
) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.recovering")
    try:
        _copy(source, readable, attachments, temporary, opener)
        os.replace(temporary, path)
    except OSError as problem:
        raise CannotRecord(f"{path}: {problem.strerror}") from None
    except CannotRecord as problem:
        raise CannotRecord(f"{path} stays as it is: what takes its place cannot be written ({problem})") from None
    finally:
        with suppress(OSError):  # it is gone when all went well
            temporary.unlink(missing_ok=True)


def _copy(
    source: ByteSource,
    readable: Contents,
    attachments: dict[str, str | bytes],
    target: Path,
    opener: Callable[[Path], BinaryIO],
) -> None:
    container = Container(target, readable.metadata, attachments, opener)
    container.index.tail_gap = readable.index.tail_gap
    for messages in _chunks(source, readable.index):
        container.append([message for message in messages if message.channel < IMAGES])
    for offset, numbers in readable.images.chunks:
        messages = source.messages(offset)
        container.append_images([_image(messages[number]) for number in numbers])
    container.finish()


def _chunks(source: ByteSource, index: Index) -> Iterator[list[ChannelMessage]]:
    """Yield the messages of each chunk; what another program has put elsewhere comes together again."""
    read = lru_cache(maxsize=2)(source.messages)
    if not any(place.parts for place in index.places):
        yield from map(read, sorted({*index.layouts.values(), *(place.offset for place in index.places)}))
        return
    for generation, offset in sorted(index.layouts.items()):
        yield [layout_message(read(offset), generation)]
    for place in index.places:
        yield [read(offset)[number] for offset, number in place.parts]


def _image(message: ChannelMessage) -> tuple[RecordedImage, int, int]:
    return RecordedImage.unpack(message.data), message.log_time, message.publish_time


def _attachments(source: ByteSource, held: Contents) -> dict[str, str | bytes]:
    """Return the readable attachments by name: text, or bytes where another program attached something else."""
    readable: dict[str, str | bytes] = {}
    for name, offset in held.attachments.items():
        try:
            content = contents.attachment(source, offset)
        except DamagedRecording:
            held.damaged += 1
            continue
        try:
            readable[name] = content.decode()
        except UnicodeDecodeError:
            readable[name] = content
    return readable


def _report(source: ByteSource, readable: Contents) -> Recovery:
    places = readable.index.places
    return Recovery(
        records=readable.index.records,
        seconds=(places[-1].position_ns[1] - places[0].position_ns[0]) / 1e9 if places else 0.0,
        was_complete=_is_whole(readable),
        damaged_chunks=readable.damaged,
        missing_records=readable.index.gaps,
        lost_bytes=source.size - readable.end,
    )
