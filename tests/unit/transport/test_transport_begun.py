"""Readings that are there before the rest of their record."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from coopsim.errors import SimulationEnded
from coopsim.state import Layout, Record, RecordHeader
from coopsim.transport import Channel, Notifier, RecordReader, Ring, SourceLink, packed_layout
from coopsim.transport import source as module

HASH = bytes(range(16))
EMPTY = Layout(1, (), (), ())


class Writer:
    """A source that writes its records in two parts."""

    def __init__(self) -> None:
        self.ring = Ring.create(ring_bytes=1 << 20, command_floats=8)
        (near, self.channel), (woken, self.wake), (self.permits, permit) = (
            Channel.pair(),
            Notifier.pair(),
            Notifier.pair(),
        )
        self.link = SourceLink(self.ring, near, woken, permit)
        self.near = (near, woken, permit)
        self.ring.announce(1, packed_layout(EMPTY))
        self.finish(0)
        self.link.follow_layouts()

    def header(self, tick: int, state_hash: bytes = bytes(16)) -> RecordHeader:
        return RecordHeader(tick=tick, revision=tick, generation=1, bodies=1, readings=3, state_hash=state_hash)

    def begin(self, tick: int) -> bool:
        return self.ring.begin(self.header(tick), np.full(3, float(tick)))

    def finish(self, tick: int) -> None:
        arrays = (np.ones((1, 7)), np.zeros((1, 6)), np.full(3, float(tick)), np.zeros(0))
        self.ring.append(self.header(tick, HASH), arrays)

    def close(self) -> None:
        self.ring.unlink()
        for end in (*self.near, self.channel, self.wake, self.permits):
            end.close()


@pytest.fixture
def writer() -> Iterator[Writer]:
    writer = Writer()
    yield writer
    writer.close()


def test_readings_are_served_before_their_record_is_whole(writer: Writer) -> None:
    assert writer.begin(1)
    layout, record = writer.link.now
    assert (layout.generation, record.tick, record.readings.tolist()) == (1, 1, [1.0] * 3)
    assert (writer.ring.count, writer.ring.begun) == (1, 2)
    writer.finish(1)
    assert writer.link.now[1] is record, "one tick is one record"
    assert record.poses.tolist() == [[1.0] * 7]


def test_what_else_is_asked_for_is_waited_for(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert writer.begin(1)
    record = writer.link.record
    monkeypatch.setattr(module.os, "sched_yield", lambda: writer.finish(1))
    assert record.twists.shape == (1, 6)


def test_readers_of_whole_records_see_none_that_was_begun(writer: Writer) -> None:
    reader = RecordReader(writer.ring, 0)
    assert len(reader.read()) == 1
    assert writer.begin(1)
    assert (reader.read(), writer.ring.of_tick(1)) == ([], b"")
    writer.finish(1)
    ((_, record),) = reader.read()
    assert (record.tick, record.header.state_hash) == (1, HASH)


def test_the_rest_of_a_record_leaves_what_was_begun_as_it_is(writer: Writer) -> None:
    assert writer.begin(1)
    begun = writer.ring.begun_record()
    arrays = (np.ones((1, 7)), np.zeros((1, 6)), np.full(3, 9.0), np.zeros(0))
    writer.ring.append(writer.header(1, HASH), arrays)
    record = Record(writer.ring.latest())
    assert begun is not None
    assert record.header == begun.header._replace(state_hash=HASH)
    assert record.readings.tolist() == [1.0] * 3, "clients have seen these"


def test_another_record_than_the_one_that_was_begun_takes_its_place(writer: Writer) -> None:
    assert writer.begin(1)
    writer.finish(2)
    assert (writer.ring.count, writer.ring.begun) == (2, 2)
    record = Record(writer.ring.latest())
    assert (record.tick, record.readings.tolist()) == (2, [2.0] * 3)


def test_a_record_that_carries_the_layout_is_shown_whole(writer: Writer) -> None:
    writer.ring.repeat_layout()
    assert not writer.begin(1)
    assert writer.ring.begun_record() is None
    writer.finish(1)
    assert writer.begin(2)


def test_records_in_two_parts_go_around_the_ring(writer: Writer) -> None:
    reader, tick = RecordReader(writer.ring, 0), 0
    while writer.ring.position < 3 * writer.ring.largest:
        tick += 1
        if writer.begin(tick):
            assert writer.link.record.readings.tolist() == [tick] * 3
        writer.finish(tick)
        seen = reader.read()
        assert seen[-1][1].readings.tolist() == [tick] * 3
        assert writer.link.record.poses.tolist() == [[1.0] * 7]


def test_the_rest_of_a_record_whose_source_is_gone_does_not_come(writer: Writer) -> None:
    assert writer.begin(1)
    record = writer.link.record
    writer.wake.close()
    with pytest.raises(SimulationEnded, match="ended while it wrote the record of tick 1"):
        _ = record.poses
    assert record.readings.tolist() == [1.0] * 3


def test_a_source_that_stands_still_is_not_waited_for_without_end(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_REST", 0.0)
    assert writer.begin(1)
    with pytest.raises(SimulationEnded):
        writer.link.record.complete()


def test_a_record_that_was_overwritten_meanwhile_is_not_made_up(writer: Writer) -> None:
    assert writer.begin(1)
    record = writer.link.record
    writer.finish(1)
    for tick in range(2, 5000):
        writer.finish(tick)
    with pytest.raises(SimulationEnded):
        record.complete()


def test_the_host_sees_a_record_that_was_begun_while_it_watches(writer: Writer) -> None:
    writer.finish(1)
    assert writer.link.record.tick == 1
    assert writer.begin(2)
    assert writer.link.watch(0.0)


def test_who_watches_goes_on_as_soon_as_the_next_record_has_begun(writer: Writer) -> None:
    writer.link.poll()

    class Poll:
        """Lets a record begin while the link watches for it."""

        def until(self, is_there: Callable[[], bool], _seconds: float) -> bool:
            assert not is_there()
            writer.begin(1)
            return is_there()

    writer.link._watch = Poll()  # type: ignore[assignment]
    assert writer.link.watch(1.0)
    assert writer.link.watch(1.0)  # it is there: nobody waits
