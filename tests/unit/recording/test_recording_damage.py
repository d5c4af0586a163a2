"""Files that were cut off, or whose bits flipped: read as far as they go, or refused with an error of ours."""

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from recording_scenes import SCENARIO, layout, record, same, write

from coopsim.errors import DamagedRecording, NotARecording, RecordingError
from coopsim.recording import Recording, Scrubber

COUNT = 600


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a recording."""
    path = tmp_path_factory.mktemp("whole") / "a.mcap"
    write(path, COUNT, generations=2)
    return path.read_bytes()


def test_a_file_cut_anywhere_opens_with_what_is_there_or_is_refused(tmp_path: Path, whole: bytes) -> None:
    cuts = sorted(random.Random(1).sample(range(len(whole)), 200))
    counts = [readable(tmp_path, whole[:cut]) for cut in cuts]
    assert counts == sorted(counts)
    assert counts[-1] == COUNT
    assert len(set(counts)) >= 6


@cache
def poses(number: int) -> bytes:
    """Return the poses of a record as the file holds them."""
    return record(number).poses.astype(np.float32).astype(np.float64).tobytes()


def readable(folder: Path, content: bytes) -> int:
    """Return how many records can be read, each as it was written; 0 if the file is refused."""
    path = folder / "cut.mcap"
    path.write_bytes(content)
    try:
        recording = Recording.open(path)
    except (DamagedRecording, NotARecording):
        return 0
    with recording:
        assert not recording.complete
        for number, record in enumerate(recording.records(), 1):
            assert (record.tick, record.poses.tobytes()) == (number, poses(number))
        assert recording.attachments.items() <= SCENARIO.items()
        if len(recording):
            assert Scrubber(recording).at_tick(10**9).tick == len(recording)
            assert recording.layout(0) == layout(0)
        return len(recording)


@pytest.mark.parametrize("cut", range(0, 130, 3))
def test_a_file_cut_near_its_beginning_is_refused_or_empty(tmp_path: Path, whole: bytes, cut: int) -> None:
    assert readable(tmp_path, whole[:cut]) == 0


def test_a_file_that_lost_only_its_end_has_all_records(tmp_path: Path, whole: bytes) -> None:
    for lost in (1, 8, 20, 40, 300):
        assert readable(tmp_path, whole[:-lost]) == COUNT


def test_flipped_bits_never_give_wrong_records_or_other_errors(tmp_path: Path, whole: bytes) -> None:
    chance = random.Random(2)
    outcomes = {True: 0, False: 0}
    for _ in range(300):
        flipped = bytearray(whole)
        for _ in range(chance.choice((1, 1, 4))):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        (tmp_path / "flipped.mcap").write_bytes(flipped)
        outcomes[reads_true(tmp_path / "flipped.mcap")] += 1
    assert all(outcomes.values())


def reads_true(path: Path) -> bool:
    """Return whether all can be read; fail when something is read that was not written."""
    try:
        with Recording.open(path) as recording:
            for record in recording.records():
                assert record.poses.tobytes() == poses(record.tick)
            for generation in recording.generations:
                assert recording.layout(generation) == layout(generation)
            texts = recording.attachments
            return len(recording) == COUNT and texts == SCENARIO
    except RecordingError:
        return False


def test_flipped_bits_in_a_cut_file_never_give_wrong_records(tmp_path: Path, whole: bytes) -> None:
    chance = random.Random(3)
    for _ in range(150):
        flipped = bytearray(whole[: chance.randrange(1000, len(whole))])
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        (tmp_path / "flipped.mcap").write_bytes(flipped)
        reads_true(tmp_path / "flipped.mcap")


def test_garbage_after_the_beginning_is_read_as_nothing(tmp_path: Path, whole: bytes) -> None:
    for seed in range(50):
        noise = random.Random(seed).randbytes(5000)
        assert readable(tmp_path, whole[:60] + noise) == 0


def test_a_damaged_chunk_is_an_error_where_it_is_met_and_nowhere_else(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(whole)
    offset = Recording.open(path).index.places[2].offset
    path.write_bytes(whole[: offset + 200] + b"\x00\x01\x02" + whole[offset + 203 :])
    with Recording.open(path) as recording:
        assert recording.complete
        scrubber = Scrubber(recording)
        assert same(scrubber.at_tick(199), record(199))
        assert scrubber.at_tick(301).tick == 301
        with pytest.raises(DamagedRecording, match=f"a.mcap: the chunk at byte {offset} is damaged"):
            scrubber.at_tick(250)


def test_records_after_a_damaged_length_are_found_in_a_file_without_index(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(whole)
    place = Recording.open(path).index.places[2].offset
    path.write_bytes(whole[: place + 1] + b"\xff" * 8 + whole[place + 9 : -50])
    with Recording.open(path) as recording:
        assert (recording.complete, recording.damaged) == (False, 1)
        assert len(recording) == COUNT - 100
        assert recording.gaps == 100
        assert Scrubber(recording).at_tick(250).tick == 200
