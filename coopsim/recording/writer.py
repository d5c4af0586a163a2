"""Writes a recording: what the recorder process does with each record of the ring."""

import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from platform import python_version
from types import TracebackType
from typing import Any, BinaryIO

from coopsim import version
from coopsim.errors import CannotRecord
from coopsim.recording.building import Builder
from coopsim.recording.channels import FORMAT, LAYOUTS
from coopsim.recording.chunks import ChannelMessage
from coopsim.recording.container import Container, create
from coopsim.recording.ending import Ending, digests
from coopsim.recording.images import RecordedImage
from coopsim.state import Layout, Record
from coopsim.state.layout_json import layout_to_json

# shorter chunks compress worse and fill the index; longer ones lose more with the process
FLUSH_SECONDS = 1.0
"""No record waits longer than this for the file; at most these are lost when the process is killed."""
_IMAGE_CHUNK_BYTES = 2 << 20
"""Images are handed over as soon as they take so much room [B]."""
_PACKAGES = ("numpy", "numba", "pymunk", "mujoco-core", "mcap", "zstandard")


def versions() -> dict[str, str]:
    """Return the versions of whatever can change the numbers or the bytes of a recording."""
    versions = {"python": python_version(), "coopsim": version.version()}
    for name in _PACKAGES:
        try:
            versions[name] = version_of(name)
        except PackageNotFoundError:
            continue
    return versions


def since_ns(metadata: Mapping[str, Any]) -> int:
    """Return what makes a date, in UTC since 1970, of the monotonic clock of the machine that recorded [ns].

    Args:
        metadata: Of a recording; one without a date gives 0.
    """
    began = metadata.get("began")
    return int(began["utc_ns"] - began["monotonic_ns"]) if began else 0


class Writer:
    """A recording that grows.

    Args:
        path: A new file.
        metadata: What should be known about the run (seed, engine, flags, parent); `began`, `versions`, `program`,
            `attached` and `format` are added.
        attachments: Texts (or bytes) by name: scenario, world, robot files.
        clock: Real time of the monotonic clock [s]; what was written is handed to the system once a second of it.
        opener: Makes the file; tests give one that fails.

    Attributes:
        records: How many records were taken.
        gaps: Number of missing records, the sum of all calls of `gap`.

    Raises:
        CannotRecord: By every method: the file exists, cannot be written, or the disk is full; what was written
            before stays readable, and nothing more is written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        metadata: Mapping[str, Any] | None = None,
        attachments: Mapping[str, str | bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
        opener: Callable[[Path], BinaryIO] = create,
    ) -> None:
        self.path = Path(path)
        self.records = self.gaps = self._size = 0
        self._clock = clock
        self._container: Container | None = None
        self._builder: Builder | None = None
        self._waiting_since, self._checked = 0.0, clock()
        self._gap = 0
        self._layouts: list[bytes] = []
        self._images: list[tuple[RecordedImage, int, int]] = []
        self._image_bytes = 0
        self._time_ns: int | None = None
        self._last = -1, 0
        self._shift_ns = 0
        began = {"utc_ns": time.time_ns(), "monotonic_ns": time.monotonic_ns()}
        about = {
            "began": began,
            **(metadata or {}),
            "format": FORMAT,
            "versions": versions(),
            "program": version.program(),
        }
        about["attached"] = digests(attachments or {})
        self._since_ns = since_ns(about)
        self._container = Container(self.path, about, attachments or {}, opener)

    def layout(self, layout: Layout | bytes) -> None:
        """Add the layout of a generation, or its JSON, before the first record that needs it."""
        self.flush()
        self._layouts.append(layout if isinstance(layout, bytes) else layout_to_json(layout).encode())

    def write(self, record: Record, keyframe: bytes | None = None) -> int:
        """Add the next record; return its position on the time line [ns].

        Args:
            record: Of any size and generation.
            keyframe: State of the simulation at this record; None = the one it carries, if any.
        """
        header = record.header
        if self._container is None:
            raise CannotRecord(f"{self.path}: the recording is closed")
        if self._builder is not None and not self._builder.accepts(header):
            self.flush()
        if self._builder is None:
            self._builder = Builder(header, self._gap, self._since_ns)
            self._gap = 0
            self._waiting_since = self._clock()
        position = self._position(header.time_ns)
        self._builder.add(record, position, record.keyframe if keyframe is None else keyframe)
        self.records, self._last = self.records + 1, (header.revision, header.tick)
        self.flush_due()
        return position

    def image(self, image: RecordedImage, position_ns: int) -> None:
        """Add an image.

        Args:
            image: Of a camera.
            position_ns: That of its record.
        """
        self._images.append((image, position_ns, self._date_ns()))
        self._image_bytes += len(image.text)
        if self._image_bytes >= _IMAGE_CHUNK_BYTES:
            self._append_images()

    def gap(self, count: int) -> None:
        """Note that `count` records are missing since the last one."""
        self.flush()
        self._gap += count
        self.gaps += count

    def flush_due(self) -> None:
        """Flush when a second has passed, and check the file; called also while no records come."""
        now = self._clock()
        if self._builder is not None and now - self._waiting_since >= FLUSH_SECONDS:
            self.flush()
        elif self._container is not None and now - self._checked >= FLUSH_SECONDS:
            self._write(Container.check)
        else:
            return
        self._checked = now

    def flush(self) -> None:
        """Hand everything that was taken to the system, so that it outlives this process."""
        builder, self._builder = self._builder, None
        if builder is not None:
            messages = builder.messages()
            self._append_layouts(messages[0].log_time)
            self._append(messages)
        self._append_images()

    @property
    def size_bytes(self) -> int:
        """Bytes of the file so far; of one that is closed, or failed, as many as it had then."""
        if self._container is not None:
            self._size = self._container.size
        return self._size

    def close(self) -> None:
        """Write what is left and the index; does nothing when it is closed already or has failed."""
        if self._container is None:
            return
        self.flush()
        self._append_layouts((self._time_ns or 0) + self._shift_ns)
        container, self._container = self._container, None
        container.check()
        container.index.tail_gap = self._gap
        self._size = container.finish(Ending(self.records, *self._last).pack())

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _append_layouts(self, log_time: int) -> None:
        for text in self._layouts:
            self._append([ChannelMessage(LAYOUTS, log_time, text, self._date_ns())])
        self._layouts = []

    def _append_images(self) -> None:
        images, self._images, self._image_bytes = self._images, [], 0
        if images:
            self._write(lambda container: container.append_images(images))

    def _append(self, messages: list[ChannelMessage]) -> None:
        self._write(lambda container: container.append(messages))

    def _write(self, append: Callable[[Container], None]) -> None:
        if self._container is None:
            raise CannotRecord(f"{self.path}: the recording is closed")
        container, self._size = self._container, self._container.size
        try:
            append(container)
        except CannotRecord:
            self._container = None
            raise

    def _date_ns(self) -> int:
        """Return the present date, in UTC since 1970 [ns]."""
        return max(0, round(self._clock() * 1e9) + self._since_ns)

    def _position(self, time_ns: int) -> int:
        """Return where a record lies on the time line of the recording, which goes on when the clock is reset."""
        if self._time_ns is not None and time_ns < self._time_ns:
            self._shift_ns += self._time_ns - time_ns
        self._time_ns = time_ns
        return time_ns + self._shift_ns
