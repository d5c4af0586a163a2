"""What comes through the ring, written to a file: every record, or a note of how many are missing."""

from typing import Any

from coopsim.recording import Writer
from coopsim.state import Layout, Record
from coopsim.transport import Ring

BATCH = 4 << 20
"""About how many bytes of records are taken at a time."""


class Tape:
    """A recording that follows the ring.

    Args:
        ring: Where records come from; it is told how far they are read.
        writer: Where they go.

    Attributes:
        has_begun: Whether it is known where the recording begins.
        is_over: Whether the last record of the run is written.
        ticks: How many ticks are recorded.
        duration_ns: Simulated time from the first record to the last; it goes on when the clock is reset.

    Raises:
        CannotRecord: By every method: the file cannot be written.
    """

    def __init__(self, ring: Ring, writer: Writer) -> None:
        self._ring, self._writer = ring, writer
        self.has_begun = self.is_over = False
        self.ticks = self.duration_ns = 0
        self._cursor = self._revision = 0
        self._layouts: dict[int, Layout] = {}
        self._known: set[int] = set()
        self._held: list[Record] = []
        self._last: Record | None = None

    def learn(self, layout: Layout) -> None:
        """Take the layout of a generation whose records may come."""
        self._layouts[layout.generation] = layout

    def begin(self, position: int, revision: int) -> None:
        """Begin with the record at a position of the ring.

        Args:
            position: In bytes since the start of the run.
            revision: Of that record; what is missing of the first ones is found by it.
        """
        self._cursor, self._revision = position, revision
        self.has_begun = True
        self._ring.attend(position)

    @property
    def is_waiting(self) -> bool:
        """Whether it holds records whose layout it does not know yet."""
        return bool(self._held)

    def has_read(self, position: int) -> bool:
        """Return whether everything up to the record at a position of the ring is written."""
        return self._cursor > position and not self._held

    def follow(self) -> bool:
        """Write what came, one batch at most; return whether there is more to be read at once."""
        is_full = False
        if not self._held:
            raw, self._cursor, _ = self._ring.following(self._cursor, BATCH)
            is_full = sum(map(len, raw)) >= BATCH
            self._held = [Record(each) for each in raw]
        self._write()
        self._ring.attend(self._cursor)
        self._writer.flush_due()
        return is_full and not self._held

    def give_up(self) -> None:
        """Drop the records whose layout will never come; the file says how many are missing."""
        if self._held:
            self._writer.gap(self._held[-1].header.revision + 1 - self._revision)
            self._held = []

    def close(self) -> None:
        """Finish the file; nobody waits for it any more."""
        self._ring.leave()
        self._writer.close()

    @property
    def status(self) -> dict[str, Any]:
        """How far it has come."""
        return {
            "duration": self.duration_ns / 1e9,
            "ticks": self.ticks,
            "size_bytes": self._writer.size_bytes,
            "gaps": self._writer.gaps,
        }

    def _write(self) -> None:
        """Write what is held as far as its layouts are known."""
        written = 0
        for record in self._held:
            if not self._has_layout(record.generation):
                break
            self._put(record)
            written += 1
        del self._held[:written]

    def _has_layout(self, generation: int) -> bool:
        if generation in self._known:
            return True
        layout = self._layouts.pop(generation, None)
        if layout is None:
            return False
        self._writer.layout(layout)
        self._known.add(generation)
        return True

    def _put(self, record: Record) -> None:
        header = record.header
        if header.revision > self._revision:
            self._writer.gap(header.revision - self._revision)
        self._revision = header.revision + 1
        self._writer.write(record, record.keyframe or None)
        if self._last is not None:
            self.ticks += max(0, header.tick - self._last.tick)
            self.duration_ns += max(0, header.time_ns - self._last.header.time_ns)
        self._last, self.is_over = record, header.ended
