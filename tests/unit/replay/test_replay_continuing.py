"""A live run goes on from any instant of a recording."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offline_scenes import bumping, copy, drive, eventful, make_spec, simple, started

from coopsim.errors import BadArgument, DamagedRecording, NoSuchCommand, NoSuchName
from coopsim.features.differences.comparison import diff
from coopsim.recording import Recording, Scrubber
from coopsim.replay.continuing import Continuation, Instant, Setting, continuation
from coopsim.replay.run_json import RUN, spec_of, spec_to_json
from coopsim.simulation import Simulation, edits
from coopsim.simulation.snapshot import checkpoint, restore
from coopsim.state.edits import Restore, TakeSnapshot
from coopsim.testkit.recorded_run import RecordedRun


def continued(path: Path, text: str, *settings: str, step: float | None = None) -> Continuation:
    with Recording.open(path) as recording:
        wanted = [Setting.parse(setting) for setting in settings]
        return continuation(recording, spec_of(recording), Instant.parse(f"{path}@{text}"), wanted, step)


def live(path: Path, state: bytes) -> Simulation:
    """Return a simulation that goes on as the physics process does."""
    with Recording.open(path) as recording:
        simulation = Simulation(spec_of(recording))
    restore(simulation, state)
    checkpoint(simulation)
    return simulation


def hashes(simulation: Simulation, ticks: int = 120) -> list[bytes]:
    collected = []
    for _ in range(ticks):
        simulation.tick()
        collected.append(simulation.state_hash())
    return collected


@pytest.mark.parametrize("place", ["0", "0.3", "1.0", "1.57", "tick:99", "tick:250"])
def test_every_continuation_of_an_instant_is_the_same_bit_by_bit(tmp_path: Path, place: str) -> None:
    path = bumping(tmp_path / "a.mcap", 250)
    first, second = continued(path, place), continued(path, place)
    assert first.state == second.state
    assert hashes(live(path, first.state)) == hashes(live(path, second.state))


@pytest.mark.parametrize(("place", "until"), [("0.3", 100), ("1.57", 400), ("tick:250", 400)])
def test_where_nothing_touches_a_run_goes_on_as_it_was_recorded(tmp_path: Path, place: str, until: int) -> None:
    path = simple(tmp_path / "a.mcap", 400)
    start = continued(path, place)
    assert start.exact
    simulation = live(path, start.state)
    for _ in range(until - start.tick):
        simulation.tick()
    with Recording.open(path) as recording:
        assert simulation.state_hash() == Scrubber(recording).at_tick(until).header.state_hash


def test_a_continuation_that_is_commanded_as_its_parent_is_identical_to_it(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 250, w=0.3)
    simulation = live(path, continued(path, "1.0").state)
    simulation.commands[:] = 0.0  # as the host begins
    with RecordedRun(simulation, tmp_path / "b.mcap") as run:
        for _ in range(150):
            drive(run)
            drive(run, w=0.3, only="robot2")
            run.tick()
    with Recording.open(path) as parent, Recording.open(tmp_path / "b.mcap") as child:
        comparison = diff(parent, child)
    assert comparison.difference is None, str(comparison.difference)
    assert comparison.ticks == 150


def test_an_instant_after_edits_has_their_effect(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    for tick in (30, 31, 250, 340, 380, 560, 600, 670):
        start = continued(path, f"tick:{tick}")
        with Recording.open(path) as recording:
            record = Scrubber(recording).at_tick(tick)
        simulation = live(path, start.state)
        assert (start.tick, start.time) == (tick, record.time)
        assert len(simulation.engine.names) == record.header.bodies
        assert simulation.readings.size == record.header.readings
        assert simulation.step_ns == record.header.step_ns
    assert start.step == 0.02


def test_going_back_to_a_snapshot_that_is_older_than_the_key_frame_works(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        drive(run)
        run.tick(30)
        run.edit(TakeSnapshot("a"))
        run.tick(320)
        run.edit(Restore("a"))
        run.tick(20)
    start = continued(tmp_path / "a.mcap", "tick:370")
    assert start.exact


def test_named_snapshots_go_with_a_continuation(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        drive(run)
        run.tick(110)
        run.edit(TakeSnapshot("x"))
        run.tick(150)
        run.edit(TakeSnapshot("y"))
        run.edit(TakeSnapshot("x"))
        run.tick(50)
        wanted = dict(run.simulation.snapshots)
    simulation = live(tmp_path / "a.mcap", continued(tmp_path / "a.mcap", "tick:300").state)
    assert simulation.snapshots == wanted
    assert list(live(tmp_path / "a.mcap", continued(tmp_path / "a.mcap", "tick:200").state).snapshots) == ["x"]
    edits.apply(simulation, Restore("y"))


def test_snapshots_from_before_a_recording_are_in_its_checkpoint(tmp_path: Path) -> None:
    simulation = Simulation(make_spec())
    edits.apply(simulation, TakeSnapshot("old"))
    with RecordedRun(simulation, tmp_path / "a.mcap", attachments={RUN: spec_to_json(make_spec())}) as run:
        drive(run)
        run.tick(150)
    assert "old" in live(tmp_path / "a.mcap", continued(tmp_path / "a.mcap", "tick:120").state).snapshots


@pytest.mark.parametrize("tick", [130, 260, 399, 450])
def test_a_continuation_among_contacts_begins_with_exactly_the_recorded_state(tmp_path: Path, tick: int) -> None:
    path = bumping(tmp_path / "a.mcap")
    start = continued(path, f"tick:{tick}")
    assert start.exact
    assert start.parent["exact"] is True
    with Recording.open(path) as recording:
        assert live(path, start.state).state_hash() == Scrubber(recording).at_tick(tick).header.state_hash


def test_a_continuation_that_cannot_be_exact_says_so(tmp_path: Path) -> None:
    path = copy(bumping(tmp_path / "a.mcap"), tmp_path / "b.mcap", without=range(20, 30))
    start = continued(path, "tick:399")
    assert (start.exact, start.parent["exact"]) == (False, False)
    whole = continued(tmp_path / "a.mcap", "tick:399")
    assert (whole.exact, whole.is_seamless) == (True, False)
    assert continued(simple(tmp_path / "c.mcap"), "tick:150").is_seamless


def test_a_continuation_says_seamless_only_where_it_has_looked(tmp_path: Path) -> None:
    bumped = bumping(tmp_path / "a.mcap", noted=399)
    with Recording.open(bumped) as recording:
        spec, before = spec_of(recording), Scrubber(recording).number_at_tick(399) - 1
        assert continuation(recording, spec, Instant(bumped, tick=398)).is_seamless is False
        assert continuation(recording, spec, Instant(bumped, tick=399)).is_seamless is False
        assert recording.edits is not None
        assert int(Scrubber(recording).record(before).tick) == 399, "the edit comes with a record of its own"
    plain = continued(simple(tmp_path / "b.mcap"), "tick:150")
    assert plain.is_seamless is True
    with Recording.open(tmp_path / "b.mcap") as recording:
        last = recording.last_tick
    at_end = continued(tmp_path / "b.mcap", f"tick:{last}")
    assert (at_end.is_seamless, at_end.parent["seamless"]) == (None, None)


def test_settings_change_the_continued_run_alone(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap")
    plain, noisy = (
        continued(path, "1.5"),
        continued(path, "1.5", "robot1.sonars.noise=0.05", "robot2.motors.gain = 500"),
    )
    assert plain.state != noisy.state
    simulation = live(path, noisy.state)
    devices = simulation.tables.blocks[0].devices
    assert devices["sonars"].parameters["noise"].tolist() == [0.05, 0.0]
    assert devices["motors"].parameters["gain"].tolist() == [900.0, 500.0]
    assert noisy.parent["set"] == ["robot1.sonars.noise=0.05", "robot2.motors.gain=500"]
    assert (noisy.parent["file"], noisy.parent["tick"], noisy.parent["time"]) == (str(path), 150, 1.5)


def test_another_step_holds_from_the_instant_on(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap")
    simulation = live(path, continued(path, "1", step=0.02).state)
    simulation.tick()
    assert (simulation.tick_count, simulation.time) == (101, 1.02)


@pytest.mark.parametrize(
    ("setting", "error", "words"),
    [
        ("robot9.sonars.noise=1", NoSuchName, "robot9"),
        ("robot1.radar.noise=1", NoSuchName, "radar"),
        ("robot1.sonars.noise=loud", BadArgument, "must be a number, got 'loud'"),
        ("robot1.sonars.noise=-1", BadArgument, "must lie within 0 and 1"),
        ("robot1.sonars.count=3", BadArgument, "fixed"),
        ("robot1.sonars.hue=3", NoSuchCommand, "no parameter 'hue'"),
    ],
)
def test_a_setting_that_cannot_be_made_is_named(
    tmp_path: Path, setting: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=f"--set {setting}.*{words}"):
        continued(simple(tmp_path / "a.mcap", 20), "0.1", setting)


@pytest.mark.parametrize("text", ["noise=1", "robot1.noise=1", "robot1.sonars.noise", "..=1", ""])
def test_a_text_that_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match=r"ROBOT\.MODULE\.PARAMETER=VALUE"):
        Setting.parse(text)


def test_an_instant_is_a_time_a_tick_or_the_end() -> None:
    assert Instant.parse("a.mcap@12.5") == Instant(Path("a.mcap"), seconds=12.5)
    assert Instant.parse("me@home/a.mcap@tick:7") == Instant(Path("me@home/a.mcap"), tick=7)
    assert Instant.parse("a.mcap") == Instant(Path("a.mcap"))


def test_a_file_with_an_at_sign_in_its_name_is_found(tmp_path: Path) -> None:
    path = simple(tmp_path / "a@12.mcap", 5)
    assert Instant.parse(str(path)) == Instant(path)
    assert Instant.parse(f"{path}@0.02") == Instant(path, seconds=0.02)


@pytest.mark.parametrize("text", ["a.mcap@", "a.mcap@soon", "a.mcap@nan", "a.mcap@tick:", "a.mcap@tick:1.5", "a@inf"])
def test_a_text_that_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="expected FILE@SECONDS or FILE@tick:N"):
        Instant.parse(text)


@given(st.text(max_size=20))
def test_any_text_is_an_instant_or_refused(text: str) -> None:
    try:
        Instant.parse(text.replace("\0", ""))
    except BadArgument:
        assert "@" in text


@pytest.mark.parametrize("place", ["-1", "2.6", "tick:251"])
def test_an_instant_outside_the_recording_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(BadArgument, match=r"goes from 0 s to 2\.5 s|holds ticks 0 to 250"):
        continued(simple(tmp_path / "a.mcap"), place)


def test_without_an_instant_the_run_goes_on_from_the_end(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 123)
    with Recording.open(path) as recording:
        start = continuation(recording, make_spec(), Instant(path))
    assert start.tick == 123


def test_what_follows_missing_records_cannot_be_continued_before_the_next_key_frame(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap", 350), tmp_path / "b.mcap", without=range(130, 150))
    assert continued(path, "tick:129").tick == 129
    assert continued(path, "tick:220").tick == 220
    with pytest.raises(DamagedRecording, match="20 records are missing before tick 150"):
        continued(path, "tick:170")


def test_without_a_key_frame_nothing_can_be_continued(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", change=lambda record, _: (record, b""))
    with pytest.raises(DamagedRecording, match="no key frame"):
        continued(path, "1")
