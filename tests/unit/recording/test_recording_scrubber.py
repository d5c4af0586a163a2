"""Going anywhere in a recording."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recording_scenes import STEP_NS, record, same, write

from coopsim.errors import DamagedRecording
from coopsim.recording import RecordBlock, Recording, Scrubber, Writer


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Return 1000 records, ticks 1 to 1000, at 0.01 to 10 s."""
    path = tmp_path_factory.mktemp("long") / "a.mcap"
    write(path, 1000, generations=3)
    return Recording.open(path)


@pytest.mark.parametrize(
    ("seconds", "tick"),
    [
        (-5.0, 1),
        (0.0, 1),
        (0.01, 1),
        (0.019, 1),
        (0.02, 2),
        (1.0, 100),
        (1.005, 100),
        (1.01, 101),
        (10.0, 1000),
        (99, 1000),
    ],
)
def test_the_last_record_at_or_before_a_time_is_found(long: Recording, seconds: float, tick: int) -> None:
    assert Scrubber(long).at_time(seconds).tick == tick


@pytest.mark.parametrize(("tick", "expected"), [(-1, 1), (0, 1), (1, 1), (100, 100), (777, 777), (2**70, 1000)])
def test_the_last_record_at_or_before_a_tick_is_found(long: Recording, tick: int, expected: int) -> None:
    assert Scrubber(long).at_tick(tick).tick == expected


def test_every_record_is_found_forward_and_backward(long: Recording) -> None:
    scrubber = Scrubber(long)
    for number in [*range(0, 1000, 7), *range(999, 0, -11)]:
        assert scrubber.at_tick(number + 1).tick == number + 1
        assert scrubber.record(number).tick == number + 1
        assert scrubber.position_ns(number) == (number + 1) * STEP_NS


def test_what_is_found_is_what_was_written(long: Recording) -> None:
    edits = [{"edit": "set_speed", "speed": 630 * 0.1}]
    assert same(Scrubber(long).at_tick(630), record(630, edits, generation=1))


def test_a_number_beyond_an_end_is_that_end(long: Recording) -> None:
    assert [Scrubber(long).record(number).tick for number in (-3, 5000)] == [1, 1000]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(1, 7), st.lists(st.integers(-1, 250)))
def test_it_finds_what_a_search_through_all_records_finds(
    tmp_path: Path, pauses: list[int], flush_every: int, wanted: list[int]
) -> None:
    path = tmp_path / "a.mcap"
    path.unlink(missing_ok=True)
    times, tick = [], 0
    with Writer(path) as writer:
        for number, pause in enumerate(pauses):
            tick += pause  # 0 = an edit while the simulation was paused
            times.append(tick)
            writer.write(record(tick, revision=number))
            if number % flush_every == 0:
                writer.flush()
    with Recording.open(path) as recording:
        scrubber = Scrubber(recording, cached_bytes=0)
        for time in wanted:
            expected = max((number for number, instant in enumerate(times) if instant <= time), default=0)
            assert scrubber.number_at(time * STEP_NS) == scrubber.number_at_tick(time) == expected


def test_chunks_that_were_used_last_are_kept_and_the_others_make_room(long: Recording) -> None:
    reads: list[int] = []
    chunk_bytes = long.block(0).decoded_bytes
    scrubber = Scrubber(Counted(long, reads), cached_bytes=int(2.5 * chunk_bytes))
    for tick in (1, 50, 150, 2, 160, 250, 151, 3):
        scrubber.at_tick(tick)
    assert reads == [0, 1, 2, 0]


class Counted(Recording):
    """A recording that notes which chunks are read."""

    def __init__(self, recording: Recording, reads: list[int]) -> None:
        super().__init__(recording.path)
        self._reads = reads

    def block(self, chunk: int) -> RecordBlock:
        """Note it and read it."""
        self._reads.append(chunk)
        return super().block(chunk)


def test_one_chunk_is_kept_even_when_there_is_no_room(long: Recording) -> None:
    reads: list[int] = []
    scrubber = Scrubber(Counted(long, reads), cached_bytes=0)
    for tick in (1, 2, 3, 150, 151):
        scrubber.at_tick(tick)
    assert reads == [0, 1]


def test_commands_in_force_are_known_at_every_record(long: Recording) -> None:
    scrubber = Scrubber(long)
    for tick in (1, 101, 333, 999):
        assert scrubber.at_tick(tick).commands.tolist() == record(tick).commands.tolist()


def test_a_recording_without_records_says_so(tmp_path: Path) -> None:
    Writer(tmp_path / "a.mcap").close()
    scrubber = Scrubber(Recording.open(tmp_path / "a.mcap"))
    for search in (scrubber.at_time, scrubber.at_tick, scrubber.record, scrubber.position_ns):
        with pytest.raises(DamagedRecording, match="no record"):
            search(1)
