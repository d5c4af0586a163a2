"""Recordings of real runs: from the start or in mid-run, in every mode, by option or by message (C-74, D8)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from recorded_runs import DEADLINE, SECOND, assert_unbroken, coopsim, scene, tick_of, wait_for_ticks

from coopsim.client import connect
from coopsim.errors import CannotRecord, ForbiddenFile
from coopsim.recording import Recording, Scrubber
from coopsim.replay.run_json import spec_of
from coopsim.robots import load
from coopsim.state.edits import AppliedEdit, PublishEvents
from coopsim.testkit import Driver, Run

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def refused_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("refused"))
        with Run(scene(1), "--no-controllers") as run:
            yield run
            assert run.is_alive, run.printed


def test_a_recording_holds_every_record_of_a_free_run_and_does_not_change_it(tmp_path: Path) -> None:
    """D-8: a recorder of its own."""
    path = tmp_path / "a.mcap"
    options = ("--mode", "free", "--duration", "6", "--no-controllers", "--json")
    with Run("formation", *options, "--record", str(path), "--foxglove") as run:
        assert run.wait() == 0
    with Run("formation", *options) as plain:
        assert plain.wait() == 0
    assert run.summary["state_hash"] == plain.summary["state_hash"]
    assert_unbroken(path)
    with Recording.open(path) as recording:
        last = Scrubber(recording).record(len(recording) - 1)
        assert (recording.first_tick, recording.last_tick, recording.complete) == (0, 600, True)
        assert last.header.state_hash.hex() == run.summary["state_hash"]
        assert last.header.ended
    assert run.summary["recording"]["ticks"] == 600
    assert run.summary["recording"]["size_bytes"] == path.stat().st_size
    assert run.summary["recording"]["foxglove"] == str(path.with_name("a.foxglove.mcap"))
    assert_shows(path.with_name("a.foxglove.mcap"), path)


def test_events_of_the_last_moment_are_recorded(tmp_path: Path) -> None:
    """Of the second event no record comes: the run is stopped long before its next tick."""
    path = tmp_path / "a.mcap"
    with (
        Run("single", "--no-controllers", "--step", "1", "--record", str(path)) as run,
        connect(run.endpoint) as sim,
        sim.listen("/said/*") as events,
    ):
        for topic in ("/said/first", "/said/second", "/said/third"):
            sim.publish(topic)
            assert (event := events.hear(DEADLINE)) is not None
            assert event.topic == topic
        run.stop()
    with Recording.open(path) as recording:
        records = list(recording.records())
    edits = [AppliedEdit.from_plain(edit).edit for record in records for edit in record.edits]
    topics = [topic for edit in edits if isinstance(edit, PublishEvents) for topic in edit.topics]
    assert topics == ["/said/first", "/said/second", "/said/third"]
    assert records[-1].tick < 30  # s: nobody waited for the ticks


def assert_shows(shown: Path, path: Path) -> None:
    """See to it that the official libraries find in one file where everybody was by the other."""
    with shown.open("rb") as file, Recording.open(path) as recording:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        transforms = [
            iter_decoded_message.decoded_message.transforms
            for iter_decoded_message in reader.iter_decoded_messages(topics=["/tf"])
        ]
        assert len(transforms) == len(recording)
        for transform, record in zip(transforms, recording.records(), strict=True):
            assert [[transform_.translation.x, transform_.translation.y] for transform_ in transform] == record.poses[
                :, :2
            ].tolist()


def test_lockstep_runs_have_the_same_hashes_with_and_without_a_recording(tmp_path: Path) -> None:
    path, hashes = tmp_path / "a.mcap", []
    for options in ((), ("--record", str(path))):
        with Run(scene(2, mode="lockstep"), "--wait-for", "2", "--json", *options) as run:
            with Driver(run.endpoint, "robot1", "robot2", steps=250) as driver:
                driver.end()
            run.stop()
        hashes.append((run.summary["ticks"], run.summary["state_hash"]))
    assert hashes[0] == hashes[1]
    assert hashes[0][0] == 250
    assert_unbroken(path)


def test_a_recording_says_what_was_run_and_holds_its_files(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    options = ("--duration", "0.1", "--seed", "7", "--no-controllers", "--mode", "free")
    with Run("formation", *options, "--record", str(path)) as run:
        assert run.wait() == 0
    with Recording.open(path) as recording:
        assert spec_of(recording).scenario.robots == load("formation").scenario.robots
        assert spec_of(recording).scenario.settings.seed == 7
        assert 0 < recording.metadata["run"] < 2**53
        about = {name: recording.metadata[name] for name in ("scenario", "seed", "engine", "step", "mode")}
        assert about == {"scenario": "formation", "seed": 7, "engine": "pymunk", "step": 0.01, "mode": "free"}
        flags = {"mode": "free", "duration": 0.1, "seed": 7, "port": 0, "controllers": False}
        assert recording.metadata["flags"] == flags
        assert set(recording.attachments) == {"run.json", "formation.scenario", "obstacles.world", "single.robot"}
        assert "[ROBOT_1]" in recording.attachments["formation.scenario"]


def test_recordings_are_started_and_stopped_by_message_while_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Run(scene(2), "--no-controllers") as run, connect(run.endpoint) as sim:
        assert sim.recorder.status().recording == 0
        begun_after = tick_of(sim)
        (file,) = sim.recorder.start("one.mcap")
        assert file == "recordings/one.mcap"
        wait_for_ticks(sim, 2 * SECOND)
        status = sim.recorder.status()
        assert (status.recording, status.file, status.gaps) == (1, file, 0)
        assert status.ticks > SECOND
        with pytest.raises(CannotRecord, match="already"):
            sim.recorder.start("two.mcap")
        stopped = sim.recorder.stop()
        assert stopped.size_bytes == Path(file).stat().st_size
        with pytest.raises(CannotRecord, match="nothing is being recorded"):
            sim.recorder.stop()
        (second_file,) = sim.recorder.start(foxglove=1)
        sim.recorder.stop(timeout=DEADLINE)
        assert_shows(Path(second_file).with_suffix(".foxglove.mcap"), Path(second_file))
    assert Path(second_file).parent == Path("recordings")
    assert_unbroken(tmp_path / file)
    with Recording.open(file) as recording:
        assert (recording.complete, len(recording) - 1 >= stopped.ticks) == (True, True)
        assert recording.first_tick >= begun_after
        assert [edits.edits[0].edit.kind for edits in recording.edits()] == ["checkpoint"]
        assert recording.keyframe(0) is not None


@pytest.mark.parametrize("name", ["/tmp/a.mcap", "../a.mcap", "a/../../b.mcap", "..", "a\nb.mcap", "x" * 300])
def test_a_name_that_leads_out_of_the_folder_is_forbidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, refused_run: Run
) -> None:
    with connect(refused_run.endpoint) as sim:
        with pytest.raises(ForbiddenFile):
            sim.recorder.start(name)
        assert sim.recorder.status().recording == 0


def test_a_recording_that_began_in_mid_run_is_proven_from_its_checkpoint_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Run(scene(2, mode="free"), "--no-controllers") as run, connect(run.endpoint) as sim:
        sim.robot("robot1").motors.set_velocity(0.3, 0.5)
        wait_for_ticks(sim, SECOND)
        (file,) = sim.recorder.start("a.mcap")
        sim.robot("robot2").motors.set_velocity(0.2, -0.5)
        wait_for_ticks(sim, SECOND)
        stopped = sim.recorder.stop()
    code, said = coopsim("verify", file)
    assert (code, said.partition(",")[0]) == (0, "identical")
    assert f"{stopped.ticks:.0f} ticks" in said


def test_an_existing_file_is_not_overwritten_by_message(refused_run: Run) -> None:
    with connect(refused_run.endpoint) as sim:
        sim.recorder.start("there.mcap")
        sim.recorder.stop()
        with pytest.raises(CannotRecord, match="exists already"):
            sim.recorder.start("there.mcap")
        assert sim.recorder.status().recording == 0


def test_what_is_inserted_while_recording_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with Run(scene(1), "--no-controllers", "--record", str(path)) as run, connect(run.endpoint) as sim:
        sim.world.insert("[OBJECT_1]\ntype sphere\nname ball\nsize 0.3 0.3 0.3\nposition 0 -3 0\nmass 1\n")
        wait_for_ticks(sim, 10)
    assert_unbroken(path)
    with Recording.open(path) as recording:
        last = Scrubber(recording).record(len(recording) - 1)
        assert "ball" in recording.layout(last.generation).bodies
        assert len(recording.generations) == 2


def test_a_recording_that_cannot_be_written_stops_the_run_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_text("mine")
    for options, word in (
        (("--record", str(path)), "--overwrite"),
        (("--record", str(path), "--overwrite"), "this is no recording"),
        (("--record", str(tmp_path / "no" / "no" / "a.mcap")), "there is no folder"),
        (("--record", "/proc/a.mcap"), "/proc/a.mcap"),
    ):
        code, said = coopsim("run", "formation", *options)
        assert code == 1
        assert word in said
        assert "Traceback" not in said
        assert "answering on" not in said
    assert path.read_text() == "mine"


def test_an_older_recording_is_replaced_when_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    for duration in ("0.5", "0.2"):
        options = ("--mode", "free", "--no-controllers", "--duration", duration, "--json")
        with Run(scene(1), *options, "--record", str(path), "--overwrite") as run:
            assert run.wait() == 0
    with Recording.open(path) as recording:
        assert recording.last_tick == 20
    assert run.summary["recording"]["gaps"] == 0
