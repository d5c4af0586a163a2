"""The launcher and its recorder: both other processes are stand-ins, the recorder is one or the real one."""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from launch_scenes import Seen, python, spec

from coopsim.errors import CannotRecord
from coopsim.launch.launcher import Launcher
from coopsim.launch.options import RunOptions
from coopsim.launch.programs import Programs
from coopsim.launch.report import Report
from coopsim.recording import Recording

pytestmark = pytest.mark.integration
HERE = Path(__file__).parent
WAITS = python("import time; time.sleep(0.5)")
Record = Callable[..., Report]


class Impatient(Seen):
    """Somebody who presses Ctrl-C twice as soon as something is shown."""

    def progress(self, status: Mapping[str, Any]) -> None:
        super().progress(status)
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)


class Hasty(Seen):
    """Somebody who presses Ctrl-C when a file for Foxglove is written."""

    def note(self, text: str) -> None:
        super().note(text)
        if text.startswith("writing "):
            os.kill(os.getpid(), signal.SIGINT)


class Gone(Seen):
    """Somebody who reads no more, as in `coopsim run | head`."""

    def progress(self, status: Mapping[str, Any]) -> None:
        raise BrokenPipeError


@pytest.fixture
def view() -> Seen:
    return Seen()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.mcap"


@pytest.fixture
def record(view: Seen, file: Path) -> Record:
    """Return a function that runs stand-ins and records them."""

    def run(
        recorder: str = "", physics: str = "good", view: Seen = view, *, foxglove: bool = False, **patience: float
    ) -> Report:
        standin = str(HERE / "launch_standin.py")
        given = (sys.executable, str(HERE / "launch_recorder_standin.py"), recorder)
        given = (recorder,) if recorder.startswith("/") else given
        programs = Programs(
            (sys.executable, standin, physics, "physics"),
            (sys.executable, standin, "good", "host"),
            **({"recorder": given} if recorder else {}),
            **{"start": 20.0, "grace": 5.0, "stop": 5.0, **patience},
        )
        options = RunOptions(port=0, max_robots=10, allow_commands=True, record=file, foxglove=foxglove)
        return Launcher(spec(WAITS), options, view, programs).run()

    return run


def test_the_real_recorder_leaves_a_complete_file(record: Record, view: Seen, file: Path) -> None:
    report = record()
    assert (report.exit_code, view.complaints) == (0, [])
    assert (report.recording["file"], report.recording["recording"]) == (str(file), 0)
    assert f"recording to {file}" in view.notes
    with Recording.open(file) as recording:
        assert recording.complete
        assert recording.metadata["scenario"] == "a"


def test_what_was_recorded_and_what_is_missing_is_told(record: Record, view: Seen, file: Path) -> None:
    report = record("good")
    assert report.exit_code == 0
    assert view.complaints == [f"the recorder does not keep up: 3 records are missing so far in {file}"]
    assert f"recorded 1.00 s, 100 ticks, 0.01 MB to {file}" in view.notes


def test_a_recorder_that_ends_at_once_ends_the_run_before_it_begins(record: Record, view: Seen) -> None:
    report = record("crash")
    assert (report.exit_code, report.summary) == (3, None)
    assert "the recorder process ended with exit code 4" in view.complaints[0]


def test_a_recorder_that_cannot_be_started_ends_the_run_before_it_begins(record: Record, view: Seen) -> None:
    report = record("/nowhere/recorder")
    assert (report.exit_code, report.summary) == (1, None)
    assert view.complaints[0].startswith("no recorder process can be started: No such file")


def test_a_file_that_cannot_be_written_ends_the_run_before_it_begins(record: Record, view: Seen) -> None:
    report = record("refuse")
    assert (report.exit_code, report.summary) == (1, None)
    (complaint,) = view.complaints
    assert complaint.startswith("no place for it\n  error 603: ")


def test_a_source_that_cannot_be_recorded_ends_the_run_and_leaves_no_file(
    record: Record, view: Seen, file: Path
) -> None:
    report = record(physics="unrecordable")
    assert (report.exit_code, report.summary) == (1, None)
    assert view.complaints[0].startswith("it has no state")
    assert not file.exists()


def test_a_recorder_that_is_never_ready_is_given_up(record: Record, view: Seen) -> None:
    report = record("mute", start=12.0, drain=0.2)
    assert report.exit_code == 3
    assert view.complaints[0] == "the recorder process was not ready after 12 s"


def test_a_recorder_that_is_killed_does_not_end_the_run(record: Record, view: Seen, file: Path) -> None:
    report = record("suicide")
    assert (report.exit_code, report.reason) == (3, "all controllers have ended")
    (complaint,) = view.complaints
    assert complaint.startswith("the recorder process was killed by SIGKILL; the run goes on")
    assert str(file) in complaint


def test_a_file_that_is_gone_in_the_end_is_not_called_a_recording(record: Record, view: Seen, file: Path) -> None:
    report = record("robbed")
    assert report.exit_code == 1
    lost = "but this file is not there any more: somebody else changed it"
    assert view.complaints[-1] == f"recorded 1.00 s, 100 ticks, 0.01 MB to {file}; {lost}"
    assert not [note for note in view.notes if note.startswith("recorded")]


