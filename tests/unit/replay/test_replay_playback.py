"""The playback process as a source of records, without the process."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from replay_stage import Stage

from coopsim.errors import BadArgument
from coopsim.recording import Recording
from coopsim.state import Record

Show = Callable[..., Stage]


def same(found: Record, recorded: Record) -> bool:
    """Return whether a record says what was recorded, as exact as a recording is."""
    pairs = ((found.poses, recorded.poses), (found.twists, recorded.twists), (found.readings, recorded.readings))
    return (
        (found.tick, found.time, found.mode) == (recorded.tick, recorded.time, recorded.mode)
        and found.header.state_hash == recorded.header.state_hash
        and all(np.array_equal(left.astype(np.float32), right.astype(np.float32)) for left, right in pairs)
        and np.array_equal(found.commands, recorded.commands)
    )


def ticks(records: Sequence[Record]) -> list[int]:
    return [record.tick for record in records]


# playing


def test_played_once_every_record_comes_as_it_was_and_when_it_was(show: Show, written: list[Record]) -> None:
    """C-74, D8: what is played back is what was recorded, in its own time."""
    stage = show()
    stage.wait(0.995)
    shown = stage.shown()
    assert ticks(shown) == list(range(100))
    assert all(map(same, shown, written))
    begin = shown[0].header.wall_ns
    assert [record_.header.wall_ns - begin for record_ in shown] == [10_000_000 * tick for tick in range(100)]


def test_records_that_follow_count_up_and_none_says_that_it_is_the_last(show: Show) -> None:
    stage = show()
    stage.wait(4.0)
    stage.call("seek", 1.0)
    stage.call("seek", 0.5)
    shown = stage.shown()
    assert [record_.header.revision for record_ in shown] == list(range(len(shown)))
    assert not any(record_.header.ended for record_ in shown)
    generations = [record_.generation for record_ in shown]
    assert generations == sorted(generations)


def test_forward_it_has_the_generations_of_then(show: Show, film: Path) -> None:
    stage = show()
    stage.wait(2.0)
    with Recording.open(film) as recording:
        assert sorted({record_.generation for record_ in stage.shown()}) == list(recording.generations[:2])


@pytest.mark.parametrize("speed", [-8.0, -1.0, 0.3, 1.0, 7.0, 64.0])
def test_at_any_speed_no_more_than_200_records_a_second_are_shown_and_the_time_is_right(
    show: Show, film: Path, speed: float
) -> None:
    stage = show(speed=speed)
    stage.call("loop", 0.0, 0.0)
    stage.shown()
    stage.wait(1.5)
    shown = stage.shown()
    walls = [record_.header.wall_ns for record_ in shown]
    assert min(np.diff(walls)) >= 5_000_000
    assert len(shown) >= min(200, 100 * abs(speed)) * 1.5 * 0.9
    with Recording.open(film) as recording:
        length = recording.duration
    start = 0.0 if speed > 0 else length
    for record_, wall in zip(shown, walls, strict=True):
        expected = (start + speed * (wall - 5_000_000_000) * 1e-9) % length
        assert min(abs(record_.time - expected), length - abs(record_.time - expected)) <= 0.0101


def test_at_the_end_it_pauses_at_the_last_record(show: Show) -> None:
    stage = show(speed=10.0)
    stage.wait(60.0)
    assert (stage.record.tick, stage.is_playing) == (300, False)
    stage.shown()
    stage.wait(5.0)
    assert stage.shown() == []


def test_backward_it_pauses_at_the_first_record(show: Show) -> None:
    stage = show(speed=-4.0)
    assert stage.record.tick == 300
    stage.wait(60.0)
    assert (stage.record.tick, stage.is_playing) == (0, False)


def test_a_loop_repeats_its_part_and_begins_there(show: Show) -> None:
    stage = show(loop=(0.5, 0.7))
    stage.wait(0.595)
    assert ticks(stage.shown()) == [*range(50, 70), *range(50, 70), *range(50, 70)]


def test_a_loop_may_leave_out_an_end(show: Show) -> None:
    stage = show(loop=(2.95, None), speed=0.5)
    stage.wait(0.14)
    assert set(ticks(stage.shown())) == set(range(295, 300)) | {295}


def test_edits_are_told_once_each_time_their_record_is_reached(show: Show) -> None:
    stage = show()
    stage.wait(1.005)
    stage.call("pause")
    stage.call("play")
    edits = [edit for record_ in stage.shown() for edit in record_.edits]
    assert [edit["edit"] for edit in edits] == ["set_parameter"]
    stage.call("seek", 0.5)
    stage.call("seek", 1.0)
    assert [edit["edit"] for record_ in stage.shown() for edit in record_.edits] == ["set_parameter"]


# seeking, pausing, stepping


@pytest.mark.parametrize("paused", [True, False])
def test_a_sought_time_is_shown_before_the_answer_and_playing_stays_what_it_was(
    show: Show, written: list[Record], paused: bool
) -> None:
    """C-76: a desired time is received by message."""
    stage = show(paused=paused, speed=2.0)
    for seconds in (2.0, 0.37, 2.999, 0.0, 1.605):
        answer = stage.ask("seek", seconds)
        last = max(number for number, record_ in enumerate(written) if record_.time <= seconds)
        assert answer.data == (written[last].time,)
        assert answer.tick == written[last].tick
        assert same(stage.record, written[last])
        assert stage.is_playing is not paused
        assert stage.ask("status").data[3] == 2.0
    stage.wait(0.1)
    assert stage.record.time == pytest.approx(1.60 if paused else 1.80, abs=0.011)


@pytest.mark.parametrize(("seconds", "tick"), [(-1e300, 0), (1e300, 300), (3.0000001, 300)])
def test_a_time_outside_means_the_nearest_end(show: Show, seconds: float, tick: int) -> None:
    stage = show(paused=True)
    stage.call("seek", seconds)
    assert stage.record.tick == tick


def test_pausing_shows_the_very_record_and_keeps_the_speed(show: Show) -> None:
    stage = show(speed=64.0)
    stage.wait(0.0123)
    stage.call("pause")
    assert stage.record.time == pytest.approx(0.0123 * 64, abs=0.01)
    stage.wait(9.0)
    assert (stage.record.time, stage.is_playing) == (pytest.approx(0.0123 * 64, abs=0.01), False)
    stage.call("play")
    stage.wait(0.01)
    assert stage.record.time == pytest.approx(0.0223 * 64, abs=0.011)
    assert stage.is_playing


def test_steps_go_record_by_record_also_where_time_stood_still(show: Show, written: list[Record]) -> None:
    stage = show(paused=True)
    stage.call("seek", 0.98)
    for number in [*range(99, 104), *range(102, 97, -1)]:
        stage.call("step", 1 if number > stage.ask("status").data[6] else -1)
        assert same(stage.record, written[number])
        assert stage.ask("status").data[6] == number


@pytest.mark.parametrize(("count", "tick"), [(5, 105), (-7, 93), (10**15, 300), (-(10**15), 0)])
def test_a_step_while_playing_goes_on_from_there(show: Show, count: int, tick: int) -> None:
    stage = show()
    stage.call("seek", 1.004)
    stage.call("step", count)
    assert abs(stage.record.tick - tick) <= 1
    assert stage.is_playing
    stage.wait(0.1)
    assert stage.is_playing == (tick < 300)
    assert stage.record.tick == pytest.approx(min(300, tick + 10), abs=1)


def test_play_at_the_end_begins_anew(show: Show) -> None:
    stage = show(speed=4.0)
    stage.wait(5.0)
    assert stage.call("play") == (0.0,)
    stage.wait(0.25)
    assert stage.record.tick == 100


def test_status_tells_everything(show: Show, film: Path) -> None:
    stage = show(speed=-2.0, loop=(1.0, 2.0), paused=True)
    answer = stage.ask("status")
    assert answer.params == (str(film), 0, 1, 1, "")
    assert answer.data == (2.0, 0.0, 3.0, -2.0, 1.0, 2.0, 202.0, 304.0, 0.0, 2.0)
    stage.call("unloop")
    stage.call("play")
    assert stage.ask("status").params == (str(film), 1, 0, 1, "")
    assert stage.ask("status").data[4:6] == (0.0, 0.0)


@pytest.mark.parametrize(
    ("what", "arguments", "error"),
    [
        ("speed", (65.0,), "64"),
        ("loop", (2.0, 1.0), "nothing can be repeated"),
        ("loop", (7.0, 9.0), "between 0 and 3 s"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_changes(
    show: Show, what: str, arguments: tuple[float, ...], error: str
) -> None:
    stage = show(paused=True)
    before = stage.ask("status")
    answer = stage.ask(what, *arguments)
    assert (answer.error, error in answer.text) == (BadArgument.code, True)
    assert stage.ask("status") == before


# everything else is refused


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("pause", {}, "/sim/playback pause"),
        ("continue", {}, "/sim/playback play"),
        ("step", {"count": 1}, "/sim/playback step"),
        ("set_speed", {"speed": 2.0}, "/sim/playback speed"),
        ("clock_reset", {}, "/sim/playback seek"),
        ("set_mode", {"mode": "free"}, "'set_mode'"),
        ("insert", {"text": "[ROBOT_9]"}, "'insert'"),
        ("describe", {}, "coopsim run --from FILE@SECONDS"),
        ("set_parameter", {"robot": "robot1", "module": "sonars", "name": "noise", "value": 1.0}, "'set_parameter'"),
        ("nonsense", {}, "'nonsense'"),
        ("playback_dance", {}, "'playback_dance'"),
    ],
)
def test_edits_of_the_past_are_refused(show: Show, name: str, arguments: dict[str, object], hint: str) -> None:
    stage = show()
    answer = stage.edit(name, **arguments)
    assert answer.error == 303
    assert answer.text.startswith("this is a recording")
    assert hint in answer.text
