"""Records as they are read in part, and events that recordings keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import InternalError
from coopsim.message import ChannelEvent
from coopsim.state import Record, RecordHeader
from coopsim.state.edits.events import PublishEvents
from coopsim.state.record import HEADER_BYTES, padded

EVENT = st.builds(
    ChannelEvent,
    st.text(max_size=12),
    st.text(max_size=12),
    st.lists(st.floats(allow_nan=False), max_size=4).map(tuple),
    st.text(max_size=8),
    st.integers(0, 1 << 40),
    number=st.just(0),  # only an event on its way has one
)


def record(bodies: int = 1, readings: int = 2, commands: int = 3, keyframe: bytes = b"", layout: bytes = b"") -> bytes:
    header = RecordHeader(
        tick=7, time_ns=70_000_000, generation=4, bodies=bodies, readings=readings, commands=commands,
        keyframe_bytes=len(keyframe), layout_bytes=len(layout),
    )  # fmt: skip
    arrays = np.arange(float(13 * bodies + readings + commands)).tobytes()
    parts = [part + bytes(padded(len(part)) - len(part)) for part in (keyframe, layout)]
    return header.pack() + arrays + b"".join(parts)


def test_a_record_tells_its_instant() -> None:
    read = Record(record())
    assert (read.tick, read.time, read.generation, read.mode) == (7, 0.07, 4, "real-time")


@pytest.mark.parametrize(("bodies", "readings", "commands"), [(0, 0, 0), (1, 2, 3), (3, 0, 5), (2, 7, 0)])
def test_arrays_lie_behind_each_other(bodies: int, readings: int, commands: int) -> None:
    read = Record(record(bodies, readings, commands))
    assert (read.poses.shape, read.twists.shape) == ((bodies, 7), (bodies, 6))
    numbers = np.concatenate([read.poses.ravel(), read.twists.ravel(), read.readings, read.commands])
    assert numbers.tolist() == list(range(13 * bodies + readings + commands))
    assert read.header.readings_begin == HEADER_BYTES + 8 * 13 * bodies


def test_arrays_are_read_once_and_kept() -> None:
    read = Record(record())
    assert read.poses is read.poses
    assert read.readings is read.readings
    assert "Readings of all robots" in str(Record.readings.__doc__)


@pytest.mark.parametrize("keyframe", [b"", b"k", b"k" * 8, b"k" * 13])
@pytest.mark.parametrize("layout", [b"", b"l", b"l" * 16])
def test_what_most_records_do_not_have_lies_behind_the_arrays(keyframe: bytes, layout: bytes) -> None:
    raw = record(keyframe=keyframe, layout=layout)
    read = Record(raw)
    assert (read.keyframe, read.packed_layout) == (keyframe, layout)
    assert len(raw) == read.header.size
    assert read.header.size % 8 == 0
    assert read.edits == []
    assert len(read.raw_arrays) == HEADER_BYTES + 8 * (13 + 2 + 3)


def test_a_record_without_a_whole_header_is_refused_with_its_size() -> None:
    with pytest.raises(InternalError, match=f"a record has at least {HEADER_BYTES} bytes, this one has 5"):
        Record(b"short")
    with pytest.raises(InternalError, match="is cut off after"):
        Record(record()[:-1])


@given(st.lists(EVENT, max_size=6), st.integers(0, 9))
def test_events_come_back_with_their_own_numbers(events: list[ChannelEvent], lost: int) -> None:
    kept = PublishEvents.of(iter(events), lost)
    assert kept.events == events
    assert kept.lost == lost
    assert PublishEvents.of(events, lost) == kept


def test_events_are_told_in_one_line_and_change_nothing() -> None:
    events = [ChannelEvent("/game/log", "begins", (), "a", 1), ChannelEvent("/x", "", (1.0,), "b", 2)]
    assert PublishEvents.of(events).as_text() == "events: /game/log begins, /x"
    assert PublishEvents.of(events[:1], 3).as_text() == "events: /game/log begins (3 more are lost)"
    assert (PublishEvents.changes_state, PublishEvents.waits_for_tick, PublishEvents.is_mark) == (False, True, False)
