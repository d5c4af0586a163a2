"""Followers of a running run's records: the tracks of its bodies, the judge of its goals."""

from collections.abc import Sequence
from typing import Protocol

from coopsim.state import Layout, Record
from coopsim.transport import RecordReader, Ring, unpacked_layout
from coopsim.transport.control import SourceSummary


class RecordFollower(Protocol):
    """Takes every record of a run, in order."""

    @property
    def is_over(self) -> bool:
        """Whether the run may end: the follower has seen what it wanted to see."""
        ...

    def take(self, layout: Layout, record: Record) -> None:
        """Take the next record."""


class RingFollowers:
    """Reads a ring for several followers.

    Args:
        ring: What to follow, from its beginning.
        followers: Without any nothing is read.
    """

    def __init__(self, ring: Ring, followers: Sequence[RecordFollower]) -> None:
        self._reader, self._followers = RecordReader(ring, 0), followers
        self._packed, self._layout = b"", Layout(-1, (), (), ())

    @property
    def is_over(self) -> bool:
        """Whether one of them has seen what it wanted to see."""
        return any(follower.is_over for follower in self._followers)

    def follow(self) -> None:
        """Pass on the records that came since the last call."""
        for packed, record in self._reader.read() if self._followers else ():
            if packed is not self._packed:
                self._packed, self._layout = packed, unpacked_layout(packed)
            for follower in self._followers:
                follower.take(self._layout, record)


def last_summary(ring: Ring, wall_time: float) -> SourceSummary | None:
    """Return what the last record of a run says whose source ended without a summary, None if there is none.

    Args:
        ring: Its records.
        wall_time: Real time since its first tick [s].
    """
    for packed, record in RecordReader(ring).read()[-1:]:
        return SourceSummary.of(unpacked_layout(packed), record, wall_time)
    return None
