"""What comes through the ring stands in the file, or the file says how much is missing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from recorder_scenes import STEP_NS, Source, shared_ring

from coopsim.errors import CannotRecord
from coopsim.recorder.ring_recorder import BATCH, RingRecorder
from coopsim.recording import Recording, Writer
from coopsim.state.edits import AppliedEdit, Checkpoint
from coopsim.transport import Ring


@pytest.fixture
def ring() -> Iterator[Ring]:
    with shared_ring() as ring:
        yield ring


@pytest.fixture
def source(ring: Ring) -> Source:
    return Source(ring)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mcap"


@pytest.fixture
def ring_recorder(ring: Ring, path: Path) -> RingRecorder:
    return RingRecorder(ring, Writer(path, clock=lambda: 0.0))


def ticks_of(path: Path) -> list[int]:
    with Recording.open(path) as recording:
        return [record.tick for record in recording.records()]


def follow_all(ring_recorder: RingRecorder) -> None:
    while ring_recorder.follow():
        pass


def test_every_record_from_the_first_one_on_is_written(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish_many(5)
    ring_recorder.begin(ring.position, source.revision - 1)
    source.publish_many(10)
    follow_all(ring_recorder)
    assert ring_recorder.has_read(ring.position)
    ring_recorder.close()
    assert ticks_of(path) == list(range(4, 15))


def test_the_source_is_told_how_far_the_ring_is_read(ring: Ring, source: Source, ring_recorder: RingRecorder) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    assert ring.recorder_cursor == ring.position
    follow_all(ring_recorder)
    assert ring.recorder_cursor > ring.position
    ring_recorder.close()
    assert ring.recorder_cursor == -1


def test_what_is_overwritten_before_it_is_read_is_counted(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    follow_all(ring_recorder)
    source.overrun()
    follow_all(ring_recorder)
    source.publish()
    follow_all(ring_recorder)
    ring_recorder.close()
    ticks = ticks_of(path)
    assert (ticks[0], ticks[-1]) == (0, source.revision - 1)
    with Recording.open(path) as recording:
        assert recording.gaps == source.revision - len(ticks) > 0
        assert ring_recorder.status["gaps"] == recording.gaps


def test_a_first_record_that_is_overwritten_already_is_counted(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish(keyframe=b"state")
    ring_recorder.begin(ring.position, 0)
    source.overrun()
    follow_all(ring_recorder)
    ring_recorder.close()
    with Recording.open(path) as recording:
        assert recording.gaps == source.revision - len(recording)


def generations_of(path: Path) -> list[int]:
    with Recording.open(path) as recording:
        records = list(recording.records())
        assert [recording.layout(record.generation).generation for record in records] == [
            record.generation for record in records
        ]
        return [record.generation for record in records]


def test_each_generation_is_written_with_its_layout_however_fast_they_follow_one_another(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    for generation in range(2, 300):
        source.publish(generation=generation)
    follow_all(ring_recorder)
    ring_recorder.close()
    assert generations_of(path) == list(range(1, 300))


def test_a_recording_may_begin_in_the_midst_of_a_generation(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish_many(5)
    ring.repeat_layout()
    source.publish()
    ring_recorder.begin(ring.position, source.revision - 1)
    source.publish(generation=2)  # the layout of the one before has to come with the first record
    follow_all(ring_recorder)
    ring_recorder.close()
    assert generations_of(path) == [1, 2]


def test_a_generation_that_was_overwritten_is_missing_and_the_newest_one_is_there(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    source.publish(generation=2)
    end = ring.position + 3 * ring.largest
    while ring.position < end:
        source.publish(generation=3)
    follow_all(ring_recorder)
    ring_recorder.close()
    assert generations_of(path) == [3]
    with Recording.open(path) as recording:
        assert (recording.generations, recording.gaps) == ((3,), source.revision - 1)


def test_edits_and_key_frames_are_written_with_their_records(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish(edit="checkpoint", keyframe=b"state")
    ring_recorder.begin(ring.position, 0)
    source.publish()
    source.publish(keyframe=b"later")
    follow_all(ring_recorder)
    ring_recorder.close()
    with Recording.open(path) as recording:
        assert [(edit.number, edit.edits) for edit in recording.edits()] == [(0, (AppliedEdit(Checkpoint()),))]
        frames = [recording.keyframe(number) for number in range(3)]
    assert [(frame.number, frame.state) for frame in frames if frame] == [(0, b"state"), (0, b"state"), (2, b"later")]


def test_it_knows_when_the_run_is_over(ring: Ring, source: Source, ring_recorder: RingRecorder) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    follow_all(ring_recorder)
    assert not ring_recorder.is_over
    source.publish(ended=True)
    follow_all(ring_recorder)
    assert ring_recorder.is_over
    ring_recorder.close()


def test_ticks_and_duration_go_on_when_the_clock_is_reset(
    ring: Ring, source: Source, ring_recorder: RingRecorder
) -> None:
    source.publish(5)
    ring_recorder.begin(ring.position, 0)
    for tick, time_ns in ((6, 60_000_000), (6, 60_000_000), (7, 70_000_000), (7, 0), (8, STEP_NS)):
        source.publish(tick, time_ns=time_ns)
    follow_all(ring_recorder)
    status = ring_recorder.status
    assert (status["ticks"], status["gaps"]) == (3, 0)
    assert status["duration"] == pytest.approx(0.03)
    ring_recorder.close()


def test_a_large_backlog_is_read_in_batches(tmp_path: Path) -> None:
    ring = Ring.create(ring_bytes=4 * BATCH, command_floats=8)
    try:
        source, ring_recorder = Source(ring), RingRecorder(ring, Writer(tmp_path / "a.mcap"))
        source.publish()
        ring_recorder.begin(ring.position, 0)
        while ring.position < 1.5 * BATCH:
            source.publish(keyframe=bytes(100_000))
        assert [ring_recorder.follow(), ring_recorder.follow()] == [True, False]
        assert ring_recorder.has_read(ring.position)
        ring_recorder.close()
    finally:
        ring.unlink()


def test_the_size_is_known_while_it_grows_and_when_it_is_closed(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    follow_all(ring_recorder)
    assert 0 < ring_recorder.status["size_bytes"] <= path.stat().st_size + 8192
    ring_recorder.close()
    assert ring_recorder.status["size_bytes"] == path.stat().st_size


def test_a_file_that_somebody_removes_meanwhile_is_told_and_what_was_written_is_counted(
    ring: Ring, source: Source, ring_recorder: RingRecorder, path: Path
) -> None:
    source.publish()
    ring_recorder.begin(ring.position, 0)
    path.unlink()
    follow_all(ring_recorder)
    with pytest.raises(CannotRecord, match="was removed: what was recorded is lost"):
        ring_recorder.close()
    assert ring_recorder.status["size_bytes"] > 0
