"""The recorder's conversation with the launcher, in a thread."""

import errno
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from recorder_scenes import Source, shared_ring

from coopsim.errors import NoSuchPlugin
from coopsim.interpreter import extra_command
from coopsim.recorder.recorder import Recorder
from coopsim.recording import Recording
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import (
    FoxgloveClosed,
    FoxgloveFailed,
    FoxgloveProgress,
    OpenRecording,
    ProcessFailed,
    RecorderStatus,
    RecordingBegins,
    RecordingClosed,
    RecordingOpened,
    Stop,
)

SECONDS = 20.0


class Process:
    """A recorder in a thread, with the launcher's and the source's ends in our hands."""

    def __init__(self, ring: Ring, path: Path) -> None:
        self.ring, self.path = ring, path
        self.source = Source(ring)
        self.launcher, self._there = Channel.pair()
        self._woken, self.wake = Notifier.pair()
        self.code: int | None = None
        self.said: list[Any] = []
        self._thread: threading.Thread | None = None

    def start(self, *, overwrite: bool = False, foxglove: bool = False, **options: Any) -> None:
        recorder = Recorder(self.ring, self._there, self._woken, **options)
        self._thread = threading.Thread(target=self._run, args=(recorder,), daemon=True)
        self._thread.start()
        self.launcher.send(OpenRecording(str(self.path), overwrite, foxglove, {"seed": 3}, {"a": "b"}))

    def _run(self, recorder: Recorder) -> None:
        self.code = recorder.run()

    def begin(self) -> None:
        self.publish(keyframe=b"state")
        self.launcher.send(RecordingBegins(self.ring.position, self.source.revision - 1))

    def publish(self, **head: Any) -> None:
        self.source.publish(**head)
        self.wake.notify()

    def until(self, kind: type[Any]) -> Any:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for message in self.said:
                if isinstance(message, kind):
                    return message
            self.said += self.launcher.wait(1.0)
        raise AssertionError(f"it never said {kind}, but {self.said}")

    def join(self) -> int | None:
        assert self._thread is not None
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        return self.code

    def close(self) -> None:
        self.launcher.close()
        self.wake.close()
        if self._thread is not None:
            self.join()
        self._there.close()
        self._woken.close()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    with shared_ring() as ring:
        process = Process(ring, tmp_path / "a.mcap")
        yield process
        process.close()


def ticks_of(path: Path) -> list[int]:
    with Recording.open(path) as recording:
        assert recording.complete
        return [record.tick for record in recording.records()]


def test_it_records_from_begin_to_stop_and_says_how_much(process: Process) -> None:
    process.start()
    assert process.until(RecordingOpened) == RecordingOpened()
    process.publish()
    process.begin()
    for _ in range(30):
        process.publish()
    process.launcher.send(Stop("enough"))
    status = process.until(RecordingClosed).status
    assert process.join() == 0
    assert ticks_of(process.path) == list(range(1, 32))
    assert (status.ticks, status.gaps) == (30, 0)
    assert status.size_bytes == process.path.stat().st_size
    assert process.ring.recorder_cursor == -1


def test_metadata_and_texts_stand_in_the_file(process: Process) -> None:
    process.start()
    process.begin()
    process.launcher.send(Stop("enough"))
    process.join()
    with Recording.open(process.path) as recording:
        assert recording.metadata["seed"] == 3
        assert recording.attachments == {"a": "b"}


def test_it_says_how_far_it_has_come_while_it_records(process: Process) -> None:
    process.start()
    process.begin()
    process.publish()
    assert process.until(RecorderStatus).gaps == 0


def test_a_file_that_exists_is_a_problem_and_stays_as_it_is(process: Process) -> None:
    process.path.write_text("mine")
    process.start()
    problem = process.until(ProcessFailed)
    assert problem.error == 603
    assert "exists already" in problem.text
    assert process.join() == 1
    assert process.path.read_text() == "mine"


