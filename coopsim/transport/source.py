"""Source of records as a host sees it, live or recorded."""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

import numpy as np

from coopsim.errors import BadArgument, SimulationEnded
from coopsim.geometry import Floats
from coopsim.memory import return_freed_memory
from coopsim.state import Layout, Record
from coopsim.state.edits import AnyEdit
from coopsim.transport.begun import BegunRecord, RecordBegin
from coopsim.transport.carrying import carry_commands
from coopsim.transport.channel import Channel, pack
from coopsim.transport.control import Answer, CompilingKernels, EditRequest, HostToSource, SourceFacts, SourceToHost
from coopsim.transport.layouts import unpacked_layout
from coopsim.transport.notifier import Notifier
from coopsim.transport.ring import MOST_LAYOUTS, Ring
from coopsim.transport.watching import BriefPoll

_WATCH, _REST = 0.001, 1.0
"""Time for which the rest of a record is polled for, and after which it is given up [s]."""


class SourceLink:
    """The host's end: newest record, command rows, edits, permission for the next tick.

    `poll` belongs to one thread (the conductor); everything else may be called by any. A new layout is in force from
    `poll` or `follow_layouts` on: until then `now` stays with the last record before it, so that code that answers a
    request never sees two layouts.

    Args:
        ring: Shared memory of the run.
        channel: Control channel to the source.
        woken: Reading end of the wake-ups that the source sends after every record.
        permit: Writing end of the permissions for lockstep ticks.

    Attributes:
        layout: Of the newest generation; of none before the first record.
        permit: Wakes the source for a lockstep tick.
        facts: What the source says about itself: of a recording which one it is, and of which run.
        compiling: How many kernels are compiled, `done` of `total`, while the source waits for that; else {}.
        ended: Whether the source is gone.
    """

    def __init__(
        self, ring: Ring, channel: Channel[HostToSource, SourceToHost], woken: Notifier, permit: Notifier
    ) -> None:
        self.ring, self.channel, self.woken, self.permit = ring, channel, woken, permit
        self.layout = Layout(-1, (), (), ())
        self.facts: Mapping[str, Any] = {}
        self.compiling: Mapping[str, int] = {}
        self.ended = False
        self._lock = threading.RLock()
        self._answers: dict[int, Callable[[Answer], None]] = {}
        self._next_id = 1
        self._count = -1
        self._now: tuple[Layout, Record] | None = None
        self._watch = BriefPoll(rests=0)

    @property
    def largest_edit(self) -> int:
        """Bytes of the largest edit: it must fit a record."""
        return self.ring.largest // 2

    @property
    def record(self) -> Record:
        """The newest record whose layout is in force.

        Raises:
            SimulationEnded: There is none yet.
        """
        return self.now[1]

    @property
    def now(self) -> tuple[Layout, Record]:
        """The newest record whose layout is in force, and that layout: it may be older than `layout` for a moment.

        Of a record that is still being written the readings are there; for the rest `Record.complete` waits.

        Raises:
            SimulationEnded: There is none yet.
        """
        with self._lock:
            if self.ring.begun != self._count:
                self._poll()
            if self._now is None:
                raise SimulationEnded("the simulation has written no record yet")
            return self._now

    @property
    def seen(self) -> int:
        """Number of records that were begun when `now` was found."""
        return self._count

    def _poll(self) -> None:
        """Serve the newest record from now on if its layout is in force."""
        count, begin = self.ring.count, self.ring.begun_record()
        record: Record | None = None
        if begin is not None:
            count, record = begin.total, BegunRecord(begin, self._rest_of)
        elif count:
            record = Record(self.ring.latest())
        if record is not None and record.generation == self.layout.generation:
            self._now, self._count = (self.layout, record), count

    def _rest_of(self, begin: RecordBegin) -> bytes:
        """Wait until a record that was begun is whole; return its bytes.

        Raises:
            SimulationEnded: The source is gone, stands still, or has overwritten it.
        """
        spun = time.monotonic() + _WATCH
        while self.ring.count < begin.total and time.monotonic() < spun:
            os.sched_yield()
        hung_up = select.poll()
        hung_up.register(self.woken.reader, 0)  # the end of the wake-ups alone
        end = time.monotonic() + _REST
        while self.ring.count < begin.total and not hung_up.poll(1) and time.monotonic() < end:
            pass
        raw = self.ring.at(begin.position) if self.ring.count >= begin.total else b""
        if not raw:
            raise SimulationEnded(f"the simulation ended while it wrote the record of tick {begin.header.tick}")
        return raw

    def follow_layouts(self) -> None:
        """Adopt the new layouts, one after the other; commands of robots that stay are kept."""
        newest = self.ring.generation
        if newest == self.layout.generation:
            return
        with self._lock:
            for generation in range(max(self.layout.generation + 1, newest - MOST_LAYOUTS), newest + 1):
                packed = self.ring.layout(generation)
                if packed:
                    self._put_in_force(unpacked_layout(packed))
                    return_freed_memory()
            self._poll()

    @contextlib.contextmanager
    def writing(self) -> Iterator[tuple[Layout, Floats]]:
        """Give (layout, flat command rows in that layout) to write."""
        with self._lock, self.ring.writing(self.layout.generation) as rows:
            yield self.layout, rows

    def edit(self, edit: AnyEdit, answer: Callable[[Answer], None]) -> None:
        """Ask the source for an edit; `answer` is called by the thread that polls.

        Raises:
            BadArgument: An argument is of a type, or a number of a size, that no message can carry.
        """
        with self._lock:
            if self.ended:
                answer(Answer(SimulationEnded.code, "the simulation has ended"))
                return
            number = self._next_id
            # first of all: what cannot be packed must not be waited for
            packed = _packed(EditRequest(number, edit))
            self._next_id += 1
            self._answers[number] = answer
            self.ring.count_edit()
        self.channel.send_packed(packed)

    def grant_tick(self) -> None:
        """Permit one lockstep tick."""
        if self.ring.grant_tick():
            self.permit.notify()

    def watch(self, seconds: float) -> bool:
        """Poll for the next record for up to `seconds`; return whether it came.

        The source sends no wake-up meanwhile. It may have looked just before: after a False come back in a millisecond.
        Where others need the processor, it ends at once.
        """
        ring, seen = self.ring, self._count
        if ring.begun != seen:
            return True
        ring.watch(is_watching=True)
        self._watch.until(lambda: ring.begun != seen, seconds)
        ring.watch(is_watching=False)
        return ring.begun != seen

    def poll(self) -> bool:
        """Read the source's messages and deliver answers to edits; True when there may be a new record."""
        woken, lost = self.woken.drain()
        if woken:
            self.compiling = {}
        messages = self.channel.receive()
        self.follow_layouts()  # what an answer speaks of lies in the ring already
        for message in messages:
            match message:
                case Answer():
                    self.compiling = {}
                    self._deliver(message)
                case SourceFacts():
                    self.facts = message.facts
                case CompilingKernels():
                    self.compiling = {"done": message.done, "total": message.total}
                case _:
                    assert_never(message)
        self.channel.flush()
        if lost or self.channel.closed:
            self._end()
        return woken

    def _deliver(self, answer: Answer) -> None:
        with self._lock:
            deliver = self._answers.pop(answer.id, None)
        if deliver is not None:
            deliver(answer)

    def _put_in_force(self, layout: Layout) -> None:
        """Carry the command rows of robots that are still there into the area of the new layout."""
        old, self.layout, self._count = self.layout, layout, -1
        before = self._rows_of(old)
        with self.ring.writing(layout.generation) as rows:
            rows[: layout.command_size] = 0.0
            carry_commands(old, before, layout, rows)

    def _rows_of(self, layout: Layout) -> Floats:
        if not layout.command_size:
            return np.zeros(0)
        with self.ring.writing(layout.generation) as rows:
            return rows[: layout.command_size].copy()

    def _end(self) -> None:
        with self._lock:
            if self.ended:
                return
            self.ended = True
            waiting, self._answers = self._answers, {}
        for answer in waiting.values():
            answer(Answer(SimulationEnded.code, "the simulation has ended"))


def _packed(request: EditRequest) -> bytes:
    try:
        return pack(request)
    except (TypeError, ValueError, OverflowError) as problem:
        raise BadArgument(f"{request.edit.kind}: no edit can carry this: {problem}"[:200]) from None
