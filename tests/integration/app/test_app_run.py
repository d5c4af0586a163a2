"""`coopsim run` from outside: real processes, real signals."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from app_runs import COOPSIM, DEADLINE, QUIET, Running, coopsim, rings_of, wait_for_end

pytestmark = pytest.mark.integration
PHYSICS, HOST = "coopsim.launch.physics_process", "coopsim.launch.host_process"


def with_controller(tmp_path: Path, code: str, *, mode: str = "real-time") -> str:
    """Return a scenario whose controller runs `code` with a client `sim`."""
    program = tmp_path / "controller.py"
    program.write_text(f"import sys\nfrom coopsim.client import connect\nsim = connect()\n{code}\n")
    file = tmp_path / "driven.scenario"
    section = f"[SIMULATION]\nmode {mode}\n[CONTROLLER_1]\nrun {sys.executable} {program}\nrobots robot1\n"
    file.write_text(QUIET + section)
    return str(file)


def test_json_alone_is_on_stdout_and_says_everything_about_the_run(quiet: str) -> None:
    done = coopsim("run", quiet, "--mode", "free", "--duration", "0.5", "--port", "0", "--no-gui", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == [
        *("ticks", "sim_time", "wall_time", "overruns", "max_lateness", "slipped", "lateness_p50", "lateness_p99"),
        *("patience_fired", "state_hash", "robots"),
    ]
    assert (result["ticks"], result["sim_time"], result["patience_fired"]) == (50, 0.5, 0)
    assert len(result["state_hash"]) == 32
    assert result["robots"]["robot2"] == {"x": 2.0, "y": 0.0, "heading": 0.0, "owner": None}
    assert "robot1" in done.stderr


def test_the_command_line_wins_over_the_file(quiet: str) -> None:
    with Path(quiet).open("a") as file:
        file.write("[SIMULATION]\nmode lockstep\nduration 90\nstep 0.02\n")
    done = coopsim("run", quiet, "--mode", "free", "--duration", "1", "--port", "0", "--json")
    assert json.loads(done.stdout.splitlines()[-1])["ticks"] == 50


def test_the_top_view_is_drawn(quiet: str, tmp_path: Path) -> None:
    plot = tmp_path / "top.svg"
    done = coopsim("run", quiet, "--mode", "free", "--duration", "1", "--port", "0", "--plot", str(plot))
    assert done.returncode == 0
    assert "robot2" in "".join(ET.parse(plot).getroot().itertext())


def test_a_taken_port_is_exit_code_1_and_names_the_option(quiet: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = coopsim("run", quiet, "--port", port, "--duration", "1")
    assert done.returncode == 1
    assert "--port" in done.stderr
    assert port in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_still_prints_its_table(quiet: str, number: signal.Signals, code: int) -> None:
    with Running(quiet) as run:
        run.until(r"real-time  overruns")
        os.killpg(run.process.pid, number)
        assert run.end() == code
        assert re.search(r"robot2 +2.000", run.out)
        assert "ticks, " in run.out
        assert "coopsim: " not in run.err
        assert rings_of(run.process.pid) == []


@pytest.mark.parametrize(("module", "name"), [(PHYSICS, "physics"), (HOST, "host")])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_dead_process_is_named_with_its_signal_and_takes_the_other_along(
    quiet: str, module: str, name: str, number: signal.Signals
) -> None:
    with Running(quiet, "--json") as run:
        run.until(r"real-time  overruns")
        both = run.child(PHYSICS), run.child(HOST)
        os.kill(run.child(module), number)
        assert run.end() == 3
        assert f"the {name} process was killed by {number.name}" in run.err
        # what is known of the run is still printed
        assert json.loads(run.out.splitlines()[-1])["robots"]["robot2"]["x"] == 2.0
        wait_for_end(*both)
        assert rings_of(run.process.pid) == []


def test_when_the_launcher_is_killed_all_others_end_and_nothing_is_left(quiet: str) -> None:
    with Running(quiet) as run:
        run.until(r"real-time  overruns")
        both = run.child(PHYSICS), run.child(HOST)
        run.process.kill()
        wait_for_end(*both)
        assert rings_of(run.process.pid) == []


def test_shared_memory_of_a_launcher_long_dead_is_removed_at_the_next_start(quiet: str) -> None:
    with Running(quiet) as run:
        run.until(r"real-time  overruns")
        dead = run.process.pid
        both = run.child(PHYSICS), run.child(HOST)
        for pid in (*both, dead):
            os.kill(pid, signal.SIGKILL)
        wait_for_end(*both)
        run.process.wait()
    assert len(rings_of(dead)) == 1
    coopsim("run", quiet, "--mode", "free", "--duration", "0.1", "--port", "0")
    assert rings_of(dead) == []


def test_a_process_that_hangs_is_killed_in_the_end(quiet: str) -> None:
    with Running(quiet) as run:
        run.until(r"real-time  overruns")
        os.kill(run.child(PHYSICS), signal.SIGSTOP)
        run.interrupt()
        assert run.end() == 130
        assert "the physics process did not stop within" in run.err
        assert re.search(r"robot2 +2.000", run.out)


def test_a_run_ends_when_its_controller_has_ended(tmp_path: Path) -> None:
    code = "sim.robot('robot1').motors.set_velocity(0.2, 0.0); print('driving')"
    file = with_controller(tmp_path, code)
    done = coopsim("run", file, "--allow-commands", "--port", "0", "--json")
    assert done.returncode == 0, done.stderr
    assert "[controller.py] driving\n" in done.stderr
    assert "coopsim: " not in done.stderr


def test_a_lockstep_run_is_driven_by_its_controller_step_by_step(tmp_path: Path) -> None:
    """C-30: simulated time waits for the robots' commands."""
    code = (
        "with sim.stepper(['robot1']) as stepper:\n"
        "    for _ in range(100):\n        stepper.step({'robot1': (0.4, 0.0)})\n"
    )
    file = with_controller(tmp_path, code, mode="lockstep")
    results = []
    for _ in range(2):
        done = coopsim("run", file, "--allow-commands", "--port", "0", "--json")
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout.splitlines()[-1]))
    assert results[0]["ticks"] == 100
    assert 0.2 < results[0]["robots"]["robot1"]["x"] < 0.4
    assert results[0]["robots"]["robot1"]["owner"] == "controller.py"
    assert results[0]["state_hash"] == results[1]["state_hash"]


