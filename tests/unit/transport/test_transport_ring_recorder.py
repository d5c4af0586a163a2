"""The ring and its recorder, a reader that must miss nothing."""

from collections.abc import Iterator

import numpy as np
import pytest

from coopsim.state import Record, RecordHeader
from coopsim.transport import Ring


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=16)
    yield ring
    ring.unlink()


def put(ring: Ring, tick: int, keyframe: int = 0) -> int:
    """Append a record; return its size."""
    header = RecordHeader(tick=tick, keyframe_bytes=keyframe)
    ring.append(header, (np.zeros(0),), b"", bytes(keyframe))
    return header.size


def test_there_is_room_without_a_recorder_and_when_it_has_left(ring: Ring) -> None:
    assert ring.has_room(ring.largest)
    put(ring, 0)
    ring.acknowledge(ring.position)
    assert not ring.has_room(ring.largest)
    ring.detach_reader()
    assert ring.has_room(ring.largest)


def test_there_is_no_room_for_what_would_overwrite_a_record_that_is_not_read(ring: Ring) -> None:
    put(ring, 0)
    ring.acknowledge(ring.position)
    size, tick = 0, 1
    while ring.has_room(size := RecordHeader(keyframe_bytes=50_000).size):
        put(ring, tick, 50_000)
        tick += 1
    records, cursor, lost = ring.following(ring.recorder_cursor)
    assert [Record(raw).tick for raw in records] == list(range(tick))
    assert lost == 0
    ring.acknowledge(cursor)
    assert ring.has_room(size)


def test_a_record_of_almost_the_whole_ring_has_room_once_everything_is_read(ring: Ring) -> None:
    put(ring, 0, 400_000)
    ring.acknowledge(ring.position)
    _, cursor, _ = ring.following(ring.recorder_cursor)
    ring.acknowledge(cursor)
    large = RecordHeader(keyframe_bytes=900_000).size
    assert ring.has_room(large)
    put(ring, 1, 900_000)
    (raw,), _, _ = ring.following(cursor)
    assert Record(raw).tick == 1


def test_records_can_be_taken_a_few_at_a_time(ring: Ring) -> None:
    sizes = [put(ring, tick) for tick in range(10)]
    size = sizes[0]
    cursor, ticks = 0, []
    while records := (taken := ring.following(cursor, 3 * size))[0]:
        assert len(records) <= 3
        ticks += [Record(raw).tick for raw in records]
        cursor = taken[1]
    assert ticks == list(range(10))


def test_the_largest_record_is_as_large_as_the_ring(ring: Ring) -> None:
    assert ring.largest == 1 << 20
