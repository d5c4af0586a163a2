"""The bytes of a record."""

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import InternalError
from coopsim.state import HEADER_BYTES, MODES, Record, RecordHeader

WORD = st.integers(0, 2**64 - 1)
SMALL = st.integers(0, 2**32)
HEADERS = st.builds(
    RecordHeader,
    tick=WORD,
    revision=WORD,
    time_ns=WORD,
    step_ns=WORD,
    generation=WORD,
    mode=st.integers(0, len(MODES) - 1),
    paused=st.booleans(),
    ended=st.booleans(),
    bodies=SMALL,
    readings=SMALL,
    commands=SMALL,
    edits_bytes=SMALL,
    keyframe_bytes=SMALL,
    layout_bytes=SMALL,
    overruns=WORD,
    max_lateness_ns=WORD,
    slipped_ns=WORD,
    wall_ns=WORD,
    speed=st.floats(allow_nan=False),
    state_hash=st.binary(min_size=16, max_size=16),
)


def record(header: RecordHeader, *arrays: np.ndarray, edits: bytes = b"") -> bytes:
    raw = header.pack() + b"".join(array.astype("<f8").tobytes() for array in arrays) + edits
    return raw.ljust(header.size, b"\0")


@given(HEADERS)
def test_a_header_comes_back_from_its_bytes(header: RecordHeader) -> None:
    raw = header.pack()
    assert len(raw) == HEADER_BYTES
    assert RecordHeader.unpack(raw) == header


@given(HEADERS)
def test_a_record_begins_with_its_size_in_whole_words(header: RecordHeader) -> None:
    assert int.from_bytes(header.pack()[:8], "little") == header.size
    assert header.size % 8 == 0


@pytest.mark.parametrize("bodies", [0, 1, 3])
@pytest.mark.parametrize("edits", [[], [{"edit": "set_speed", "speed": 2.0}], [{"edit": "pause"}, {"edit": "reset"}]])
def test_arrays_and_edits_lie_where_the_header_says(bodies: int, edits: list[dict[str, object]]) -> None:
    packed = msgpack.packb(edits) if edits else b""
    header = RecordHeader(tick=4, time_ns=40_000_000, bodies=bodies, readings=5, commands=2, edits_bytes=len(packed))
    poses, twists = np.arange(7.0 * bodies).reshape(-1, 7), -np.arange(6.0 * bodies).reshape(-1, 6)
    back = Record(record(header, poses, twists, np.arange(5.0), np.array([8.0, 9.0]), edits=packed))
    assert np.array_equal(back.poses, poses)
    assert np.array_equal(back.twists, twists)
    assert (back.readings.tolist(), back.commands.tolist()) == ([0.0, 1.0, 2.0, 3.0, 4.0], [8.0, 9.0])
    assert back.edits == edits
    assert (back.tick, back.time, back.mode, back.generation) == (4, 0.04, "real-time", 0)


def test_the_arrays_of_a_record_cannot_be_written() -> None:
    back = Record(record(RecordHeader(readings=1), np.ones(1)))
    with pytest.raises(ValueError, match="read-only"):
        back.readings[0] = 2.0


@pytest.mark.parametrize("kept", [0, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 8])
def test_a_record_that_is_cut_off_is_refused(kept: int) -> None:
    raw = record(RecordHeader(readings=2), np.ones(2))
    with pytest.raises(InternalError, match=str(kept)):
        Record(raw[:kept])
