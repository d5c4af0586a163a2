"""Where playback stands, with the clock in the tests' hands."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.replay.player import Loop, Player

S = 1_000_000_000
ENDS = 2 * S, 12 * S


def player(**options: float) -> Player:
    """Return a player of a recording from 2 to 12 s that was started at real time 100 s."""
    return Player(*ENDS, 100 * S, **options)


def at(seconds: float) -> int:
    """Return a real time, counted from the start of the player."""
    return round((100 + seconds) * S)


@pytest.mark.parametrize(("speed", "expected"), [(1.0, 5.0), (0.5, 3.5), (3.0, 11.0), (-2.0, 6.0), (0.0, 2.0)])
def test_it_moves_as_fast_as_asked_and_backward_from_the_end(speed: float, expected: float) -> None:
    assert player(speed=speed).advance(at(3)) == expected * S


@pytest.mark.parametrize(("speed", "end"), [(1.0, 12), (64.0, 12), (-8.0, 2)])
def test_it_pauses_at_the_end_that_it_runs_to(speed: float, end: int) -> None:
    playback = player(speed=speed)
    assert playback.advance(at(1000)) == end * S
    assert not playback.is_playing
    assert playback.speed == speed


@pytest.mark.parametrize(("speed", "begin"), [(1.0, 2), (-1.0, 12)])
def test_play_at_the_end_begins_anew_at_the_other(speed: float, begin: int) -> None:
    playback = player(speed=speed)
    playback.advance(at(1000))
    playback.play(at(1001))
    assert (playback.position_ns, playback.is_playing) == (begin * S, True)
    assert playback.advance(at(1002)) == round((begin + speed) * S)


def test_play_in_the_other_direction_goes_on_from_the_end() -> None:
    playback = player()
    playback.advance(at(1000))
    playback.set_speed(-1.0, at(1000))
    playback.play(at(1000))
    assert playback.advance(at(1003)) == 9 * S


def test_pausing_keeps_the_place_and_the_speed() -> None:
    playback = player(speed=2.0)
    playback.pause(at(1.5))
    assert playback.advance(at(60)) == 5 * S
    playback.play(at(60))
    assert playback.speed == 2.0
    assert playback.advance(at(61)) == 7 * S


@pytest.mark.parametrize("is_playing", [True, False])
@pytest.mark.parametrize(("wanted", "found"), [(7.25, 7.25), (-5, 2), (1e6, 12)])
def test_seeking_changes_the_place_alone(is_playing: bool, wanted: float, found: float) -> None:
    """C-76: a time beyond the recording is its nearest end."""
    playback = player(speed=-3.0, is_playing=is_playing)
    playback.seek(round(wanted * S), at(1))
    assert (playback.position_ns, playback.is_playing, playback.speed) == (found * S, is_playing, -3.0)
    playback.advance(at(1.5))
    assert playback.position_ns == (max(2.0, found - 1.5) if is_playing else found) * S


def test_a_change_of_speed_goes_on_from_where_it_is() -> None:
    playback = player()
    playback.set_speed(4.0, at(1))
    assert playback.advance(at(2)) == 7 * S
    playback.set_speed(-1.0, at(2))
    assert playback.advance(at(3)) == 6 * S


@pytest.mark.parametrize("speed", [-8.01, 64.5, float("inf"), float("nan")])
def test_a_speed_out_of_range_is_refused_and_the_old_one_stays(speed: float) -> None:
    playback = player()
    with pytest.raises(BadArgument, match="-8 and 64"):
        playback.set_speed(speed, at(1))
    assert playback.speed == 1.0
    with pytest.raises(BadArgument):
        player(speed=speed)


# loops


@pytest.mark.parametrize(
    ("speed", "start", "real", "expected"),
    [
        (1.0, 4, 2.5, 4.5),
        (1.0, 2, 0.5, 4.5),  # before it means its nearest end
        (1.0, 4, 2.0, 4.0),
        (1.0, 4, 21.0, 5.0),
        (1.0, 9, 0.5, 4.5),  # so does behind it
        (-1.0, 6, 2.5, 5.5),
        (-1.0, 9, 0.5, 5.5),
        (-8.0, 6, 100.25, 6.0),
        (64.0, 4, 1.015625, 5.0),
    ],
)
def test_a_part_is_repeated(speed: float, start: float, real: float, expected: float) -> None:
    playback = player(speed=speed)
    assert playback.repeat(4 * S, 6 * S, at(0)) == Loop(4 * S, 6 * S)
    playback.seek(round(start * S), at(0))
    assert playback.advance(at(real)) == expected * S
    assert playback.is_playing


@pytest.mark.parametrize(("speed", "expected"), [(8.0, 4), (-2.0, 6)])
@pytest.mark.parametrize("start", [2, 9])
def test_playback_never_runs_outside_its_loop(speed: float, expected: float, start: int) -> None:
    playback = player(speed=speed)
    playback.pause(at(0))
    playback.seek(start * S, at(0))
    playback.repeat(4 * S, 6 * S, at(0))
    assert playback.position_ns == start * S  # while it stands still, any place may be looked at
    playback.play(at(1))
    assert playback.position_ns == expected * S
    for real in (1.1, 2.3, 9.9):
        assert 4 * S <= playback.advance(at(real)) <= 6 * S
        playback.seek(start * S, at(real))
        assert 4 * S <= playback.position_ns <= 6 * S


def test_a_loop_set_elsewhere_while_it_plays_is_entered_at_once() -> None:
    playback = player()
    playback.seek(9 * S, at(0))
    playback.repeat(4 * S, 6 * S, at(0))
    assert playback.advance(at(0.5)) == 4.5 * S


@pytest.mark.parametrize("speed", [1e-9, -1e-9, 1e-300, 5e-324, 0.0009])
def test_a_speed_too_small_to_see_is_refused(speed: float) -> None:
    with pytest.raises(BadArgument, match=r"0, or at least 0\.001 either way"):
        player().set_speed(speed, at(0))
    with pytest.raises(BadArgument):
        player(speed=speed)


def test_a_loop_reaches_no_farther_than_the_recording() -> None:
    playback = player()
    assert playback.repeat(-5 * S, 500 * S, at(0)) == Loop(*ENDS)
    assert playback.advance(at(13)) == 5 * S


@pytest.mark.parametrize(("begin", "end"), [(6, 6), (7, 6), (0, 2), (13, 15)])
def test_a_loop_of_nothing_is_refused_and_the_old_one_stays(begin: int, end: int) -> None:
    playback = player()
    playback.repeat(4 * S, 5 * S, at(0))
    with pytest.raises(BadArgument, match="nothing can be repeated"):
        playback.repeat(begin * S, end * S, at(0))
    assert playback.loop == Loop(4 * S, 5 * S)


def test_without_the_loop_it_plays_to_the_end_again() -> None:
    playback = player()
    playback.repeat(4 * S, 6 * S, at(0))
    playback.repeat_nothing(at(3))
    assert playback.advance(at(60)) == 12 * S
    assert not playback.is_playing


# what is due when


@pytest.mark.parametrize(
    ("speed", "target", "expected"), [(1.0, 5, 3.0), (4.0, 6, 1.0), (-2.0, 11, 0.5), (1.0, 1, 0.0), (-1.0, 13, 0.0)]
)
def test_it_knows_when_it_will_be_somewhere(speed: float, target: float, expected: float) -> None:
    assert player(speed=speed).until(round(target * S)) == round(expected * S)


def test_it_knows_that_the_end_or_a_loop_comes_first() -> None:
    playback = player()
    assert playback.until(50 * S) == 10 * S
    playback.repeat(4 * S, 6 * S, at(0))
    assert playback.until(8 * S) == 2 * S
    playback.set_speed(-1.0, at(0))
    playback.seek(5 * S, at(0))
    assert playback.until(3 * S) == 1 * S


@pytest.mark.parametrize("change", [lambda it: it.pause(at(0)), lambda it: it.set_speed(0.0, at(0))])
def test_nothing_is_due_while_it_stands_still(change: Callable[[Player], None]) -> None:
    playback = player()
    change(playback)
    assert playback.until(5 * S) is None
    assert playback.advance(at(50)) == 2 * S


# whatever happens

SPEEDS = st.one_of(st.just(0.0), st.floats(0.001, 64.0), st.floats(-8.0, -0.001))
ACTIONS = st.one_of(
    st.tuples(st.just("seek"), st.integers(-(10**12), 10**12)),
    st.tuples(st.just("speed"), SPEEDS),
    st.tuples(st.sampled_from(["play", "pause", "unloop"]), st.just(0)),
    st.tuples(st.just("loop"), st.integers(0, 11 * S)),
)


@given(st.lists(st.tuples(st.integers(0, 3 * S), ACTIONS), max_size=30))
def test_whatever_is_asked_for_it_stays_inside_and_only_play_and_ends_change_playing(
    asked: list[tuple[int, tuple[str, float]]],
) -> None:
    playback, now = player(), at(0)
    for wait, (what, value) in asked:
        now += wait
        playback.advance(now)
        was, speed = playback.is_playing, playback.speed
        match what:
            case "seek":
                playback.seek(int(value), now)
            case "speed":
                playback.set_speed(value, now)
            case "loop":
                playback.repeat(2 * S + int(value) // 2, 12 * S, now)
            case "unloop":
                playback.repeat_nothing(now)
            case _:
                getattr(playback, what)(now)
        assert ENDS[0] <= playback.position_ns <= ENDS[1]
        assert playback.is_playing == {"play": True, "pause": False}.get(what, was)
        assert playback.speed == (value if what == "speed" else speed)


@given(st.lists(st.integers(1, 50_000_000), min_size=1, max_size=100), SPEEDS)
def test_looking_often_changes_nothing(waits: list[int], speed: float) -> None:
    often, once = player(speed=speed), player(speed=speed)
    for number in range(len(waits)):
        often.advance(at(0) + sum(waits[: number + 1]))
    once.advance(at(0) + sum(waits))
    assert (often.position_ns, often.is_playing) == (once.position_ns, once.is_playing)
