"""Two recordings are compared tick by tick."""

from pathlib import Path

import numpy as np
import pytest
from offline_scenes import LATE, copy, drive, make_spec, rebuilt, simple, started

from coopsim.errors import DamagedRecording
from coopsim.features.differences.comparison import Comparison, diff
from coopsim.recording import Recording
from coopsim.replay.outcome import Outcome
from coopsim.replay.plainly import fork
from coopsim.state import Record
from coopsim.state.edits import Insert, Note, Remove, SetParameter


def compared(first: Path, second: Path) -> Comparison:
    with Recording.open(first) as left, Recording.open(second) as right:
        return diff(left, right)


def test_two_recordings_of_the_same_run_are_identical(tmp_path: Path) -> None:
    comparison = compared(simple(tmp_path / "a.mcap"), simple(tmp_path / "b.mcap"))
    assert (comparison.identical, comparison.ticks, comparison.alone) == (True, 250, (0, 0))


def test_the_first_command_that_differs_is_named(tmp_path: Path) -> None:
    comparison = compared(simple(tmp_path / "a.mcap"), simple(tmp_path / "b.mcap", w=0.06))
    assert comparison.difference is not None
    assert (comparison.ticks, comparison.difference.tick) == (100, 101)
    assert comparison.difference.mismatch == ("robot2", "motors.value[1]", 0.05, 0.06)
    assert str(comparison.difference) == "tick 101 (1.010 s): robot2 motors.value[1] is 0.05 and 0.06"


def test_ticks_that_only_one_holds_are_counted(tmp_path: Path) -> None:
    comparison = compared(simple(tmp_path / "a.mcap", 250), simple(tmp_path / "b.mcap", 100))
    assert (comparison.identical, comparison.ticks, comparison.alone) == (True, 100, (150, 0))


def test_missing_records_are_passed_over(tmp_path: Path) -> None:
    whole = simple(tmp_path / "a.mcap")
    comparison = compared(whole, copy(whole, tmp_path / "b.mcap", without=range(50, 60)))
    assert (comparison.outcome, comparison.ticks, comparison.alone) == (Outcome.PARTIAL, 240, (10, 0))
    assert (comparison.identical, comparison.total) == (False, 250)


def test_damaged_chunks_are_passed_over_and_said(tmp_path: Path) -> None:
    whole = simple(tmp_path / "a.mcap", 450)
    with Recording.open(whole) as recording:
        offset = recording.index.places[1].offset
    raw = bytearray(whole.read_bytes())
    raw[offset + 200] ^= 0xFF
    (tmp_path / "b.mcap").write_bytes(raw)
    comparison = compared(whole, tmp_path / "b.mcap")
    assert (comparison.outcome, comparison.outcome.exit_code, comparison.total) == (Outcome.PARTIAL, 4, 450)
    assert 0 < comparison.ticks < 450


# how far robots part


def test_how_far_robots_part_and_when_is_told_in_metres(tmp_path: Path) -> None:
    comparison = compared(simple(tmp_path / "a.mcap"), simple(tmp_path / "b.mcap", w=0.06))
    same, different = comparison.robots
    assert (same.robot, same.largest, same.mean, same.final, same.first) == ("robot1", 0.0, 0.0, 0.0, None)
    with Recording.open(tmp_path / "a.mcap") as left, Recording.open(tmp_path / "b.mcap") as two:
        ways = [
            np.array(
                [
                    np.array(record.poses[recording.layout(record.generation).robot["robot2"].body, :3])
                    for record in recording.records()
                ][1:]
            )
            for recording in (left, two)
        ]
    gaps = np.linalg.norm(ways[0] - ways[1], axis=1)
    assert different.largest == pytest.approx(gaps.max())
    assert different.final == pytest.approx(gaps[-1])
    assert different.first == pytest.approx((1 + int(np.flatnonzero(gaps > 0.001)[0])) * 0.01 - 0.0, abs=0.0101)
    assert comparison.to_json()["robots"][1]["largest"] == different.largest


def test_robots_that_leave_or_come_keep_their_distances_while_others_go_on(tmp_path: Path) -> None:
    for name, w in (("a", 0.05), ("b", 0.5)):
        with started(tmp_path / f"{name}.mcap", make_spec(2)) as run:
            drive(run, w=w, only="robot1")
            run.tick(100)
            for edit in (Remove("robot1"), Insert(LATE)):
                run.edit(edit)
            drive(run, w=w, only="late")
            drive(run, w=w, only="robot2")
            run.tick(100)
    late, removed, stayed = compared(tmp_path / "a.mcap", tmp_path / "b.mcap").robots
    assert [robot.robot for robot in (late, removed, stayed)] == ["late", "robot1", "robot2"]
    assert 0.0 < removed.mean < removed.final == removed.largest
    # robot2 stands still for the first half, which counts for its mean
    assert 0.0 < stayed.mean < 0.6 * late.mean
    parted = [robot.first for robot in (late, removed, stayed)]
    assert parted[0] is not None and parted[1] is not None and parted[2] is not None  # noqa: PT018 - for mypy
    assert parted[1] < 1.0 < parted[2] == parted[0]


