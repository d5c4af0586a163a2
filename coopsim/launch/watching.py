"""Watches on a run that goes on: followers of its records, and a warning when time outruns controllers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from coopsim.state import Layout, Record
from coopsim.transport import RecordReader, Ring, unpacked_layout
from coopsim.transport.control import SourceSummary


# Followers of a running run's records: the tracks of its bodies, the judge of its goals.
class RecordFollower(Protocol):
    """Takes every record of a run, in order."""

    @property
    def is_over(self) -> bool:
        """Whether the run may end: the follower has seen what it wanted to see."""
        ...

    def add(self, layout: Layout, record: Record) -> None:
        """Take the next record."""


class RunKeeper(RecordFollower, Protocol):
    """Keeps the newest records of a run, so that it can go on when its simulation dies."""

    def save(self, path: Path, metadata: Mapping[str, Any], attachments: Mapping[str, str]) -> Mapping[str, Any]:
        """Write a recording of them; return its `file` and the `time` of its end [s], {} = there is none.

        Args:
            path: Where it goes; an older one is replaced.
            metadata: What should be known about the run.
            attachments: Texts by name.
        """
        ...


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

    def exchange(self, follower: RecordFollower | None) -> None:
        """Pass on what comes from now on to a follower in the place of one of its kind."""
        if follower is not None:
            self.follow()
            self._followers = [kept for kept in self._followers if type(kept) is not type(follower)] + [follower]

    def follow(self) -> None:
        """Pass on the records that came since the last call."""
        for packed, record in self._reader.read() if self._followers else ():
            if packed is not self._packed:
                self._packed, self._layout = packed, unpacked_layout(packed)
            for follower in self._followers:
                follower.add(self._layout, record)


def last_record(ring: Ring) -> Record | None:
    """Return the last record, None if there is none; its layout, which of ten thousand robots is large, is not read."""
    return next((record for _, record in RecordReader(ring).read()[-1:]), None)


def last_summary(ring: Ring, wall_time: float) -> SourceSummary | None:
    """Return what the last record of a run says whose source ended without a summary, None if there is none.

    Args:
        ring: Its records.
        wall_time: Real time since its first tick [s].
    """
    for packed, record in RecordReader(ring).read()[-1:]:
        return SourceSummary.of(unpacked_layout(packed), record, wall_time)
    return None


# Warns when time outruns controllers: a run in free mode does not wait for them.
_EARLY = 100


class CommandWatch:
    """Watches whether the robots of the controllers that were started get commands.

    Args:
        robots: How many robots these controllers drive.
        warn: Called with the text of a warning.
    """

    def __init__(self, robots: int, warn: Callable[[str], None]) -> None:
        self._robots, self._warn = robots, warn
        self._has_warned = False

    def check(self, status: Mapping[str, Any]) -> None:
        """Warn once, early: some have no command though many ticks are over."""
        if not self._has_warned and status["mode"] == "free" and status["tick"] >= _EARLY:
            self._report(status.get("driven"), f"in the first {status['tick']} ticks")

    def conclude(self, mode: str, driven: int | None, ticks: int) -> None:
        """Warn in the end: some never got a command.

        Args:
            mode: How time passed.
            driven: How many robots were ever commanded; None = unknown.
            ticks: How many there were.
        """
        if mode == "free" and ticks > 0:
            self._report(driven, f"in {ticks} ticks")

    def _report(self, driven: int | None, when: str) -> None:
        if driven is None or driven >= self._robots:
            return
        self._has_warned = True
        self._warn(
            f"{self._robots - driven} of {self._robots} robots got no command {when}: in free mode time does not wait "
            "for controllers; --mode lockstep does"
        )
