"""Writes records of ticks into the ring."""

import select
import time
from typing import TYPE_CHECKING, Any

from coopsim.simulation.keyframes import KeyFrames
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.plain_records import PlainRecords
from coopsim.simulation.records import Timing, check_finite, header_of, serialize_edits
from coopsim.simulation.simulation import Simulation
from coopsim.state import HEADER_BYTES, RecordHeader
from coopsim.state.edits import AppliedEdit
from coopsim.state.record import padded

if TYPE_CHECKING:  # who is not published needs no messages between processes
    from coopsim.transport import Channel, Notifier, Ring
    from coopsim.transport.control import SourceToHost, SourceToLauncher

_LOCKSTEP = "lockstep"
_NAP = 0.0005  # s; a recorder empties megabytes in it
_KEPT_EVERY = 1.0
"""Between two key frames of a run that nobody records [s]: a thousand robots pay two milliseconds for each."""
_LONG = 0.5
"""Time after which the launcher gets a message that the run waits for the recorder [s]; a busy disk takes less."""


class Publisher:
    """Writes a record after each tick and each edit, with the layout in the first one that needs it.

    Args:
        simulation: Whose state it is.
        ring: Where records go.
        host: Where facts go.
        launcher: Gets a message when the run waits for the recorder.
        woken: Rung after each record.
        lateness: Counters for the header.

    Attributes:
        edits: What was changed since the last record.
        revision: Of the next record.
        has_keyframe: Whether the last record has a key frame.
        is_kept: Whether there are key frames without a recorder, too, so that the run goes on where its process dies.
        compiles: Whether records may be written by compiled calls, with the same bytes.
    """

    compiles = True

    def __init__(
        self,
        simulation: Simulation,
        ring: "Ring",
        host: "Channel[SourceToHost, Any]",
        launcher: "Channel[SourceToLauncher, Any]",
        woken: "Notifier",
        lateness: Lateness,
    ) -> None:
        self._simulation, self._ring, self._woken = simulation, ring, woken
        self._host, self._launcher = host, launcher
        self._lateness = lateness
        self._generation = -1
        self._facts: dict[str, Any] = {}
        self.revision = 0
        self._recorder: Notifier | None = None
        self._keyframes = KeyFrames()
        self.edits: list[AppliedEdit] = []
        self.has_keyframe = self.is_kept = False
        self._kept_due = 0.0
        self._plain = PlainRecords(simulation, ring, lateness) if self.compiles else None

    def record_for(self, recorder: "Notifier | None") -> None:
        """Put a key frame into the next record and one each second, and lose none that the recorder has not read.

        Args:
            recorder: Rung when the ring is full and at the end: it looks by itself now and then, since to wake it
                after each record would cost the tick. None = no recorder.
        """
        self._recorder, self._keyframes = recorder, KeyFrames()
        if recorder is not None:
            self._ring.repeat_layout()

    def publish(self, *, mode: str, speed: float, paused: bool, ended: bool = False) -> None:
        """Write one record of the present state; in lockstep its readings are shown before the rest is written.

        Raises:
            EngineCannot: The state is no longer finite.
        """
        simulation = self._simulation
        self._announce()
        timing = Timing(mode, speed, paused, ended)
        if self._write_plain(timing):
            return
        check_finite(simulation)
        edits, self.edits = serialize_edits(simulation, self.edits), []
        keyframe = self._keyframe(len(edits))
        header = header_of(simulation, self.revision, timing, self._lateness, edits, keyframe, is_hashed=False)
        self.has_keyframe = bool(keyframe)
        if self._recorder is not None and mode != "real-time":
            self._wait_for_room(header.size)
        is_plain = mode == _LOCKSTEP and not (paused or ended or edits or keyframe)
        is_begun = is_plain and self._ring.begin(header, simulation.readings)
        if is_begun:  # clients wait for the readings alone
            self._wake()
        engine = simulation.engine
        arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
        # after the wake-up: while clients read, this goes on
        hashed = RecordHeader(*header[:-1], simulation.state_hash())  # the hash is its last field
        self._ring.append(hashed, arrays, edits, keyframe)
        self.revision += 1
        if not is_begun:
            self._wake()
        if self._recorder is not None and ended:
            self._recorder.notify()

    def _write_plain(self, timing: Timing) -> bool:
        """Write the record by compiled calls; False, and nothing is written, where that cannot be."""
        plain, is_first = self._plain, timing.mode == _LOCKSTEP
        if (
            plain is None
            or self.edits
            or self._simulation.happened
            or not plain.is_ready(timing)
            or self._is_kept_due()
        ):
            return False
        if self._recorder is not None:
            if self._keyframes.is_next(self._simulation):
                return False
            if timing.mode != "real-time":
                self._wait_for_room(plain.size)
        if not plain.begin(self.revision, is_shown=is_first):
            return False
        self.has_keyframe = False
        if is_first:  # clients wait for the readings alone
            self._wake()
        plain.finish()
        self.revision += 1
        if not is_first:
            self._wake()
        return True

    def _wake(self) -> None:
        if not self._ring.is_watched:
            self._woken.notify()

    def publish_facts(self, facts: dict[str, Any]) -> None:
        """Publish facts about the run (`/sim/info`)."""
        from coopsim.transport.control import SourceFacts

        self._facts |= facts
        self._host.send(SourceFacts(dict(self._facts)))

    def _keyframe(self, edits_bytes: int) -> bytes:
        """Return the state when it is due and the ring has room for it in one record."""
        if self._recorder is None and not self._is_kept_due():
            return b""
        simulation = self._simulation
        floats = 13 * len(simulation.engine.names) + simulation.readings.size + simulation.commands.size
        room = self._ring.largest - HEADER_BYTES - 8 * floats - padded(edits_bytes)
        if self._recorder is None:
            # by real time: it costs a run that outpaces it no more. The first key frame of any has all named snapshots
            self._kept_due, self._keyframes = time.monotonic() + _KEPT_EVERY, KeyFrames()
        return self._keyframes.next(simulation, room - room % 8)

    def _is_kept_due(self) -> bool:
        return self.is_kept and self._recorder is None and time.monotonic() >= self._kept_due

    def _wait_for_room(self, size: int) -> None:
        """Wait for the recorder; when it dies, or the run must end, the launcher detaches it from the ring."""
        if self._ring.has_room(size):
            return
        from coopsim.transport.control import RecorderAwaited

        # free run outpaces the recorder all the time: only long waits are worth a message
        deadline, is_audited = time.monotonic() + _LONG, False
        while not self._ring.has_room(size):
            if self._recorder is not None and not self._recorder.notify():
                break  # the other end is closed
            if _is_over(self._launcher):
                break  # nothing else would end the wait
            self._launcher.flush()  # where to begin may still be on its way to the recorder
            if not is_audited and time.monotonic() > deadline:
                is_audited = True
                self._launcher.send(RecorderAwaited(True))
            time.sleep(_NAP)
        if is_audited:
            self._launcher.send(RecorderAwaited(False))

    def _announce(self) -> None:
        layout = self._simulation.layout
        if layout.generation != self._generation:
            from coopsim.transport import packed_layout

            self._generation = layout.generation
            self._ring.announce(layout.generation, packed_layout(layout))


def _is_over(channel: "Channel[Any, Any]") -> bool:
    """Return whether the process at the other end is gone, without reading its messages."""
    if channel.closed:
        return True
    waiter = select.poll()
    waiter.register(channel, 0)
    return bool(waiter.poll(0))
