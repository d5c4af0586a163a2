"""Which files a playback shows, and what it does about those it cannot."""

from collections.abc import Callable
from pathlib import Path

import pytest
from replay_scenes import record
from replay_stage import Stage

from coopsim.errors import DamagedRecording, EngineCannot, NotARecording
from coopsim.recording import Recording, Writer
from coopsim.state.edits import ClockReset

Show = Callable[..., Stage]


# files


def test_another_recording_is_loaded_and_begins_as_this_one_was_going_on(show: Show, tmp_path: Path) -> None:
    """C-75: another recording is loaded."""
    recorded = record(tmp_path / "one.mcap", 20)
    record(tmp_path / "two.mcap", 50, mode="lockstep")
    stage = show(recorded, speed=0.5, loop=(0.05, 0.1), paused=True)
    assert stage.call("load", "two.mcap") == (0.0, 0.5)
    assert (stage.record.tick, stage.record.mode, stage.is_playing) == (0, "lockstep", False)
    assert stage.ask("status").params[:3] == (str(tmp_path / "two.mcap"), 0, 0)
    assert stage.ask("status").data[3] == 0.5
    assert stage.link.facts["recording"] == "two.mcap"
    stage.call("play")
    stage.wait(0.2)
    assert stage.record.tick == 10


def test_layouts_of_two_files_are_never_mistaken_for_each_other(show: Show, tmp_path: Path, film: Path) -> None:
    record(tmp_path / "two.mcap", 5)
    stage = show(record(tmp_path / "one.mcap", 5), paused=True)
    first = stage.record.generation
    stage.call("load", "two.mcap")
    stage.call("load", "one.mcap")
    assert stage.record.generation == first + 2


def test_going_back_before_a_robot_came_takes_it_away(show: Show) -> None:
    stage = show(paused=True)
    for seconds, robots in ((1.0, 2), (2.0, 3), (1.0, 2), (2.0, 3)):
        stage.call("seek", seconds)
        layout, shown = stage.link.now
        assert len(layout.robots) == robots == shown.header.bodies
        assert layout.generation == shown.generation
        assert shown.time == seconds


@pytest.mark.parametrize("name", ["../film.mcap", "/etc/passwd", "a/../../b.mcap", "a\0b", "x" * 300])
def test_files_outside_of_the_folders_are_not_touched(show: Show, tmp_path: Path, name: str) -> None:
    stage = show(record(tmp_path / "in" / "one.mcap", 5), paused=True)
    (tmp_path / "film.mcap").write_bytes(b"")
    before = stage.ask("status")
    answer = stage.ask("load", name)
    assert answer.error in {403, 601}
    assert answer.error == 601 or "lies outside" in answer.text
    assert stage.ask("status") == before


def test_a_link_that_leads_outside_is_not_followed(show: Show, tmp_path: Path, film: Path) -> None:
    stage = show(record(tmp_path / "in" / "one.mcap", 5), paused=True)
    (tmp_path / "in" / "link.mcap").symlink_to(film)
    assert stage.ask("load", "link.mcap").error == 403


def test_the_folder_recordings_is_searched_too(show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "recordings" / "b.mcap", 7)
    stage = show(record(tmp_path / "elsewhere" / "a.mcap", 5), paused=True)
    assert stage.call("load", "b.mcap") == (0.0, pytest.approx(0.07))
    assert stage.call("load", "a.mcap") == (0.0, pytest.approx(0.05))
    assert stage.call("load", str(tmp_path / "recordings" / "b.mcap")) == (0.0, pytest.approx(0.07))


def test_what_is_no_recording_is_refused_and_the_present_one_goes_on(show: Show, tmp_path: Path) -> None:
    stage = show(record(tmp_path / "one.mcap", 50))
    (tmp_path / "text.mcap").write_text("hello")
    Writer(tmp_path / "empty.mcap").close()
    for name, error in (("text.mcap", 601), ("empty.mcap", 602), ("none.mcap", 601)):
        assert stage.ask("load", name).error == error
    stage.wait(0.3)
    assert stage.record.tick == 30


@pytest.mark.parametrize(
    ("content", "error"), [(None, NotARecording), (b"hello", NotARecording), (b"\x89MCAP", DamagedRecording)]
)
def test_a_playback_of_no_recording_does_not_begin(
    show: Show, tmp_path: Path, content: bytes | None, error: type[Exception]
) -> None:
    if content is not None:
        (tmp_path / "a.mcap").write_bytes(content)
    with pytest.raises(error):
        show(tmp_path / "a.mcap")


def test_a_file_that_was_cut_off_is_played_as_far_as_it_goes(show: Show, film: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(film.read_bytes()[: film.stat().st_size * 2 // 3])
    stage = show(cut, speed=64.0)
    stage.wait(1.0)
    status = stage.ask("status")
    assert status.params[3] == 0
    assert 50 <= stage.record.tick < 300
    assert status.data[6] == status.data[7] - 1


def test_where_the_clock_was_reset_time_goes_on_so_that_every_instant_is_there_once(show: Show, tmp_path: Path) -> None:
    stage = show(record(tmp_path / "a.mcap", 80, edits={50: [ClockReset()]}), paused=True)
    for seconds, time in ((0.49, 0.49), (0.7, 0.2), (0.2, 0.2)):
        stage.call("seek", seconds)
        assert stage.record.time == pytest.approx(time)
        status = stage.ask("status").data
        assert status[0] == pytest.approx(seconds)
        assert status[-1] == pytest.approx(time), "the status says both, so that viewers can draw one on the other"


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_a_recording_of_one_instant_can_be_shown(show: Show, tmp_path: Path, speed: float) -> None:
    stage = show(record(tmp_path / "a.mcap", 0), speed=speed)
    stage.wait(1.0)
    stage.call("play")
    stage.wait(1.0)
    stage.call("step", 1)
    assert (stage.record.tick, stage.is_playing) == (0, False)


# trouble


def test_before_a_damaged_part_it_stands_still_and_says_why_but_one_can_go_past_it(
    show: Show, film: Path, tmp_path: Path
) -> None:
    with Recording.open(film) as recording:
        places = recording.index.places
    content = bytearray(film.read_bytes())
    middle = (places[2].offset + places[3].offset) // 2
    content[middle] ^= 0xFF
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(content)
    stage = show(damaged)
    stage.wait(3.0)
    last = places[2].tick[0] - 1
    assert (stage.record.tick, stage.is_playing) == (last, False)
    assert "damaged" in str(stage.ask("status").params[4])
    assert stage.ask("seek", places[2].position_ns[0] * 1e-9 + 0.001).error == 602
    assert stage.record.tick == last
    stage.call("seek", 2.9)
    assert (stage.record.tick, stage.ask("status").params[4]) == (290, "")
    stage.call("speed", -1.0)
    stage.ask("play")
    stage.wait(3.0)
    assert (stage.record.tick, stage.is_playing) == (places[3].tick[0], False)
    assert "damaged" in str(stage.ask("status").params[4])


def test_without_room_for_the_robots_it_does_not_begin(show: Show) -> None:
    with pytest.raises(EngineCannot, match="--max-robots"):
        show(command_floats=4)


def test_where_robots_came_that_there_is_no_room_for_it_stands_still(show: Show) -> None:
    stage = show(command_floats=8, speed=2.0)
    stage.wait(5.0)
    assert (stage.record.time, stage.is_playing) == (1.49, False)
    assert "--max-robots" in str(stage.ask("status").params[4])
    assert stage.ask("seek", 2.0).error == 502
    assert stage.call("seek", 0.5) == (0.5,)
