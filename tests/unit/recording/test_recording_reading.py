"""What is read is what was written."""

import gc
import os
from pathlib import Path

import msgpack
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.writer import Writer as McapWriter
from recording_scenes import STEP_NS, layout, record, same, write

from coopsim.errors import DamagedRecording, NotARecording
from coopsim.recording import Recording, Writer
from coopsim.state import MODES, Record, RecordHeader
from coopsim.state.edits import AppliedEdit, SetSpeed
from coopsim.state.record import padded

WORD = st.integers(0, 2**63 - 1)
SIZES = st.integers(0, 3)
VALUES = st.floats(width=32, allow_nan=False)
EDITS = st.dictionaries(
    st.one_of(st.text(max_size=5), st.sampled_from(["event", "problem", "name"])).filter(lambda name: name != "edit"),
    st.one_of(
        st.integers(0, 1),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=9),
    ),
).map(lambda edit: {"edit": "of a later version", **edit})


@st.composite
def records(draw: st.DrawFn) -> Record:
    edits = draw(st.lists(EDITS, max_size=2))
    packed = msgpack.packb(edits) if edits else b""
    keyframe = draw(st.binary(max_size=20))
    header = RecordHeader(
        tick=draw(WORD),
        revision=draw(WORD),
        time_ns=draw(st.integers(0, 2**56)),
        step_ns=draw(WORD),
        generation=draw(st.integers(0, 2)),
        mode=draw(st.integers(0, len(MODES) - 1)),
        paused=draw(st.booleans()),
        ended=draw(st.booleans()),
        bodies=draw(SIZES),
        readings=draw(SIZES),
        commands=draw(SIZES),
        edits_bytes=len(packed),
        keyframe_bytes=len(keyframe),
        overruns=draw(WORD),
        max_lateness_ns=draw(WORD),
        slipped_ns=draw(WORD),
        wall_ns=draw(WORD),
        speed=draw(st.floats(0.1, 100.0)),
        state_hash=draw(st.binary(min_size=16, max_size=16)),
    )
    count = 13 * header.bodies + header.readings
    values = draw(st.lists(VALUES, min_size=count, max_size=count))
    commands = draw(st.lists(st.floats(allow_nan=False), min_size=header.commands, max_size=header.commands))
    raw = header.pack() + np.array([*values, *commands], np.float64).tobytes()
    return Record(raw + packed.ljust(padded(len(packed)), b"\0") + keyframe.ljust(padded(len(keyframe)), b"\0"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records(), max_size=8), st.integers(1, 4))
def test_records_come_back_bit_by_bit(tmp_path: Path, written: list[Record], flush_every: int) -> None:
    """C-99: a recording holds poses, readings, commands and times of every step."""
    path = tmp_path / "a.mcap"
    path.unlink(missing_ok=True)
    with Writer(path) as writer:
        for number, original in enumerate(written):
            writer.write(original)
            if number % flush_every == 0:
                writer.flush()
    with Recording.open(path) as recording:
        assert [record._raw for record in recording.records()] == [original._raw for original in written]


@pytest.mark.parametrize(("first", "end"), [(0, None), (0, 1), (99, 101), (100, 200), (205, None), (249, 9999), (7, 7)])
def test_a_part_of_the_records_is_read(tmp_path: Path, first: int, end: int | None) -> None:
    write(tmp_path / "a.mcap", 250)
    with Recording.open(tmp_path / "a.mcap") as recording:
        ticks = [record.tick for record in recording.records(first, end)]
    assert ticks == list(range(1, 251))[first:end]


def test_blocks_hold_the_same_as_records(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 250)
    with Recording.open(tmp_path / "a.mcap") as recording:
        blocks = list(recording.blocks())
        all_records = list(recording.records())
    assert [number for number, _ in blocks] == [0, 100, 200]
    for number, block in blocks:
        for row in range(len(block)):
            expected = all_records[number + row]
            assert (block.ticks[row], block.head("time_ns")[row]) == (expected.tick, expected.header.time_ns)
            assert np.array_equal(block.poses[row], expected.poses)
            assert np.array_equal(block.twists[row], expected.twists)
            assert np.array_equal(block.readings[row], expected.readings)
            assert np.array_equal(block.commands[row], expected.commands)
            assert block.hashes[row].tobytes() == expected.header.state_hash


