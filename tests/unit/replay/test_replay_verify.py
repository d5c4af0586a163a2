"""A recording is proved by doing all of it again."""

from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from offline_scenes import LATE, bumping, copy, drive, eventful, make_spec, rebuilt, simple, started

from coopsim.errors import CoopsimError, DamagedRecording
from coopsim.features.proof.verify import Verdict, verify
from coopsim.recording import Recording
from coopsim.replay.continuing import Instant, continuation
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import spec_of
from coopsim.robots import RunSpec
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.keyframes import KeyFrames
from coopsim.simulation.snapshot import restore
from coopsim.state import Record
from coopsim.state.edits import (
    Checkpoint,
    ClockReset,
    DeviceCommand,
    Insert,
    Note,
    Remove,
    Restore,
    SetParameter,
    SetStep,
    TakeSnapshot,
    UnknownEdit,
    Update,
)
from coopsim.testkit.recorded_run import RecordedRun


def proved(path: Path) -> Verdict:
    with Recording.open(path) as recording:
        return verify(recording, spec_of(recording))


def nudge(simulation: Simulation, way: float) -> None:
    """Move robot1, or what is in its row, without a word in the recording."""
    row = list(simulation.engine.names).index("robot1")
    planar = simulation.engine.planar[[row]].copy()
    planar[0, 0] += way
    simulation.engine.set_state(np.array([row]), planar)


def test_a_run_with_edits_of_every_kind_is_done_again_bit_by_bit(tmp_path: Path) -> None:
    path, spec = eventful(tmp_path / "a.mcap")
    with Recording.open(path) as recording:
        assert spec_of(recording) == spec
    verdict = proved(path)
    assert (verdict.identical, verdict.ticks, verdict.breaks) == (True, 670, ())
    assert verdict.to_json()["first_difference"] is None


def test_a_recording_that_began_in_mid_run_among_contacts_is_proved(tmp_path: Path) -> None:
    simulation = Simulation(make_spec(3))
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.5, 0.3))
    for _ in range(300):
        simulation.tick()
    with RecordedRun(simulation, tmp_path / "a.mcap") as run:
        run.tick(200)
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, make_spec(3))
    assert (verdict.identical, verdict.ticks) == (True, 200)