def test_an_older_recording_is_replaced_only_when_that_is_asked_for(process: Process) -> None:
    process.path.write_bytes(b"\x89MCAP0\r\n older")
    process.start(overwrite=True)
    process.begin()
    process.launcher.send(Stop("enough"))
    assert process.join() == 0
    assert ticks_of(process.path) == [0]


def test_a_missing_folder_is_made(process: Process) -> None:
    process.path = process.path.parent / "recordings" / "a.mcap"
    process.start()
    process.begin()
    process.launcher.send(Stop("enough"))
    assert process.join() == 0
    assert ticks_of(process.path) == [0]


def test_a_folder_that_cannot_be_made_is_told(process: Process) -> None:
    process.path.write_text("in the way")
    process.path = process.path / "a.mcap"
    process.start()
    assert str(process.path) in process.until(ProcessFailed).text
    assert process.join() == 1


def test_a_recording_that_never_began_leaves_no_file(process: Process) -> None:
    process.start()
    process.until(RecordingOpened)
    process.launcher.send(Stop("changed my mind"))
    assert process.until(RecordingClosed).status is None
    assert process.join() == 0
    assert not process.path.exists()


def test_when_the_launcher_is_gone_it_waits_for_the_last_record_of_the_source(process: Process) -> None:
    process.start()
    process.begin()
    process.until(RecorderStatus)
    process.launcher.close()
    for _ in range(5):
        process.publish()
    process.publish(ended=True)
    assert process.join() == 0
    assert ticks_of(process.path) == list(range(7))


def test_when_everybody_is_gone_it_writes_what_is_there_and_ends(process: Process) -> None:
    process.start()
    process.begin()
    process.until(RecorderStatus)
    process.publish()
    process.wake.close()
    process.launcher.close()
    assert process.join() == 0
    assert ticks_of(process.path) == [0, 1]


def test_the_end_of_the_source_alone_does_not_end_it(process: Process) -> None:
    process.start()
    process.begin()
    process.publish()
    process.wake.close()
    process.until(RecorderStatus)
    process.launcher.send(Stop("the run is over"))
    assert process.until(RecordingClosed).status.ticks == 1


def test_a_source_that_died_within_a_record_leaves_a_recording_that_lacks_it(process: Process) -> None:
    process.start()
    process.begin()
    process.source.begin()
    process.wake.close()
    process.launcher.send(Stop("physics is gone"))
    assert process.until(RecordingClosed).status.gaps == 1
    with Recording.open(process.path) as recording:
        assert (recording.gaps, [record.tick for record in recording.records()]) == (1, [0])


def test_a_generation_whose_source_has_died_is_recorded_with_its_layout(process: Process) -> None:
    process.start()
    process.begin()
    process.publish(generation=7)
    process.wake.close()
    process.launcher.send(Stop("the run is over"))
    assert process.until(RecordingClosed).status.gaps == 0
    with Recording.open(process.path) as recording:
        assert [record.generation for record in recording.records()] == [1, 7]
        assert recording.layout(7).generation == 7


