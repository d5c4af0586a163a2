"""Puts recorded records into the ring as if they came from a running simulation."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack

from coopsim.errors import EngineCannot
from coopsim.state import Layout, Record, RecordHeader
from coopsim.transport import Channel, Notifier, Ring, packed_layout
from coopsim.transport.control import SourceFacts, SourceToHost

_KEPT = (
    "tick",
    "time_ns",
    "step_ns",
    "mode",
    "bodies",
    "readings",
    "commands",
    "overruns",
    "max_lateness_ns",
    "slipped_ns",
    "speed",
    "state_hash",
)
"""What a header says as it was recorded."""


class PlaybackPublisher:
    """Writes records, with the layout in the first one that needs it.

    Readers count on a generation that is new for each layout, and on a revision that grows, whichever way the
    recording is gone through: both are counted anew. What is shown forward from the beginning has the generations it
    was recorded with.

    Args:
        ring: Where records go.
        host: Where facts go.
        woken: Rung after each record.
        clock: Monotonic real time [ns].

    Attributes:
        generation: The one that is shown; -1 before the first.
        shown: How many records were written.
        shown_at: When the last one was [real ns].
    """

    def __init__(
        self,
        ring: Ring,
        host: Channel[SourceToHost, Any],
        woken: Notifier,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._ring, self._host, self._woken, self._clock = ring, host, woken, clock
        self._layout: Layout | None = None
        self.generation = -1
        self.shown = self.shown_at = 0

    def show(
        self, layout: Layout, record: Record, facts: dict[str, Any], *, paused: bool, ended: bool, with_edits: bool
    ) -> None:
        """Write one record.

        Args:
            layout: Its layout; the same object as long as it is the same.
            record: As it was recorded.
            facts: Facts about the source, sent with each new layout.
            paused: Whether it stands still.
            ended: Whether it is the last one of this process.
            with_edits: Whether what was changed then is written, too: once each time the record is reached.

        Raises:
            EngineCannot: The shared memory has no room for it.
        """
        if layout is not self._layout:
            self._check(layout, record)
            self._announce(layout, facts)
        edits = msgpack.packb(record.edits) if with_edits and record.header.edits_bytes else b""
        header = self._header(record.header, paused=paused, ended=ended, edits_bytes=len(edits))
        self._ring.append(header, (record.poses, record.twists, record.readings, record.commands), edits)
        self.shown, self.shown_at = self.shown + 1, header.wall_ns
        self._woken.notify()

    def _check(self, layout: Layout, record: Record) -> None:
        # readers must be able to copy one record while the next is written
        if record.header.size > self._ring.largest // 2 or layout.command_size > self._ring.command_capacity:
            raise EngineCannot(
                f"there is no room for {len(layout.robots)} robots; start the replay with a larger --max-robots"
            )

    def _announce(self, layout: Layout, facts: dict[str, Any]) -> None:
        self._layout = layout
        self.generation = max(self.generation + 1, layout.generation)
        self._ring.announce(self.generation, packed_layout(replace(layout, generation=self.generation)))
        self._host.send(SourceFacts(facts))

    def _header(self, recorded: RecordHeader, **changes: Any) -> RecordHeader:
        kept = {name: getattr(recorded, name) for name in _KEPT}
        counted = {"revision": self.shown, "generation": self.generation, "wall_ns": self._clock()}
        return RecordHeader(**{**kept, **counted, **changes})
