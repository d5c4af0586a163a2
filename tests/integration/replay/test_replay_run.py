"""`coopsim replay` with real processes and clients. C-74 to C-77, D8."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from replay_runs import DEADLINE, Running, coopsim

from coopsim.client import Client, connect
from coopsim.errors import CoopsimError, NotInThisMode
from coopsim.recording import Recording

pytestmark = pytest.mark.integration
READER = """
import numpy as np
from coopsim.client import connect
with connect() as sim:
    for name in sim.robots():
        robot = sim.robot(name)
        for reading in (robot.sonars.ranges(), robot.motors.state(), robot.target.targets(), robot.odometry.pose()):
            values = [np.float32(it).tolist() for it in reading if not isinstance(it, tuple | str)]
            print(name, reading.tick, values)
    print(sim.names(), sim.clock.status().mode, sim.world.list().total)
"""


def read(endpoint: str) -> str:
    """Return what a program that reads everything prints."""
    environment = {**os.environ, "COOPSIM_ENDPOINT": endpoint}
    done = subprocess.run(
        [sys.executable, "-c", READER], env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def drive(sim: Client, steps: int) -> None:
    """Drive both robots of the scenario in lockstep."""
    with sim.stepper() as stepper:
        for number in range(steps):
            stepper.step([(0.3, 0.1 * (number % 5 - 2))] * len(stepper.robots))


def test_an_unchanged_program_reads_from_a_recording_what_it_read_from_the_live_run(tmp_path: Path) -> None:
    """C-77, D8: the same program, the same answers."""
    file = tmp_path / "live.mcap"
    seen: dict[int, str] = {}
    arguments = ("run", "formation", "--no-controllers", "--mode", "lockstep", "--no-gui", "--record", str(file))
    with Running(*arguments) as live, connect(live.endpoint) as sim:
        for _ in range(3):
            drive(sim, 40)
            seen[sim.clock.status().tick] = read(live.endpoint)
    with Running("replay", str(file), "--paused") as shown, connect(shown.endpoint) as sim:
        for tick, said in reversed(seen.items()):
            sim.playback.seek(tick * 0.01)
            now = read(shown.endpoint).replace("'/sim/playback', ", "")
            assert now == said


@pytest.mark.parametrize("carrier", ["endpoint", "plain"])
def test_every_time_is_sought_by_message_and_its_readings_are_served(short: Path, carrier: str) -> None:
    """C-76: a module receives the desired time over the network."""
    with Running("replay", str(short)) as run, connect(getattr(run, carrier)) as sim, Recording.open(short) as truth:
        sonars = sim.robot("robot2").sonars
        own = sim.robot("robot2", own_endpoint=carrier == "endpoint").sonars
        place = truth.layout(truth.generations[-1]).robot["robot2"]
        begin = place.reading_offset + place.type.module("sonars").reading_offset
        recorded = [record.readings[begin : begin + 11] for record in truth.records()]
        sim.playback.pause()
        for tick in (150, 3, 200, 77, 76, 0):
            assert sim.playback.seek(tick * 0.01).time == pytest.approx(tick * 0.01)
            for reading in (sonars.ranges(), own.ranges()):
                assert reading.tick == tick
                assert np.array_equal(np.float32(reading.ranges), np.float32(recorded[tick]))


def test_whoever_listens_to_the_state_stream_gets_what_is_shown(short: Path) -> None:
    with (
        Running("replay", str(short), "--paused") as run,
        connect(run.endpoint) as sim,
        Recording.open(short) as truth,
        sim.stream("/sim/state", conflate=False) as stream,
    ):
        recorded = list(truth.records())
        state = stream.latest()
        for tick in (0, 150, 3, 200):
            sim.playback.seek(tick * 0.01)
            while state is not None and state.tick != tick:
                state = stream.latest()
            assert state is not None
            assert np.array_equal(np.float32(state.poses), np.float32(recorded[tick].poses))
            assert np.array_equal(np.float32(state.raw.flat), np.float32(recorded[tick].readings))


def test_it_plays_in_its_own_time_and_pauses_at_the_end(short: Path) -> None:
    with Running("replay", str(short), "--speed", "4", "--json") as run:
        run.until(r"2\.00 s .* paused")
        with connect(run.endpoint) as sim:
            status = sim.playback.status()
            assert (status.playing, status.time, status.speed) == (0, 2.0, 4.0)
            assert sim.clock.status().paused == 1
        assert run.interrupt() == 130
        last = json.loads(run.printed.splitlines()[-1])
        assert (last["ticks"], last["sim_time"], sorted(last["robots"])) == (200, 2.0, ["robot1", "robot2"])
        assert run.rings == []


def test_a_file_tells_where_a_replay_answers_and_it_is_a_run_of_its_own(short: Path, tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    with Running("replay", str(short), "--paused", "--ready", str(file)) as shown:
        shown.until("answering on")
        document = json.loads(file.read_text())
        with connect(document["zmq"], timeout=10.0) as sim:
            assert sim.run_number == sim.info()["run"] == document["run"] > 0
        plain = document["tcp"].replace("tcp://", "tcp+plain://")
        with connect(plain, timeout=10.0) as sim, sim.stream("robot1") as states:
            state = states.latest()
            assert state is not None
            assert (state.tick, state.raw.run) == (0, document["run"])
        assert (document["pid"], document["recording"], document["public_key"]) == (shown.process.pid, str(short), None)


def test_commands_are_refused_on_the_wire_and_on_the_command_line(short: Path) -> None:
    with Running("replay", str(short), "--paused") as run:
        with connect(run.endpoint) as sim:
            with pytest.raises(NotInThisMode, match="this is a recording"):
                sim.robot("robot1").motors.set_velocity(0.1, 0.0)
            with pytest.raises(NotInThisMode, match="this is a recording"):
                sim.stepper()
            with pytest.raises(NotInThisMode, match="/sim/playback pause"):
                sim.clock.pause()
        status = coopsim("status", "--endpoint", run.endpoint).stdout
        assert status.startswith(f"replay   of {short.name}")
        assert "nothing is recorded" not in status
        assert (
            f"a replay of {short.name}: modules as they were recorded"
            in coopsim("ls", "--endpoint", run.endpoint).stderr
        )
        done = coopsim("call", "--endpoint", run.endpoint, "/robot1/motors", "stop")
        assert done.returncode == 1
        assert "this is a recording" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_loop_goes_round(short: Path) -> None:
    with Running("replay", str(short), "--loop", "0.5:0.6", "--speed", "2") as run, connect(run.endpoint) as sim:
        status = sim.playback.status()
        assert (status.loop_begin, status.loop_end, status.playing) == (0.5, 0.6, 1)
        ticks = {sim.robot("robot1").sonars.ranges().tick for _ in range(200)}
        assert ticks <= set(range(50, 61))
        sim.playback.speed(-8)
        ticks = {sim.robot("robot1").sonars.ranges().tick for _ in range(200)}
        assert ticks <= set(range(50, 61))


def has_records(file: Path) -> bool:
    """Return whether a file that is being written can be read already."""
    try:
        with Recording.open(file) as recording:
            return len(recording) > 0
    except CoopsimError:
        return False


def test_a_recording_whose_processes_were_all_killed_is_played(tmp_path: Path) -> None:
    """A run is killed without warning; what was flushed is shown."""
    file = tmp_path / "killed.mcap"
    arguments = ("run", "single", "--no-controllers", "--mode", "free", "--no-gui", "--record", str(file))
    with Running(*arguments) as live:
        assert live.endpoint
        # thirty seconds of a free run are over before the recorder has handed anything to the system
        while not has_records(file):
            pass
        pids = [live.child(name) for name in ("recorder_process", "physics_process", "host_process")]
        for pid in (*pids, live.process.pid):
            os.kill(pid, signal.SIGKILL)
        live.end()
    with Running("replay", str(file), "--paused") as run, connect(run.endpoint) as sim:
        status = sim.playback.status()
        assert status.complete == 0
        assert status.end > 0.0
        sim.playback.seek(status.end)
        assert sim.robot("robot1").sonars.ranges().tick == round(status.end * 100)


@pytest.mark.parametrize("victim", ["playback_process", "host_process"])
def test_when_a_process_is_killed_everything_ends_and_nothing_is_left(short: Path, victim: str) -> None:
    with Running("replay", str(short)) as run:
        assert run.endpoint
        processes = [run.child(name) for name in ("playback_process", "host_process")]
        os.kill(run.child(victim), signal.SIGKILL)
        assert run.end() == 3
        assert f"the {victim.replace('_', ' ')} was killed by SIGKILL" in run.printed
        assert "physics" not in run.printed
        assert run.rings == []
        assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def test_when_the_launcher_is_killed_the_others_end_too(short: Path) -> None:
    with Running("replay", str(short)) as run:
        assert run.endpoint
        run.process.kill()
        run.end()  # the pipe ends when the last of them has gone
        assert run.rings == []


def test_a_recording_is_loaded_by_message(short: Path, tmp_path: Path) -> None:
    """C-75: a recording is loaded."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "other.mcap").write_bytes(short.read_bytes())
    with Running("replay", str(short), "--paused", cwd=tmp_path) as run, connect(run.endpoint) as sim:
        assert sim.playback.load("other.mcap").end == 2.0
        assert sim.playback.status().file == str(folder / "other.mcap")
        assert sim.info()["recording"] == "other.mcap"
        done = coopsim("call", "--endpoint", run.endpoint, "/sim/playback", "load", "/etc/passwd")
        assert (done.returncode, "403" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("{short}", "--speed", "100"), 2, "64"),
        (("{short}", "--loop", "3"), 2, "A:B"),
        (("{short}", "--loop", "3:1"), 2, "ends before it begins"),
        (("{short}", "--loop", "a:b"), 2, "a"),
        (("{short}", "--loop", "5:9"), 1, "between 0 and 2 s"),
        (("{folder}/none.mcap",), 1, "601"),
        (("{folder}/text.mcap",), 1, "601"),
        (("{folder}",), 1, "601"),
        ((), 2, "FILE"),
    ],
)
def test_mistakes_on_the_command_line_are_told_in_words(
    short: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "text.mcap").write_text("no recording")
    given = [argument.format(short=short, folder=tmp_path) for argument in arguments]
    done = coopsim("replay", *given, "--port", "0")
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