def test_a_controller_that_fails_is_reported_with_its_last_words(tmp_path: Path) -> None:
    file = with_controller(tmp_path, "sys.exit('the battery is empty')")
    done = coopsim("run", file, "--allow-commands", "--port", "0")
    assert done.returncode == 1
    assert "ended with exit code 1; its last words:\n    the battery is empty" in done.stderr
    assert "with an error" in done.stdout


def test_controllers_end_with_a_launcher_that_was_killed(tmp_path: Path) -> None:
    code = "print('pid', __import__('os').getpid(), flush=True)\nwhile True: sim.clock.status()"
    with Running(with_controller(tmp_path, code), "--allow-commands") as run:
        controller = int(run.until(r"\] pid (\d+)\n")[1])
        run.process.kill()
        wait_for_end(controller)


def test_controllers_that_ask_nothing_end_with_a_launcher_that_was_killed_too(tmp_path: Path) -> None:
    code = "print('pid', __import__('os').getpid(), flush=True)\n__import__('signal').pause()"
    with Running(with_controller(tmp_path, code), "--allow-commands") as run:
        controller = int(run.until(r"\] pid (\d+)\n")[1])
        run.process.kill()
        wait_for_end(controller)


def test_no_controllers_starts_none(tmp_path: Path) -> None:
    file = with_controller(tmp_path, "print('driving')")
    done = coopsim("run", file, "--no-controllers", "--mode", "free", "--duration", "0.1", "--port", "0")
    assert done.returncode == 0
    assert "driving" not in done.stderr


def test_a_command_in_a_scenario_is_not_run_unasked(tmp_path: Path) -> None:
    done = coopsim("run", with_controller(tmp_path, ""), "--port", "0")
    assert done.returncode == 1
    assert "--allow-commands" in done.stderr


def test_lockstep_without_a_client_says_once_what_it_waits_for(quiet: str) -> None:
    with Running(quiet, "--mode", "lockstep") as run:
        run.until(r"waiting for a client|waiting until a client")
        run.interrupt()
        assert run.end() == 130
        assert run.err.count("waiting until a client claims or commands a robot") == 1
        assert "\n0 ticks" in run.out


def test_a_robot_to_wait_for_that_is_not_there_is_exit_code_1(quiet: str) -> None:
    done = coopsim("run", quiet, "--mode", "lockstep", "--wait-for", "robot7", "--port", "0")
    assert done.returncode == 1
    assert "no robot robot7 to wait for" in done.stderr


def test_three_robots_reach_the_target_in_formation_driven_by_a_process_of_its_own(tmp_path: Path) -> None:
    """On the way they pass obstacles."""
    plot = tmp_path / "formation.svg"
    done = coopsim("run", "formation", "--mode", "lockstep", "--port", "0", "--json", "--plot", str(plot))
    assert done.returncode == 0, done.stderr
    robots = json.loads(done.stdout.splitlines()[-1])["robots"]
    assert {robot["owner"] for robot in robots.values()} == {"formation"}
    assert abs(robots["robot1"]["x"] - 4.8) < 0.5
    assert "all controllers have ended" in done.stderr
    assert "shape of the team" in plot.read_text()


def test_a_reader_who_stalls_holds_up_neither_the_run_nor_its_end(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    code = f"for _ in range(3000): print('x' * 100)\nopen({str(ready)!r}, 'w').close()\nimport time\ntime.sleep(600)"
    os.mkfifo(ready)
    reading, writing = os.pipe()
    command = [*COOPSIM, "run", with_controller(tmp_path, code), "--allow-commands", "--port", "0"]
    with subprocess.Popen(command, stdout=writing, stderr=writing) as process:
        os.close(writing)
        try:
            ready.read_bytes()  # more was printed than the pipe holds
            process.terminate()
            assert process.wait(DEADLINE) == 143
        finally:
            process.kill()
            os.close(reading)


def test_a_free_run_warns_when_time_outruns_its_controllers(tmp_path: Path) -> None:
    late = with_controller(tmp_path, "import time; time.sleep(600)", mode="free")
    done = coopsim("run", late, "--allow-commands", "--port", "0", "--duration", "3")
    assert done.returncode == 0, done.stderr
    assert "coopsim: 1 of 1 robots got no command in 300 ticks" in done.stderr
    assert "--mode lockstep" in done.stderr


def test_a_run_of_a_scenario_with_goals_says_how_they_are_judged(quiet: str) -> None:
    with Path(quiet).open("a") as file:
        file.write("[GOAL_1]\nname far\nrobots robot1\nreach 5 5 0.3\n")
    done = coopsim("run", quiet, "--mode", "free", "--duration", "0.1", "--port", "0", "--no-gui")
    assert done.returncode == 0, done.stderr
    assert "1 goal of the scenario not judged; --until-goal does that" in done.stderr
