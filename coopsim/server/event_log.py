"""Events on their way into the recording."""

from collections.abc import Iterable

from coopsim.errors import SimulationEnded
from coopsim.message import ChannelEvent
from coopsim.state.edits import PublishEvents
from coopsim.transport import Source

# the record is written in one piece, and recorders refuse one without bound
MOST_KEPT = 10_000
"""Largest number of events that one record holds."""


class EventLog:
    """Sends events to the source, once for each record that the host sees. It runs under the lock of `Modules`.

    Args:
        link: The source.
    """

    def __init__(self, link: Source) -> None:
        self._link = link
        self._events: list[ChannelEvent] = []
        self._size = self._lost = 0
        self._revision = -1
        self._is_finished = False

    @property
    def is_waiting(self) -> bool:
        """Whether there are events that are not on their way yet."""
        return bool(self._events)

    def keep(self, events: Iterable[ChannelEvent], size: int) -> None:
        """Take in events of so many bytes; those that a record has no room for are counted."""
        event_list = list(events)
        if len(self._events) + len(event_list) <= MOST_KEPT and self._size + size <= self._link.largest_edit // 4:
            self._size += size
            self._events += event_list
        else:
            self._lost += len(event_list)

    def check(self) -> None:
        """Check that the recording still takes events.

        Raises:
            SimulationEnded: The last events are on their way.
        """
        if self._is_finished:
            raise SimulationEnded("the run is ending; it takes no more events")

    def finish(self) -> None:
        """Send what waits, whether or not there was a record since the last time, and take no more."""
        self._is_finished, self._revision = True, -1
        self.send(0)

    def send(self, revision: int) -> None:
        """Send what waits, unless the record after the last time has not come yet.

        Args:
            revision: Of the newest record.
        """
        if self._events and revision != self._revision:
            edit = PublishEvents.of(self._events, self._lost)
            self._events, self._size, self._lost, self._revision = [], 0, 0, revision
            self._link.edit(edit, lambda _: None)
