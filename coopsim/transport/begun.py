"""Records whose readings are there before the rest of them."""

from collections.abc import Callable
from typing import NamedTuple

from coopsim.geometry import Floats
from coopsim.state import Record, RecordHeader


class RecordBegin(NamedTuple):
    """First part of a record whose rest is still being written.

    Attributes:
        header: Without the state hash.
        total: How many records there are once it is whole.
        position: Where it will lie.
    """

    header: RecordHeader
    readings: Floats
    total: int
    position: int


class OpenRecord(NamedTuple):
    """A record that was begun: its header without the state hash, its bytes, its position, and where that is."""

    header: RecordHeader
    size: int
    head: int
    place: int


class BegunRecord(Record):
    """A record of which header and readings are there already; what else is asked for is waited for.

    Args:
        begin: What is there.
        finish: Waits for the rest; returns the bytes of the whole record.
    """

    def __init__(self, begin: RecordBegin, finish: Callable[[RecordBegin], bytes]) -> None:
        self.header = begin.header
        self.readings = begin.readings
        self._begin, self._finish = begin, finish
        self._whole = b""

    def complete(self) -> None:
        """Wait for the rest, so that it is still there when it is asked for later.

        Raises:
            SimulationEnded: The rest does not come.
        """
        if not self._whole:
            self._whole = self._finish(self._begin)

    @property
    def _raw(self) -> bytes:
        self.complete()
        return self._whole
