"""Goes anywhere in a recording at once: the last state at or before a time or a tick, forward and backward."""

from collections import OrderedDict

import numpy as np

from coopsim.errors import DamagedRecording
from coopsim.recording.block import RecordBlock
from coopsim.recording.index import last_at
from coopsim.recording.recording import Recording
from coopsim.state import Record

CACHED_BYTES = 64 << 20  # of decoded chunks: a minute of a small scene is scrubbed without the disk


class Scrubber:
    """Finds records; decoded chunks are kept, the ones used last.

    Args:
        recording: Where they are.
        cached_bytes: About how much memory decoded chunks may take; one is always kept.

    Raises:
        DamagedRecording: By every method: the recording holds no record, or the one that is asked for is damaged.
    """

    def __init__(self, recording: Recording, cached_bytes: int = CACHED_BYTES) -> None:
        self.recording = recording
        self._index = recording.index
        self._room = cached_bytes
        self._blocks: OrderedDict[int, RecordBlock] = OrderedDict()

    def number_at_time(self, seconds: float) -> int:
        """Return the number of the last record at or before a position; the first record if all are later.

        Args:
            seconds: Position on the time line of the recording [s].
        """
        return self.number_at(round(seconds * 1e9))

    def number_at(self, position_ns: int) -> int:
        """Return the number of the last record at or before a position; the first record if all are later."""
        chunk = self._some(self._index.chunk_at_position(position_ns))
        return self._number(chunk, last_at(self._block(chunk).positions_ns, position_ns))

    def number_at_tick(self, tick: int) -> int:
        """Return the number of the last record at or before a tick; the first record if all are later."""
        chunk = self._some(self._index.chunk_at_tick(tick))
        return self._number(chunk, last_at(np.maximum.accumulate(self._block(chunk).ticks), tick))

    def record(self, number: int) -> Record:
        """Return a record by its number; before the first it is the first, after the last the last."""
        chunk, row = self._index.chunk_of(max(0, min(number, self._some(len(self.recording) - 1))))
        return self._block(chunk).record(row)

    def position_ns(self, number: int) -> int:
        """Return where a record lies on the time line of the recording."""
        chunk, row = self._index.chunk_of(max(0, min(number, self._some(len(self.recording) - 1))))
        return int(self._block(chunk).positions_ns[row])

    def at_time(self, seconds: float) -> Record:
        """Return the last record at or before a position [s]."""
        return self.record(self.number_at_time(seconds))

    def at_tick(self, tick: int) -> Record:
        """Return the last record at or before a tick."""
        return self.record(self.number_at_tick(tick))

    def _some(self, index: int) -> int:
        if not self._index.places:
            raise DamagedRecording(f"{self.recording.path}: the recording holds no record")
        return index

    def _number(self, chunk: int, row: int) -> int:
        return int(self._index.first_numbers[chunk]) + max(0, row)

    def _block(self, chunk: int) -> RecordBlock:
        block = self._blocks.pop(chunk, None)
        if block is None:
            block = self.recording.block(chunk)
            self._make_room(block)
        self._blocks[chunk] = block
        return block

    def _make_room(self, block: RecordBlock) -> None:
        taken = block.decoded_bytes + sum(kept.decoded_bytes for kept in self._blocks.values())
        while self._blocks and taken > self._room:
            taken -= self._blocks.popitem(last=False)[1].decoded_bytes
