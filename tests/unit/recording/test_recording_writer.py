"""Writing a recording, and what happens when that fails."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader
from recording_scenes import SCENARIO, STEP_NS, full_after, layout, record, same, write

from coopsim import version
from coopsim.errors import CannotRecord
from coopsim.recording import CHANNELS, Recording, Writer
from coopsim.recording.building import capacity
from coopsim.state import RecordHeader


def test_everything_is_in_the_file_after_it_is_closed(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 250)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert (len(recording), recording.complete, recording.gaps) == (250, True, 0)
        assert (recording.first_tick, recording.last_tick) == (1, 250)
        assert recording.duration == pytest.approx(2.49)
        assert recording.attachments == SCENARIO
        assert recording.layout(0) == layout()


def test_metadata_says_what_was_told_and_which_versions_wrote_it(tmp_path: Path) -> None:
    facts = {"seed": 3, "flags": ["--free"], "parent": {"file": "b.mcap", "at": 12.5}, "engine": "größer", "none": None}
    Writer(tmp_path / "a.mcap", metadata=facts).close()
    metadata = Recording.open(tmp_path / "a.mcap").metadata
    assert {name: metadata[name] for name in facts} == facts
    assert {"coopsim", "python", "numpy", "numba", "pymunk"} <= metadata["versions"].keys()
    assert metadata["program"] == version.program()
    assert metadata["program"]["build"] == version.build()
    assert metadata["format"] == 1


def test_what_was_taken_is_handed_to_the_system_once_a_second_of_the_clock(tmp_path: Path) -> None:
    now = [0.0]
    writer = Writer(tmp_path / "a.mcap", clock=lambda: now[0])
    on_disk = []
    for number in range(1, 31):
        now[0] += 0.1
        writer.write(record(number))
        on_disk.append(len(Recording.open(tmp_path / "a.mcap")))
    assert all(number - seen <= 11 for number, seen in enumerate(on_disk, 1))
    assert len(set(on_disk)) == 3
    writer.close()


def test_records_are_handed_over_also_when_no_more_come(tmp_path: Path) -> None:
    now = [0.0]
    writer = Writer(tmp_path / "a.mcap", clock=lambda: now[0])
    writer.write(record(1))
    now[0] = 0.9
    writer.flush_due()
    assert len(Recording.open(tmp_path / "a.mcap")) == 0
    now[0] = 1.0
    writer.flush_due()
    assert len(Recording.open(tmp_path / "a.mcap")) == 1
    writer.close()


def test_a_growing_file_can_be_read_and_is_not_complete(tmp_path: Path) -> None:
    writer = write(tmp_path / "a.mcap", 200, close=False)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert (len(recording), recording.complete) == (200, False)
        assert recording.metadata["seed"] == 7
    writer.close()


def test_records_of_another_size_or_generation_begin_a_chunk(tmp_path: Path) -> None:
    with Writer(tmp_path / "a.mcap") as writer:
        heads = [{}, {"generation": 1}, {"generation": 1, "bodies": 0}, {"readings": 0}, {"commands": 0}]
        expected = [record(number, **head) for number, head in enumerate(heads)]
        for expected_record in expected:
            writer.write(expected_record)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert recording.chunks == 5
        assert all(map(same, recording.records(), expected))


def test_gaps_are_counted_where_they_are_and_at_the_end(tmp_path: Path) -> None:
    with Writer(tmp_path / "a.mcap") as writer:
        writer.gap(2)
        for number in (3, 4, 8, 9):
            if number == 8:
                writer.gap(3)
            writer.write(record(number))
        writer.gap(5)
    assert writer.gaps == 10
    assert Recording.open(tmp_path / "a.mcap").gaps == 10


def test_time_goes_on_where_the_clock_was_reset(tmp_path: Path) -> None:
    times = [5, 6, 7, 0, 1, 2, 0, 1]
    with Writer(tmp_path / "a.mcap") as writer:
        for number, time in enumerate(times):
            writer.write(record(number, time_ns=time * STEP_NS))
    with Recording.open(tmp_path / "a.mcap") as recording:
        (block,) = (block for _, block in recording.blocks())
        assert (block.positions_ns // STEP_NS).tolist() == [5, 6, 7, 7, 8, 9, 9, 10]
        assert (block.head("time_ns") // STEP_NS).tolist() == times


def test_numbers_that_float32_cannot_hold_become_infinite(tmp_path: Path) -> None:
    big = record(1)
    readings = big.readings.copy()
    readings[:2] = [1e300, -1e300]
    raw = big._raw.replace(big.readings.tobytes(), readings.tobytes())
    with Writer(tmp_path / "a.mcap") as writer:
        writer.write(type(big)(raw))
    (back,) = Recording.open(tmp_path / "a.mcap").records()
    assert back.readings[:2].tolist() == [float("inf"), float("-inf")]


@pytest.mark.parametrize("robots", [1, 10, 100, 1000, 20_000])
def test_chunks_hold_many_records_of_few_robots_and_few_of_many(robots: int) -> None:
    header = RecordHeader(bodies=robots, readings=57 * robots, commands=4 * robots)
    size = capacity(header) * header.size
    assert 1 <= capacity(header) <= 128
    assert size < 40_000_000
    assert capacity(header) == 128 or size > 1 << 19


def test_a_recording_without_records_can_be_read(tmp_path: Path) -> None:
    with Writer(tmp_path / "a.mcap") as writer:
        writer.layout(layout(4))
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert (len(recording), recording.complete, recording.duration) == (0, True, 0.0)
        assert recording.layout(4) == layout(4)
        assert list(recording.records()) == []
        assert recording.keyframe(0) is None


# what cannot be written


def test_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_text("mine")
    with pytest.raises(CannotRecord, match="exists already"):
        Writer(tmp_path / "a.mcap")
    assert (tmp_path / "a.mcap").read_text() == "mine"


@pytest.mark.parametrize("path", ["no/such/folder/a.mcap", "file/a.mcap", "x" * 300])
def test_a_path_that_cannot_be_written_is_named(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotRecord, match=path):
        Writer(tmp_path / path)


@pytest.mark.parametrize("room", [0, 5, 100, 3000])
def test_a_disk_that_is_full_from_the_start_leaves_no_file(tmp_path: Path, room: int) -> None:
    with pytest.raises(CannotRecord, match="No space left"):
        Writer(tmp_path / "a.mcap", attachments={"big": "x" * 5000}, opener=full_after(room))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("room", range(8000, 40_000, 3217))
def test_what_was_written_before_the_disk_was_full_stays_readable(tmp_path: Path, room: int) -> None:
    writer = Writer(tmp_path / "a.mcap", clock=lambda: 0.0, opener=full_after(room))
    flushed = fill(writer)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert len(recording) == flushed
        assert not recording.complete
        assert all(same(written, record(number)) for number, written in enumerate(recording.records(), 1))


def fill(writer: Writer) -> int:
    """Write until the disk is full; return how many records were flushed before."""
    flushed = 0
    try:
        while flushed < 10_000:
            for number in range(flushed + 1, flushed + 21):
                writer.write(record(number))
            writer.flush()
            flushed += 20
    except CannotRecord:
        return flushed
    pytest.fail("the disk was never full")


def test_nothing_more_is_written_after_a_failure_and_closing_is_quiet(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.mcap", clock=lambda: 0.0, opener=full_after(9000))
    fill(writer)
    size = (tmp_path / "a.mcap").stat().st_size
    with pytest.raises(CannotRecord, match="closed"):
        writer.write(record(1))
    writer.close()
    writer.close()
    assert (tmp_path / "a.mcap").stat().st_size == size


def test_a_disk_that_is_full_at_the_end_is_told_and_the_records_are_readable(tmp_path: Path) -> None:
    earlier = write(tmp_path / "a.mcap", 100, close=False)
    size = earlier.size_bytes
    earlier.close()
    writer = Writer(
        tmp_path / "b.mcap", metadata={"seed": 7}, attachments=SCENARIO, opener=full_after(size + 200), clock=lambda: 0
    )
    for number in range(1, 101):
        writer.write(record(number))
    writer.flush()
    with pytest.raises(CannotRecord, match="No space left"):
        writer.close()
    assert len(Recording.open(tmp_path / "b.mcap")) == 100


def removed(path: Path) -> None:
    path.unlink()


def renamed(path: Path) -> None:
    path.rename(path.with_name("kept.mcap"))


def replaced(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"another run")


def cut(path: Path) -> None:
    os.truncate(path, 100)


@pytest.mark.parametrize("change", [removed, renamed, replaced, cut], ids=lambda change: change.__name__)
@pytest.mark.parametrize("has_records", [True, False], ids=["with records", "while paused"])
def test_a_file_that_somebody_changes_while_it_is_written_is_noticed_within_a_second(
    tmp_path: Path, change: Callable[[Path], None], has_records: bool
) -> None:
    now = [0.0]
    writer = Writer(tmp_path / "a.mcap", clock=lambda: now[0])
    writer.layout(layout())
    writer.write(record(1))
    writer.flush()
    change(tmp_path / "a.mcap")
    if has_records:
        writer.write(record(2))
    now[0] = 1.0
    with pytest.raises(CannotRecord, match=f"while it was being recorded, the file was {change.__name__}"):
        writer.flush_due()
    writer.flush_due()
    writer.close()
    if change is renamed:
        assert len(Recording.open(tmp_path / "kept.mcap")) == 1


def test_a_file_that_is_removed_in_the_last_moment_is_noticed_at_the_end(tmp_path: Path) -> None:
    writer = write(tmp_path / "a.mcap", 3, close=False)
    (tmp_path / "a.mcap").unlink()
    with pytest.raises(CannotRecord, match="was removed: what was recorded is lost"):
        writer.close()


def test_writing_after_closing_is_refused(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.mcap")
    writer.close()
    with pytest.raises(CannotRecord, match="closed"):
        writer.write(record(1))


def test_the_schema_says_element_type_and_byte_order_of_every_table() -> None:
    schema = CHANNELS[0].schema["properties"]
    types = {name: field["x-element"] for name, field in schema.items() if "x-element" in field}
    floats = dict.fromkeys(("poses", "twists", "readings"), "<f4")
    assert types == {"heads": "<u8", "speed": "<f8", "commands": "<f8", **floats}


def test_publish_times_are_dates_and_log_times_simulated(tmp_path: Path) -> None:
    before = time.time_ns()
    with Writer(tmp_path / "a.mcap") as writer:
        writer.write(record(3, wall_ns=time.monotonic_ns()))
    with (tmp_path / "a.mcap").open("rb") as file:
        (message,) = (message_ for _, _, message_ in make_reader(file).iter_messages())
    assert message.log_time == 3 * STEP_NS
    assert before - 10**9 <= message.publish_time <= time.time_ns() + 10**9
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert before - 10**9 <= recording.began_ns <= time.time_ns() + 10**9