def test_edits_are_found_without_reading_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 250)
    with Recording.open(tmp_path / "a.mcap") as recording:
        edits = list(recording.edits())
        later = [edit.tick for edit in recording.edits(first=70)]
    assert [(edit.number, edit.tick, edit.time_ns) for edit in edits] == [
        (number - 1, number, number * STEP_NS) for number in (70, 140, 210)
    ]
    assert edits[1].edits == (AppliedEdit(SetSpeed(140 * 0.1)),)
    assert edits[1].position_ns == 140 * STEP_NS
    assert later == [140, 210]


@pytest.mark.parametrize(("number", "expected"), [(0, None), (48, None), (49, 50), (98, 50), (99, 100), (500, 250)])
def test_the_last_key_frame_at_or_before_a_record_is_found(tmp_path: Path, number: int, expected: int | None) -> None:
    write(tmp_path / "a.mcap", 260, keyframes=50)
    with Recording.open(tmp_path / "a.mcap") as recording:
        key_frame = recording.keyframe(number)
    if expected is None:
        assert key_frame is None
    else:
        assert key_frame is not None
        assert (key_frame.number, key_frame.tick) == (expected - 1, expected)
        assert key_frame.time_ns == key_frame.position_ns == expected * STEP_NS
        assert key_frame.state == bytes([expected % 251]) * 45


def test_a_key_frame_that_the_record_does_not_carry_is_kept_too(tmp_path: Path) -> None:
    with Writer(tmp_path / "a.mcap") as writer:
        writer.write(record(1))
        writer.write(record(2), b"state")
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert [record.keyframe for record in recording.records()] == [b"", b"state"]


def test_every_generation_has_its_layout(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 250, generations=3)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert recording.generations == (0, 1, 2)
        assert [recording.layout(generation) for generation in range(3)] == [
            layout(generation_) for generation_ in range(3)
        ]
        assert {record.generation for record in recording.records()} == {0, 1, 2}
        with pytest.raises(DamagedRecording, match="generation 7 is missing"):
            recording.layout(7)


# what is no recording


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotARecording, match=r"none\.mcap: No such file"):
        Recording.open(tmp_path / "none.mcap")
    with pytest.raises(NotARecording, match="no file"):
        Recording.open(tmp_path)


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotARecording, match="no file"):
        Recording.open(tmp_path / "pipe")


@pytest.mark.parametrize("content", [b"", b"x", b"[WORLD]\nfile\n", bytes(10_000), b"\x89PNG\r\n\x1a\n" + bytes(99)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.mcap").write_bytes(content)
    with pytest.raises(NotARecording, match=r"a\.mcap"):
        Recording.open(tmp_path / "a.mcap")


@pytest.mark.parametrize(("profile", "library"), [("ros2", "rosbag2"), ("coopsim", "mcap filter")])
def test_mcap_files_of_others_are_refused_by_name(tmp_path: Path, profile: str, library: str) -> None:
    with (tmp_path / "a.mcap").open("wb") as file:
        writer = McapWriter(file)
        writer.start(profile, library)
        writer.finish()
    with pytest.raises(NotARecording, match=library):
        Recording.open(tmp_path / "a.mcap")


def test_a_recording_of_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.recording.writer.FORMAT", 99)
    write(tmp_path / "a.mcap", 1)
    with pytest.raises(NotARecording, match="format 99"):
        Recording.open(tmp_path / "a.mcap")


def test_a_closed_recording_leaves_no_open_file(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 1)
    (tmp_path / "b.mcap").write_bytes(b"no")
    gc.collect()  # what others left closes its descriptors now
    before = set(os.listdir("/proc/self/fd"))
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert same(next(recording.records()), record(1))
    with pytest.raises(NotARecording):
        Recording.open(tmp_path / "b.mcap")
    assert set(os.listdir("/proc/self/fd")) <= before
