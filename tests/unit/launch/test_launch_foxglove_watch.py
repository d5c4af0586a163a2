"""The file for Foxglove beside a recording: when it is expected, that it came or did not, and what is said."""

from pathlib import Path

import pytest

from coopsim.errors import CannotRecord
from coopsim.launch.recording.foxglove_watch import FoxgloveWatch

RECORDING = Path("recordings/formation.mcap")


class Seen:
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.complaints: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def complain(self, text: str) -> None:
        self.complaints.append(text)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def watch(seen: Seen) -> FoxgloveWatch:
    return FoxgloveWatch(seen)


def test_a_file_that_nobody_wants_is_not_written(watch: FoxgloveWatch, seen: Seen) -> None:
    assert not watch.begin()
    watch.expect(RECORDING, is_wanted=False)
    assert not watch.begin()
    assert (watch.is_written, seen.notes) == (False, [])


def test_a_file_is_written_once_the_recording_is_closed_and_then_told(watch: FoxgloveWatch, seen: Seen) -> None:
    watch.expect(RECORDING, is_wanted=True)
    assert not watch.is_written
    assert watch.begin()
    assert watch.is_written
    assert watch.close(42) == {"foxglove": str(watch.file)}
    assert not watch.is_written
    assert seen.notes == [f"writing {watch.file}", f"{watch.file}: 42 messages"]
    assert watch.file.parent == RECORDING.parent
    assert watch.file != RECORDING


def test_a_file_that_could_not_be_written_is_missing_and_the_cure_is_said(watch: FoxgloveWatch, seen: Seen) -> None:
    watch.expect(RECORDING, is_wanted=True)
    watch.begin()
    assert watch.lose(CannotRecord("the disk is full")) == {"problem": "the disk is full"}
    assert (watch.is_written, watch.is_missing) == (False, True)
    (complaint,) = seen.complaints
    assert complaint.startswith("the disk is full\n")
    assert f"`coopsim export {RECORDING} --mcap OUT`" in complaint


def test_the_next_recording_begins_without_what_was_before(watch: FoxgloveWatch) -> None:
    watch.expect(RECORDING, is_wanted=True)
    watch.begin()
    watch.expect(Path("recordings/second.mcap"), is_wanted=False)
    assert not watch.is_written
    assert not watch.begin()
    assert watch.file.name.startswith("second")