class _FullDisk(io.RawIOBase):
    def __init__(self, path: Path, room: int) -> None:
        self._file, self._room = path.open("xb", buffering=0), room

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any) -> int:
        if len(data) > self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._room -= len(data)
        return self._file.write(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def full_after(room: int) -> Callable[[Path], BinaryIO]:
    """Return an opener of files on a disk with so much room."""
    return lambda path: _FullDisk(path, room)  # type: ignore[return-value]  # a BinaryIO in all but name


def test_a_full_disk_is_told_in_words_and_nobody_waits_for_the_recorder_any_more(process: Process) -> None:
    process.start(opener=full_after(20_000))
    process.begin()
    deadline = time.monotonic() + SECONDS
    while process.code is None and time.monotonic() < deadline:
        process.publish(keyframe=bytes(50))
        time.sleep(0)
    problem = process.until(ProcessFailed)
    assert process.join() == 1
    assert (problem.error, problem.text) == (603, f"{process.path}: No space left on device")
    assert process.ring.recorder_cursor == -1
    with Recording.open(process.path) as recording:
        assert not recording.complete


# a file for Foxglove


def shown_in(path: Path) -> dict[str, int]:
    """Return how many messages each topic has, all of them decoded by the official libraries."""
    count_of: dict[str, int] = {}
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            decoder = DecoderFactory().decoder_for(channel.message_encoding, schema)
            assert json.loads(message.data) if decoder is None else decoder(message.data)
            count_of[channel.topic] = count_of.get(channel.topic, 0) + 1
    return count_of


def recorded(process: Process, **options: Any) -> None:
    """Record two records, and what is asked for besides."""
    process.start(**options)
    process.begin()
    process.publish()
    process.launcher.send(Stop("enough"))


def test_a_file_for_foxglove_is_made_once_the_recording_is_closed(process: Process) -> None:
    recorded(process, foxglove=True)
    size = process.until(RecordingClosed).status.size_bytes
    messages = process.until(FoxgloveClosed).messages
    assert process.join() == 0
    assert size == process.path.stat().st_size
    assert ticks_of(process.path) == [0, 1]
    shown = shown_in(process.path.with_name("a.foxglove.mcap"))
    assert (shown["/tf"], shown["/robot1/motors"], sum(shown.values())) == (2, 2, messages)
    assert sorted(file.name for file in process.path.parent.iterdir()) == ["a.foxglove.mcap", "a.mcap"]


def test_without_its_packages_the_recording_is_refused_before_anything_is_made(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str, *_: Any) -> Any:
        raise ImportError(name)

    process.path.write_bytes(b"\x89MCAP0\r\n older")
    monkeypatch.setattr("coopsim.features.export.foxglove_messages.importlib.import_module", nothing)
    process.start(foxglove=True, overwrite=True)
    problem = process.until(ProcessFailed)
    assert process.join() == 1
    assert (problem.error, extra_command("foxglove") in problem.text) == (NoSuchPlugin.code, True)
    assert process.path.read_bytes().endswith(b"older")


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_lies_in_the_place_of_the_file_for_foxglove_stays(process: Process, overwrite: bool) -> None:
    mine = process.path.with_name("a.foxglove.mcap")
    mine.write_text("mine")
    process.start(foxglove=True, overwrite=overwrite)
    assert str(mine) in process.until(ProcessFailed).text
    assert process.join() == 1
    assert (mine.read_text(), process.path.exists()) == ("mine", False)


def test_an_older_file_for_foxglove_goes_with_its_recording(process: Process) -> None:
    older = process.path.with_name("a.foxglove.mcap")
    older.write_bytes(b"\x89MCAP0\r\n older")
    process.start(foxglove=True, overwrite=True)
    process.until(RecordingOpened)
    assert not older.exists()
    process.begin()
    process.launcher.send(Stop("enough"))
    assert process.until(FoxgloveClosed)
    assert shown_in(older)["/tf"] == 1


def test_a_file_for_foxglove_that_cannot_be_written_leaves_the_recording_whole(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(recording: Recording, path: Path, pulse: Callable[[], None]) -> int:
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("coopsim.features.export.foxglove_beside.export_foxglove", full)
    recorded(process, foxglove=True)
    problem = process.until(FoxgloveFailed)
    assert process.join() == 0
    missing = process.path.with_name("a.foxglove.mcap")
    assert (problem.error, problem.text) == (603, f"{missing}: No space left on device")
    assert ticks_of(process.path) == [0, 1]
    assert [file.name for file in process.path.parent.iterdir()] == ["a.mcap"]


def test_while_the_file_for_foxglove_is_written_it_gives_signs_of_life(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(recording: Recording, path: Path, pulse: Callable[[], None]) -> int:
        path.write_bytes(b"")
        while not heard.wait(0.01):
            pulse()
        return 0

    heard = threading.Event()
    monkeypatch.setattr("coopsim.features.export.foxglove_beside.export_foxglove", slow)
    recorded(process, foxglove=True)
    try:
        assert process.until(FoxgloveProgress) == FoxgloveProgress()
    finally:
        heard.set()
    assert process.until(FoxgloveClosed)