def test_a_full_disk_does_not_end_the_run_either(record: Record, view: Seen, file: Path) -> None:
    report = record("full")
    assert report.exit_code == 1
    assert report.reason == "all controllers have ended; with an error: the recording"
    kept = f"what {file} holds now, 0.01 MB, can be read, see `coopsim info`"
    assert view.complaints == [f"the disk is full\n  the run goes on; {kept}"]
    assert report.recording["problem"] == "the disk is full"


def test_a_recorder_that_does_not_stop_is_killed(record: Record, view: Seen) -> None:
    report = record("deaf", drain=0.3)
    assert report.exit_code == 3
    assert view.complaints[-1] == "the recorder did not stop within 0.3 s and was killed"


def test_a_recorder_that_does_nothing_any_more_is_given_up_before(record: Record, view: Seen, file: Path) -> None:
    report = record("deaf", stall=0.3)
    assert report.exit_code == 3
    (complaint,) = view.complaints[1:]
    assert complaint.startswith("the recorder process had done nothing for 0.3 s and was killed; what it wrote to")
    assert str(file) in complaint
    assert "goes on" not in complaint


def test_a_run_that_waits_for_its_recorder_says_so_once_and_for_how_long(record: Record, view: Seen) -> None:
    report = record("good", physics="waits")
    assert report.exit_code == 0
    (complaint,) = [complaint for complaint in view.complaints if complaint.startswith("the run waits")]
    assert "which has read nothing for a while" in complaint
    assert "/sim/recorder stop" in complaint
    waited = [status["recording"]["awaited"] for status in view.statuses if "awaited" in status.get("recording", {})]
    assert waited == sorted(waited)
    assert waited


def test_nothing_is_started_when_there_is_no_place_for_the_file(record: Record, view: Seen, file: Path) -> None:
    file.write_text("mine")
    with pytest.raises(CannotRecord, match="--overwrite"):
        record()
    assert (view.notes, file.read_text()) == ([], "mine")


def test_a_second_ctrl_c_leaves_a_complete_file(record: Record, file: Path) -> None:
    view = Impatient()
    report = record(view=view)
    assert (report.exit_code, view.complaints) == (130, [])
    assert any(note.startswith("recorded ") for note in view.notes)
    with Recording.open(file) as recording:
        assert recording.complete


def test_a_second_ctrl_c_tells_of_a_recorder_that_does_not_end_at_once(record: Record, file: Path) -> None:
    view = Impatient()
    assert record("deaf", view=view).exit_code == 130
    assert view.complaints[-1].startswith("the recorder was killed, since there was no time to wait for it")
    assert str(file) in view.complaints[-1]


def test_a_run_that_nobody_reads_any_more_leaves_a_complete_file(record: Record, file: Path) -> None:
    with pytest.raises(BrokenPipeError):
        record(view=Gone())
    with Recording.open(file) as recording:
        assert recording.complete


def test_a_file_for_foxglove_is_told_of(record: Record, view: Seen, file: Path) -> None:
    report = record("shows", foxglove=True)
    beside = file.with_name("a.foxglove.mcap")
    assert report.exit_code == 0
    assert view.notes[-2:] == [f"writing {beside}", f"{beside}: 7 messages"]
    assert report.recording["foxglove"] == str(beside)


def test_a_file_for_foxglove_that_cannot_be_written_is_told_once(record: Record, view: Seen, file: Path) -> None:
    report = record("cannot show", foxglove=True)
    assert (report.exit_code, report.reason.partition("; ")[2]) == (1, "with an error: the file for Foxglove")
    (complaint,) = view.complaints[1:]
    assert complaint.startswith(f"no room for Foxglove\n  the recording {file} is whole; `coopsim export ")
    assert report.recording["problem"] == "no room for Foxglove"
    assert f"recorded 1.00 s, 100 ticks, 0.01 MB to {file}" in view.notes


@pytest.mark.parametrize(
    ("recorder", "words"), [("dies showing", "killed by SIGKILL"), ("stalls showing", "had done nothing for 0.3 s")]
)
def test_a_recorder_that_ends_over_a_file_for_foxglove_leaves_the_recording_whole(
    record: Record, view: Seen, file: Path, recorder: str, words: str
) -> None:
    report = record(recorder, foxglove=True, stall=0.3)
    assert report.exit_code == 3
    (complaint,) = view.complaints[1:]
    assert words in complaint
    assert f"the recording {file} is whole" in complaint
    assert f"recorded 1.00 s, 100 ticks, 0.01 MB to {file}" in view.notes


def test_ctrl_c_gives_up_a_file_for_foxglove_and_says_so(record: Record, file: Path) -> None:
    view = Hasty()
    report = record("stalls showing", view=view, foxglove=True, stall=60.0)
    assert (report.exit_code, report.reason.partition("; ")[2]) == (1, "with an error: the file for Foxglove")
    assert f"no time to wait for it; the recording {file} is whole" in view.complaints[-1]
