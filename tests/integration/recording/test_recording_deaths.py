"""Who dies while a run is recorded, and what is left: at most a second is lost, and the run goes on where it can."""

import os
import signal
from pathlib import Path

import pytest
from recorded_runs import SECOND, assert_unbroken, scene, tick_of, ticks_of, wait_for_ticks, wait_until

from coopsim.client import Client, connect
from coopsim.errors import CoopsimError
from coopsim.recording import Recording, recover
from coopsim.testkit import Driver, Run
from coopsim.transport import Ring

pytestmark = pytest.mark.integration

LONG = 1.2 * SECOND
"""Ticks after which something must be in the file."""
SOME = 500_000
"""Bytes of a file that holds more than the texts at its beginning."""


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that nobody has buried yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_recorded(sim: Client) -> int:
    """Wait until more than a second is recorded; return the tick then."""
    wait_until(lambda: sim.recorder.status().ticks > LONG)
    return tick_of(sim)


def assert_at_most_a_second_lost(path: Path, tick: int) -> None:
    """See to it that a file can be read up to a second before a tick, and can be given its index back."""
    before = ticks_of(path)
    assert before[-1] >= tick - SECOND
    recover(path)
    with Recording.open(path) as recording:
        assert recording.complete
    assert ticks_of(path) == before


def test_the_run_goes_on_when_its_recorder_is_killed_and_says_so_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    options = ("--no-controllers", "--json", "--duration", "60")
    with Run(scene(2), *options, "--record", str(path)) as run, connect(run.endpoint) as sim:
        killed_at = wait_until_recorded(sim)
        os.kill(run.recorder, signal.SIGKILL)
        wait_until(lambda: sim.recorder.status().recording == 0)
        assert "SIGKILL" in sim.recorder.status().problem
        wait_for_ticks(sim, 10)
        sim.clock.set_mode("free")
        assert run.wait() == 3
    assert "the recorder process was killed by SIGKILL; the run goes on" in run.printed
    assert run.summary["ticks"] == 6000
    assert_at_most_a_second_lost(path, killed_at)


def test_a_run_that_waits_for_its_recorder_is_set_free_when_that_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Run(scene(60, mode="free"), "--no-controllers") as run, connect(run.endpoint) as sim:
        sim.recorder.start("a.mcap")
        os.kill(run.recorder, signal.SIGSTOP)
        ring = Ring.attach(run.ring)
        wait_until(lambda: not ring.has_room(2 * len(ring.latest())))
        os.kill(run.recorder, signal.SIGKILL)
        wait_until(lambda: ring.recorder_cursor < 0)
        wait_for_ticks(sim, 100)
        (file,) = sim.recorder.start("b.mcap")
        sim.clock.set_mode("real-time")
        wait_for_ticks(sim, 10)
        assert sim.recorder.stop().ticks >= 10
    assert_unbroken(Path(file))


def test_a_recorder_that_is_stopped_for_long_loses_nothing_in_a_free_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Run(scene(60, mode="free"), "--no-controllers") as run, connect(run.endpoint) as sim:
        (file,) = sim.recorder.start("a.mcap")
        recorder = run.recorder
        os.kill(recorder, signal.SIGSTOP)
        # not the room in the ring: how much is left when physics waits depends on where the last record ends
        wait_until(lambda: "waits for the recorder" in sim.recorder.status().problem)
        os.kill(recorder, signal.SIGCONT)
        sim.clock.set_mode("real-time")
        sim.recorder.stop()
    assert_unbroken(Path(file))


def stop_recorder(run: Run, sim: Client) -> int:
    """Stop the recorder with something in its file; return its process id when the run waits for it."""
    wait_until(lambda: sim.recorder.status().size_bytes > SOME)
    recorder = run.recorder
    os.kill(recorder, signal.SIGSTOP)
    wait_until(lambda: "waits for the recorder" in sim.recorder.status().problem)
    assert sim.recorder.status().recording == 1
    return recorder


