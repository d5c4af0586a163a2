"""Recorder of the ring: writes every record to a file, or a note of how many are missing."""

from typing import Any

from coopsim.recorder.images import ImageOrders
from coopsim.recording import Writer
from coopsim.state import Record
from coopsim.transport import RecordReader, Ring
from coopsim.transport.layouts import layout_text

BATCH = 4 << 20
"""About how many bytes of records are taken at a time."""
_BATCH_WITH_IMAGES = 1 << 18
"""The same where images are drawn of them [B]."""
_NAP = 0.03
"""How long it waits for an image before it listens to others [s]."""


class RingRecorder:
    """A recording that follows the ring.

    Args:
        ring: Source of the records; it learns how far they are read.
        writer: Where they go.
        images: Has the images of cameras drawn; None = they are not recorded.

    Attributes:
        has_begun: Whether it is known where the recording begins.
        is_over: Whether the last record of the run is written.
        ticks: How many ticks are recorded.
        duration_ns: Simulated time from the first record to the last; it goes on when the clock is reset.

    Raises:
        CannotRecord: By every method: the file cannot be written.
    """

    def __init__(self, ring: Ring, writer: Writer, images: ImageOrders | None = None) -> None:
        self._ring, self._writer, self._images = ring, writer, images
        self.has_begun = self.is_over = False
        self.ticks = self.duration_ns = 0
        self._reader = RecordReader(ring)
        self._revision = 0
        self._layout, self._waits = b"", False
        self._last: Record | None = None

    def begin(self, position: int, revision: int) -> None:
        """Begin with the record at a position of the ring.

        Args:
            position: In bytes since the start of the run.
            revision: Of that record; what is missing of the first ones is found by it.
        """
        self._reader.cursor, self._revision = position, revision
        self.has_begun = True
        self._ring.acknowledge(position)

    def has_read(self, position: int) -> bool:
        """Return whether everything up to the record at a position of the ring is written."""
        return self._reader.cursor > position and not self._is_drawing

    def follow(self) -> bool:
        """Write what came, one batch at most; return whether there is more to be read at once."""
        if self._images is not None:
            self._images.receive(_NAP if self._is_held else 0.0)
        if self._is_held:
            return False
        most = BATCH if self._images is None else _BATCH_WITH_IMAGES
        records = self._reader.read(most)
        for layout, record in records:
            if layout is not self._layout:
                self._layout = layout
                self._writer.layout(layout_text(layout))
            self._put(record)
        if not self._is_held:
            self._ring.acknowledge(self._reader.cursor)
        self._writer.flush_due()
        return self._is_held or sum(record.header.size for _, record in records) >= most

    @property
    def _is_drawing(self) -> bool:
        return self._images is not None and self._images.is_waiting

    @property
    def _is_held(self) -> bool:
        """Whether the images of what was read are drawn first: the run waits for them."""
        return self._is_drawing and self._waits

    def close(self, *, is_source_gone: bool = False) -> None:
        """Finish the file; the source no longer waits for the recorder.

        Args:
            is_source_gone: Whether a record that was begun stays without its end. Clients may have seen its readings,
                so the file says that it is missing.
        """
        self._ring.detach_reader()
        begin = self._ring.begun_record() if is_source_gone else None
        if begin is not None and begin.header.revision >= self._revision:
            self._writer.gap(begin.header.revision + 1 - self._revision)
        if self._images is not None:
            self._images.close()
        self._writer.close()

    def reap(self) -> None:
        """Leave no process behind; the file is closed."""
        if self._images is not None:
            self._images.reap()

    @property
    def status(self) -> dict[str, Any]:
        """Progress of the recorder."""
        return {
            "duration": self.duration_ns / 1e9,
            "ticks": self.ticks,
            "size_bytes": self._writer.size_bytes,
            "gaps": self._writer.gaps,
            "images": 0 if self._images is None else self._images.count,
        }

    def _put(self, record: Record) -> None:
        header = record.header
        if header.revision > self._revision:
            self._writer.gap(header.revision - self._revision)
        self._revision = header.revision + 1
        position = self._writer.write(record, record.keyframe or None)
        self._waits = record.mode != "real-time"
        if self._images is not None:
            self._images.order(self._layout, record, position, may_wait=self._waits)
        if self._last is not None:
            self.ticks += max(0, header.tick - self._last.tick)
            self.duration_ns += max(0, header.time_ns - self._last.header.time_ns)
        self._last, self.is_over = record, header.ended