def test_runs_with_other_seeds_are_compared_in_metres(tmp_path: Path) -> None:
    for seed in (1, 2):
        with started(tmp_path / f"{seed}.mcap", make_spec(seed=seed)) as run:
            edit = SetParameter("robot1", "sonars", "noise", 0.05)
            run.edit(edit)
            for _ in range(60):
                drive(run, w=float(run.simulation.reading("robot1", "sonars")[5]) - 2.5, only="robot1")
                run.tick()
    comparison = compared(tmp_path / "1.mcap", tmp_path / "2.mcap")
    assert comparison.outcome is Outcome.DIFFERENT
    assert comparison.robots[0].largest > 0.0
    assert comparison.robots[1].largest == 0.0


def test_a_parameter_is_named_as_the_edit_that_led_to_a_difference(tmp_path: Path) -> None:
    for name, noise in (("a", 0.01), ("b", 0.02)):
        with started(tmp_path / f"{name}.mcap") as run:
            run.tick(10)
            run.edit(Note(name))
            run.edit(SetParameter("robot1", "sonars", "noise", noise))
            run.tick(10)
    comparison = compared(tmp_path / "a.mcap", tmp_path / "b.mcap")
    assert comparison.difference is not None
    assert comparison.difference.mismatch.field == "sonars.ranges[0]"
    assert comparison.edits is not None
    assert comparison.edits[0] == 10
    assert '"value": 0.01' in comparison.edits[1]
    assert '"value": 0.02' in comparison.edits[2]
    assert comparison.to_json()["first_edits"]["tick"] == 10


def test_an_edit_that_only_one_has_is_named(tmp_path: Path) -> None:
    simple(tmp_path / "a.mcap")
    with started(tmp_path / "b.mcap") as run:
        drive(run)
        run.tick(50)
        run.edit(Remove("crate"))
        run.tick(50)
    comparison = compared(tmp_path / "a.mcap", tmp_path / "b.mcap")
    assert comparison.difference is not None
    assert comparison.difference.mismatch == ("crate", "type", "box", "missing")
    assert comparison.edits == (50, "none", '{"edit": "remove", "name": "crate"}')


def test_another_number_of_robots_is_named(tmp_path: Path) -> None:
    comparison = compared(simple(tmp_path / "a.mcap", robots=2), simple(tmp_path / "b.mcap", robots=3))
    assert comparison.difference is not None
    assert (comparison.difference.tick, comparison.difference.mismatch[:2]) == (0, ("robot3", "type"))


def test_a_difference_that_float32_does_not_show_is_one_all_the_same(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 50)
    altered = copy(
        path,
        tmp_path / "b.mcap",
        change=lambda record, frame: (rebuilt(record, state_hash=bytes(16)) if record.tick == 50 else record, frame),
    )
    comparison = compared(path, altered)
    assert comparison.difference is not None
    assert (comparison.difference.tick, comparison.difference.mismatch.field) == (50, "")


def test_recordings_without_a_common_tick_are_not_compared(tmp_path: Path) -> None:
    whole = simple(tmp_path / "a.mcap", 200)
    first = copy(whole, tmp_path / "b.mcap", without=range(100, 300))
    second = copy(whole, tmp_path / "c.mcap", without=range(100))
    with pytest.raises(DamagedRecording, match="no tick in common: the first holds 0 to 99, the second 100 to 200"):
        compared(first, second)


def test_a_zero_of_another_sign_is_a_difference(tmp_path: Path) -> None:
    def other(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        if record.tick != 50:
            return record, frame
        twists = record.twists.copy()
        twists[0, 2] = -0.0
        return rebuilt(record, twists=twists, state_hash=bytes(16)), frame

    path = simple(tmp_path / "a.mcap", 50)
    comparison = compared(path, copy(path, tmp_path / "b.mcap", change=other))
    assert comparison.difference is not None
    assert comparison.difference.mismatch[:2] == ("crate", "twist.vz")


def test_an_array_that_its_bytes_do_not_fill_differs_instead_of_failing() -> None:
    whole, cut = ["<f4", [2, 7], bytes(56)], ["<f4", [2, 7], bytes(28)]
    difference = fork({"poses": whole}, {"poses": cut})
    assert difference is not None
    assert difference.path == ("poses",)
    assert fork({"poses": cut}, {"poses": cut}) is None


def test_as_json_edits_have_their_tick_and_what_each_recording_has_of_them(tmp_path: Path) -> None:
    comparison = Comparison(3, 5, None, (1, 1), (7, "remove box", "none"), ())
    assert comparison.to_json()["first_edits"] == {"tick": 7, "values": ("remove box", "none")}
    assert comparison.to_json()["ticks_alone"] == [1, 1]
    assert compared(simple(tmp_path / "a.mcap"), simple(tmp_path / "b.mcap")).to_json()["first_edits"] is None