@pytest.mark.parametrize("mode", ["free", "lockstep"])
def test_ctrl_c_ends_a_run_that_waits_for_a_stopped_recorder(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.mcap"
    with (
        Run(scene(60, mode=mode), "--no-controllers", "--record", str(path)) as run,
        connect(run.endpoint) as sim,
        Driver(run.endpoint, "robot1"),
    ):
        processes = [run.physics, run.host, stop_recorder(run, sim)]
        assert run.stop() == 130
        assert not any(map(is_alive, processes))
    assert "the run waits for the recorder" in run.printed
    assert "the recorder process had done nothing for 4 s and was killed" in run.printed
    assert "did not stop" not in run.printed
    assert_unbroken(path)


def test_a_recording_is_stopped_by_message_though_its_recorder_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with (
        Run(scene(60, mode="free"), "--no-controllers", "--record", str(path)) as run,
        connect(run.endpoint, timeout=20.0) as sim,
    ):
        stop_recorder(run, sim)
        with pytest.raises(CoopsimError, match="had done nothing for 4 s and was killed"):
            sim.recorder.stop()
        wait_for_ticks(sim, 10)
        assert run.stop() == 130
    assert "the run goes on; what it wrote to" in run.printed
    assert_unbroken(path)


def test_a_run_that_waits_for_its_recorder_ends_with_its_launcher(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with Run(scene(60, mode="free"), "--no-controllers", "--record", str(path)) as run:
        with connect(run.endpoint) as sim:
            processes, recorder = [run.physics, run.host], stop_recorder(run, sim)
            os.kill(run.launcher, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, processes)))
        os.kill(recorder, signal.SIGCONT)
        run.wait()
        wait_until(lambda: not is_alive(recorder))
    with Recording.open(path) as recording:
        assert recording.complete


def test_a_recorder_that_does_not_keep_up_in_real_time_counts_what_is_missing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    # the fastest that real time goes, and records so large that the ring is soon full
    with (
        Run(scene(120), "--no-controllers", "--speed", "100", "--record", str(path)) as run,
        connect(run.endpoint) as sim,
    ):
        wait_for_ticks(sim, 10)
        recorder, ring = run.recorder, Ring.attach(run.ring)
        os.kill(recorder, signal.SIGSTOP)
        wait_until(lambda: ring.position - ring.recorder_cursor > 1.5 * ring.largest)
        os.kill(recorder, signal.SIGCONT)
        wait_until(lambda: sim.recorder.status().gaps > 0)
        gaps = sim.recorder.stop().gaps
    assert "the recorder does not keep up" in run.printed
    with Recording.open(path) as recording:
        revisions = [record.header.revision for record in recording.records()]
        assert recording.gaps == gaps == revisions[-1] + 1 - revisions[0] - len(revisions)


@pytest.mark.parametrize("victim", ["physics", "host", "launcher"])
def test_whoever_else_is_killed_the_recording_is_closed_and_lacks_nothing(tmp_path: Path, victim: str) -> None:
    path = tmp_path / "a.mcap"
    with Run(scene(2), "--no-controllers", "--record", str(path)) as run:
        with connect(run.endpoint) as sim:
            wait_until_recorded(sim)
            processes = [run.physics, run.host, run.recorder]
            ring = Ring.attach(run.ring)
            os.kill(getattr(run, victim), signal.SIGKILL)
        code = run.wait()
        wait_until(lambda: not any(map(is_alive, processes)))
        assert code == (3 if victim != "launcher" else -signal.SIGKILL)
    assert not ring.path.exists()
    assert_unbroken(path)
    with Recording.open(path) as recording:
        assert recording.complete
        assert recording.last_tick >= LONG


def test_requests_for_a_recording_are_refused_when_its_recorder_dies_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("recordings").write_text("in the way")
    with Run(scene(1), "--no-controllers") as run, connect(run.endpoint) as sim:
        with pytest.raises(CoopsimError, match="recordings"):
            sim.recorder.start("a.mcap")
        assert sim.recorder.status().recording == 0
        assert tick_of(sim) >= 0