def test_another_command_is_found_by_tick_robot_and_field(tmp_path: Path) -> None:
    def other(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        if record.tick != 42:
            return record, frame
        commands = record.commands.copy()
        commands[2] += 0.1
        return rebuilt(record, commands=commands), frame

    path = copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", change=other)
    verdict = proved(path)
    assert verdict.difference is not None
    assert (verdict.identical, verdict.ticks, verdict.difference.tick) == (False, 41, 42)
    assert verdict.difference.mismatch.entity == "robot1"
    assert verdict.difference.mismatch.field.startswith(("pose.", "twist."))
    said = verdict.to_json()["first_difference"]
    assert (said["tick"], said["entity"]) == (42, "robot1")
    assert "tick 42 (0.420 s): robot1" in str(verdict.difference)


def test_a_reading_that_was_changed_is_named(tmp_path: Path) -> None:
    def other(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        if record.tick != 7:
            return record, frame
        readings = record.readings.copy()
        readings[4 + 3] = 1.5
        return rebuilt(record, readings=readings, state_hash=bytes(16)), frame

    verdict = proved(copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", change=other))
    assert verdict.difference is not None
    mismatch = verdict.difference.mismatch
    assert (verdict.difference.tick, mismatch.entity, mismatch.field, mismatch.first) == (
        7,
        "robot1",
        "sonars.ranges[3]",
        1.5,
    )


def test_a_difference_too_small_for_float32_is_found_in_the_next_key_frame(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(20)
        nudge(run.simulation, 1e-13)
        run.tick(230)
    verdict = proved(tmp_path / "a.mcap")
    assert verdict.difference is not None
    assert (verdict.difference.tick, verdict.difference.seen) == (21, 100)
    assert (verdict.difference.mismatch.entity, verdict.difference.mismatch.field) == ("robot1", "x")
    assert "seen in tick 100" in str(verdict.difference)


def test_a_difference_in_the_memory_of_a_device_is_named(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        drive(run)
        run.tick(20)
        run.simulation.tables.blocks[0].devices["motors"].memory["travel"][1, 0] += 1e-14
        run.tick(230)
    verdict = proved(tmp_path / "a.mcap")
    assert verdict.difference is not None
    assert (verdict.difference.mismatch.entity, verdict.difference.mismatch.field) == ("robot2", "motors.travel[0]")


def test_a_hash_that_is_wrong_while_everything_else_is_right_is_still_a_difference(tmp_path: Path) -> None:
    def other(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        return (rebuilt(record, state_hash=bytes(16)) if record.tick == 250 else record), frame

    verdict = proved(copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", change=other))
    assert verdict.difference is not None
    assert (verdict.difference.tick, verdict.difference.mismatch.field) == (250, "")
    assert "less than float32" in str(verdict.difference)


def test_a_robot_that_is_missing_is_named(tmp_path: Path) -> None:
    with started(tmp_path / "b.mcap") as run:
        run.tick(5)
        run.edit(Note("nothing"))
        run.tick(5)
    insert = msgpack.packb([{"edit": "insert", "text": LATE}])

    def other(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        return (rebuilt(record, edits=insert) if record.edits[:1] == [Note("nothing").to_plain()] else record), frame

    verdict = proved(copy(tmp_path / "b.mcap", tmp_path / "c.mcap", change=other))
    assert verdict.difference is not None
    assert verdict.difference.mismatch == ("late", "type", "missing", "single")


def test_key_frames_come_each_simulated_second_whatever_the_step_does(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.edit(SetStep(0.05))
        run.tick(45)
        run.edit(SetStep(0.01))
        run.tick(200)
        run.edit(ClockReset())
        run.tick(100)
    with Recording.open(tmp_path / "a.mcap") as recording:
        ticks = [int(block.ticks[row]) for _, block in recording.blocks() for row in sorted(block.keyframes)]
    assert ticks == [0, 20, 40, 120, 220, 320]


def test_a_run_that_goes_on_from_another_begins_to_count_commands_anew(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 50)
    with Recording.open(path) as recording:
        start = continuation(recording, spec_of(recording), Instant(path))
    simulation = Simulation(make_spec())
    restore(simulation, start.state)
    for name in simulation.layout.robot:
        for _ in range(9):
            simulation.command(name, "motors", 10, (0.3, 0.0))
    with RecordedRun(simulation, tmp_path / "b.mcap", metadata={"parent": start.parent}) as run:
        run.edit(Note("claimed"))
        run.simulation.commands[:] = 0.0
        drive(run)
        run.tick(20)
    with Recording.open(tmp_path / "b.mcap") as recording:
        assert verify(recording, make_spec()).identical


def test_a_recording_with_hashes_of_the_older_rule_is_proved_by_that_rule(tmp_path: Path) -> None:
    simulation = Simulation(make_spec())
    simulation.hash_rule = 1
    with RecordedRun(simulation, tmp_path / "a.mcap") as run:
        drive(run)
        run.tick(20)
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, make_spec())
    assert (verdict.identical, verdict.ticks) == (True, 20)


# what cannot be compared


def test_after_a_gap_the_proof_goes_on_with_the_next_key_frame(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap", 450), tmp_path / "b.mcap", without=range(130, 150))
    verdict = proved(path)
    (gap,) = verdict.breaks
    assert (verdict.outcome, verdict.ticks, verdict.total) == (Outcome.PARTIAL, 450 - (200 - 129), 450)
    assert verdict.identical is False
    assert (gap.tick, gap.resumed, gap.reason) == (129, 200, "20 records are missing")
    assert verdict.to_json()["breaks"] == [{"tick": 129, "resumed": 200, "reason": "20 records are missing"}]


def test_contacts_after_a_gap_are_no_fault_and_said_to_be_unproven(tmp_path: Path) -> None:
    path = copy(bumping(tmp_path / "a.mcap"), tmp_path / "b.mcap", without=range(130, 150))
    assert proved(tmp_path / "a.mcap").ticks == 450
    verdict = proved(path)
    assert verdict.outcome is Outcome.PARTIAL
    assert verdict.ticks < 450
    assert "contacts" in verdict.breaks[-1].reason


def test_after_a_gap_a_checkpoint_makes_the_proof_exact_again(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap", make_spec(3)) as run:
        drive(run, w=0.3)
        run.tick(150)
        run._keyframes = KeyFrames()
        run.edit(Checkpoint())
        run.tick(100)
        nudge(run.simulation, 0.01)
        run.tick(100)
    verdict = proved(copy(tmp_path / "a.mcap", tmp_path / "b.mcap", without=range(120, 130)))
    assert verdict.breaks[0].resumed == 150
    assert verdict.difference is not None
    assert verdict.difference.tick == 251


def test_a_cut_file_is_proved_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = simple(tmp_path / "a.mcap", 450).read_bytes()
    (tmp_path / "b.mcap").write_bytes(whole[: len(whole) * 2 // 3])
    verdict = proved(tmp_path / "b.mcap")
    assert verdict.identical
    assert 50 < verdict.ticks < 450


def test_a_damaged_chunk_is_passed_over(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 450)
    with Recording.open(path) as recording:
        offset = recording.index.places[1].offset
    raw = bytearray(path.read_bytes())
    raw[offset + 200] ^= 0xFF
    path.write_bytes(raw)
    verdict = proved(path)
    assert verdict.outcome is Outcome.PARTIAL
    assert 0 < verdict.ticks < 450
    assert "cannot be read" in verdict.breaks[0].reason


def test_a_recording_that_begins_without_a_key_frame_is_proved_from_the_first_one_on(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap", 250), tmp_path / "b.mcap", without=range(40))
    verdict = proved(path)
    assert (verdict.outcome, verdict.ticks, verdict.total) == (Outcome.PARTIAL, 150, 210)
    (gap,) = verdict.breaks
    assert str(gap) == "at the beginning: the recording begins without a key frame; goes on with tick 100"


def test_a_first_chunk_that_is_damaged_is_said_to_be_unproven(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 450)
    with Recording.open(path) as recording:
        offset = recording.index.places[0].offset
    raw = bytearray(path.read_bytes())
    raw[offset + 200] ^= 0xFF
    path.write_bytes(raw)
    verdict = proved(path)
    (gap,) = verdict.breaks
    assert (verdict.outcome, gap.tick) == (Outcome.PARTIAL, None)
    assert gap.resumed == 450 - verdict.ticks
    assert "cannot be read" in gap.reason


def test_without_any_key_frame_there_is_nothing_to_prove(tmp_path: Path) -> None:
    path = copy(simple(tmp_path / "a.mcap"), tmp_path / "b.mcap", change=lambda record, _: (record, b""))
    with pytest.raises(DamagedRecording, match="no key frame"):
        proved(path)


def recorded_after_a_snapshot(path: Path) -> RunSpec:
    """Record a run that goes back to what was kept before the recording began."""
    spec = make_spec()
    simulation = Simulation(spec)
    apply(simulation, TakeSnapshot("old"))
    with RecordedRun(simulation, path) as run:
        run.tick(50)
        run.edit(Restore("old"))
        run.tick(100)
    return spec


def test_going_back_to_a_snapshot_from_before_the_recording_is_proved(tmp_path: Path) -> None:
    spec = recorded_after_a_snapshot(tmp_path / "a.mcap")
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, spec)
    assert (verdict.identical, verdict.ticks) == (True, 150)


def test_going_back_to_a_snapshot_that_an_older_recording_lacks_is_no_fault(tmp_path: Path) -> None:
    spec = recorded_after_a_snapshot(tmp_path / "a.mcap")

    def without_snapshots(record: Record, frame: bytes | None) -> tuple[Record, bytes | None]:
        state = msgpack.unpackb(frame) if frame else {}
        state.pop("snapshots", None)
        return record, msgpack.packb(state) if frame else frame

    path = copy(tmp_path / "a.mcap", tmp_path / "b.mcap", change=without_snapshots)
    with Recording.open(path) as recording:
        verdict = verify(recording, spec)
    assert (verdict.outcome, verdict.ticks, verdict.total) == (Outcome.PARTIAL, 50 + 50, 150)
    assert "taken before the recording" in verdict.breaks[0].reason


def test_an_edit_that_cannot_be_done_again_is_a_difference(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(10)
        run.edit(UnknownEdit("teleport", {}))
        run.tick(10)
    verdict = proved(tmp_path / "a.mcap")
    assert verdict.difference is not None
    assert verdict.difference.tick == 10
    assert "teleport" in str(verdict.difference)


@pytest.mark.parametrize(
    "edit",
    [
        Update("robot1", "orientation 10 0 0\n"),
        Update("crate", "orientation 10 0 0\n"),
        Insert(f"{LATE}[ROBOT_2]\ntype single\nname b\norientation 9 0 0\n"),
        Insert(f"{LATE}[ROBOT_2]\ntype nix\nname b\n"),
        SetParameter("robot1", "sonars", "noise", 7),
        DeviceCommand("robot1", "odometry", 12, [1.0]),
        Restore("none"),
        Remove("floor"),
    ],
)
def test_an_edit_that_was_refused_leaves_no_trace(tmp_path: Path, edit: dict[str, Any]) -> None:
    with started(tmp_path / "a.mcap") as run:
        drive(run)
        run.tick(120)
        before = run.simulation.state_hash()
        with pytest.raises(CoopsimError) as refused:
            run.edit(edit)
        assert run.simulation.state_hash() == before
        assert "?" not in str(refused.value)
        run.tick(30)
    assert proved(tmp_path / "a.mcap").identical


def test_timed_events_come_by_themselves(tmp_path: Path) -> None:
    spec = make_spec(events=(Event(0.5, (("robot1.sonars.noise", "0.1"),)), Event(1.0, (), "all")))
    with started(tmp_path / "a.mcap", spec) as run:
        run.tick(200)
    assert proved(tmp_path / "a.mcap").identical
    with Recording.open(tmp_path / "a.mcap") as recording:
        verdict = verify(recording, make_spec())
    assert verdict.difference is not None
    assert verdict.difference.mismatch.field.startswith("sonars.ranges")


def test_speed_is_simulated_time_over_real_time(tmp_path: Path) -> None:
    clock = iter((10.0, 10.5))
    with Recording.open(simple(tmp_path / "a.mcap")) as recording:
        verdict = verify(recording, spec_of(recording), clock=lambda: next(clock))
    assert verdict.speed == pytest.approx(5.0)
