"""The MCAP file around what is recorded: header, metadata, attachments, chunks and, when it is closed, the index."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter

from coopsim.errors import CannotRecord
from coopsim.recording.channels import CHANNELS, END, IMAGE_MARK, INDEX, PROFILE
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.images import IMAGE_INDEX, CameraStream, ImageIndex, RecordedImage
from coopsim.recording.index import Index
from coopsim.recording.limits import MOST_CHUNK_BYTES

LIBRARY = "coopsim-recording 1"
_BYTES = "application/octet-stream"
_RENAMED = "was renamed"
_NEVER = 1 << 62  # chunks end where records say, not at a number of bytes


def create(path: Path) -> BinaryIO:
    """Return a new file, locked for as long as it is open.

    Raises:
        OSError: It exists, or cannot be made.
    """
    file = path.open("xb")
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def is_being_written(path: Path) -> bool:
    """Return whether a process is still recording to this file."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


class Container:
    """A new file that chunks are appended to.

    Args:
        path: Where it will be; nothing may be there.
        metadata: Whatever JSON can hold.
        attachments: Texts, or bytes, by name.
        opener: Makes the file; tests give one that fails.

    Attributes:
        index: What was written so far.
        images: Where images of cameras are.

    Raises:
        CannotRecord: By every method: the file cannot be written; what was written stays.
    """

    def __init__(
        self,
        path: Path,
        metadata: Mapping[str, Any],
        attachments: Mapping[str, str | bytes],
        opener: Callable[[Path], BinaryIO] = create,
    ) -> None:
        self.path = path
        self.index, self.images = Index(), ImageIndex()
        self._streams: dict[CameraStream, int] = {}
        self._flushed = 0
        try:
            self._file = opener(path)
        except OSError as problem:
            raise _cannot(path, problem) from None
        try:
            with self._writing():
                self._begin(metadata, attachments)
        except CannotRecord:
            path.unlink(missing_ok=True)
            raise

    def _begin(self, metadata: Mapping[str, Any], attachments: Mapping[str, str | bytes]) -> None:
        # its methods without arguments are not annotated
        self._mcap: Any = McapWriter(self._file, _NEVER, CompressionType.ZSTD)
        self._mcap.start(PROFILE, LIBRARY)
        self._mcap.add_metadata(PROFILE, {name: json.dumps(value) for name, value in metadata.items()})
        self._date = (metadata.get("began") or {}).get("utc_ns", 0)
        for name, content in attachments.items():
            data, kind = (content.encode(), "text/plain") if isinstance(content, str) else (content, _BYTES)
            self._mcap.add_attachment(self._date, self._date, name, kind, data)
        for channel in CHANNELS:
            schema = self._mcap.register_schema(channel.schema["title"], "jsonschema", channel.schema_text)
            self._mcap.register_channel(channel.topic, channel.encoding, schema)
        self._file.flush()
        self._flushed = self._file.tell()

    def check(self) -> None:
        """Make sure that the file is still the one that was begun, with all that was written to it.

        Raises:
            CannotRecord: It was removed, renamed, replaced or cut; of a renamed file the rest is finished.
        """
        loss = self._loss()
        if loss:
            if loss.startswith(_RENAMED):
                with suppress(CannotRecord):
                    self.finish()
            self._file.close()
            raise CannotRecord(f"{self.path}: while it was being recorded, the file {loss}")

    def _loss(self) -> str:
        """Return in words what somebody did to the file, "" = nothing."""
        try:
            own = os.fstat(self._file.fileno())
        except (OSError, ValueError, AttributeError):  # no file of the system
            return ""
        try:
            status = os.stat(self.path)
        except OSError:
            status = None
        if status is not None and os.path.samestat(own, status):
            is_cut = own.st_size < self._flushed
            return f"was cut to {own.st_size} of {self._flushed} bytes: what is missing is lost" if is_cut else ""
        if own.st_nlink:
            return f"{_RENAMED}: what was recorded until now is in the renamed file"
        lost = "what was recorded is lost"
        return f"was removed: {lost}" if status is None else f"was replaced by another one: {lost}"

    def append(self, messages: Sequence[ChannelMessage]) -> None:
        """Write messages as one chunk and hand it to the system."""
        self.check()
        if sum(len(message.data) for message in messages) + 64 * len(messages) > MOST_CHUNK_BYTES:
            self._file.close()
            raise CannotRecord(f"{self.path}: a chunk of {MOST_CHUNK_BYTES >> 20} MiB cannot hold so large a state")
        with self._writing():
            offset = self._file.tell()
            for message in messages:
                dates = message.log_time, message.publish_time or message.log_time
                self._mcap.add_message(message.channel, dates[0], message.data, dates[1])
            self._mcap.flush()
            self._flushed = self._file.tell()
        self.index.add(offset, messages)
        self.images.add(offset, messages)

    def append_images(self, images: Sequence[tuple[RecordedImage, int, int]]) -> None:
        """Write images as one chunk, each with its position and its date."""
        self.append(
            [
                ChannelMessage(self._channel(image.stream), position, image.pack(), date)
                for image, position, date in images
            ]
        )

    def _channel(self, stream: CameraStream) -> int:
        """Return the number of a stream's channel, which comes with its first image."""
        if stream not in self._streams:
            channel = stream.channel
            schema = self._mcap.register_schema(channel.schema["title"], "jsonschema", channel.schema_text)
            number = self._mcap.register_channel(channel.topic, channel.encoding, schema, IMAGE_MARK)
            self._streams[stream] = number
        return self._streams[stream]

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.tell()

    def finish(self, ending: str = "") -> int:
        """Write the index and close the file; return how many bytes it has.

        Args:
            ending: What an `Ending` says; "" = nothing.
        """
        with self._writing():
            if ending:
                self._mcap.add_attachment(self._date, self._date, END, "application/json", ending.encode())
            if self.images.places:
                self._mcap.add_attachment(
                    self._date, self._date, IMAGE_INDEX, "application/msgpack", self.images.pack()
                )
            self._mcap.add_attachment(self._date, self._date, INDEX, "application/msgpack", self.index.pack())
            self._mcap.finish()
            size = self._file.tell()
            self._file.close()
        return size

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            with suppress(OSError):  # what is left in its buffer cannot be written either
                self._file.close()
            raise _cannot(self.path, problem) from None


def _cannot(path: Path, problem: OSError) -> CannotRecord:
    if isinstance(problem, FileExistsError):
        return CannotRecord(f"{path}: the file exists already; a recording never overwrites one")
    return CannotRecord(f"{path}: {problem.strerror or problem}")
