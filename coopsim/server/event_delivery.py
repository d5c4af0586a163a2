"""Sends events to those who listen, and looks for them in the records."""

import contextlib
import math
from contextlib import AbstractContextManager

from coopsim.errors import SimulationEnded
from coopsim.server.event_channel import EventChannel
from coopsim.server.event_log import EventLog
from coopsim.server.listener import SOON, Listener
from coopsim.server.own_events import OwnEvents
from coopsim.state import Layout, Record
from coopsim.state.edits import AppliedEdit, PublishEvents
from coopsim.transport import RecordReader, SourceLink, unpacked_layout


class EventFeed:
    """Events of one run: out of its records, into its recording, to those who listen.

    All of it runs under the lock of `Modules`.

    Args:
        channel: Who listens.
        log: Keeps events in the recording.
        is_recording: Whether a recording is shown: its records hold what programs told.
    """

    def __init__(self, channel: EventChannel, log: EventLog, *, is_recording: bool = False) -> None:
        self.channel, self._log, self._is_recording = channel, log, is_recording
        self._own = OwnEvents()

    @property
    def is_waiting(self) -> bool:
        """Whether there is something to send."""
        return self.channel.is_waiting or self._log.is_waiting

    @property
    def needs_records(self) -> bool:
        """Whether somebody listens to what only records tell."""
        channel = self.channel
        wanted = channel.has_listeners and (self._is_recording or channel.has_listeners_under("sim"))
        if not wanted:
            self._own.forget()
        return wanted

    def publish(self, layout: Layout, record: Record) -> None:
        """Publish what a record tells."""
        edits = [AppliedEdit.from_plain(edit) for edit in record.edits] if record.header.edits_bytes else []
        if self._is_recording:
            self.channel.publish(
                event for edit in edits if isinstance(edit.edit, PublishEvents) for event in edit.edit.events
            )
        self.channel.publish(self._own.of(layout, record, edits))

    def send(self, record: Record) -> None:
        """Send what waits, to listeners and into the recording."""
        self._log.send(record.header.revision)
        self.channel.deliver(record.tick)

    def finish(self) -> None:
        """Send what waits for the recording; no more events are taken."""
        with contextlib.suppress(SimulationEnded):
            self._log.finish()


class EventDelivery(Listener):
    """Does that for a run in another process, at the end of each turn.

    Args:
        link: The source.
        feed: Events of the run.
        lock: Of `Modules`.
    """

    def __init__(self, link: SourceLink, feed: EventFeed, lock: AbstractContextManager[bool]) -> None:
        self._link, self._feed, self._lock = link, feed, lock
        self._reader: RecordReader | None = None
        self._packed, self._layout = b"", link.layout

    @property
    def needs_each_record(self) -> bool:
        """Whether somebody listens, or something waits to be sent."""
        return self._feed.channel.has_listeners or self._feed.is_waiting

    def serve(self) -> bool:
        """Send what waits."""
        if self.needs_each_record:
            with self._lock:
                self._publish_new()
                self._send()
        return False

    def due(self, now: float, /) -> float:
        """Return when the next turn must come: at once for what was published after the last one."""
        if self._feed.channel.is_waiting:
            return now
        return now + SOON if self._feed.channel.is_stuck else math.inf

    def _publish_new(self) -> None:
        """Publish what the records tell that came since the last time."""
        if not self._feed.needs_records:
            self._reader = None
            return
        if self._reader is None:
            self._reader = RecordReader(self._link.ring)
        for packed, record in self._reader.read():
            if packed is not self._packed:
                present = self._link.layout  # of thousands of robots a second one would take 20 MB
                is_present = present.generation == record.generation
                self._packed, self._layout = packed, present if is_present else unpacked_layout(packed)
            try:
                self._feed.publish(self._layout, record)
            except Exception as problem:  # the records after it have events, too
                self._feed.channel.faults.note("the events of a record", problem)

    def _send(self) -> None:
        try:
            self._feed.send(self._link.record)
        except SimulationEnded:
            return
