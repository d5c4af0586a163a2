"""`coopsim keys`, `coopsim status`, and runs that are guarded, or have priority."""

import json
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from app_runs import QUIET, Running, coopsim

from coopsim.client import connect
from coopsim.errors import NotInThisMode
from coopsim.interfaces.simulation import MOST_STEPS
from coopsim.testkit import children

pytestmark = pytest.mark.integration
ANSWERING = r"answering on (tcp://\S+)"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "quiet.scenario"
    path.write_text(QUIET)
    return path


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with the keys of a server."""
    result = coopsim("keys", "new", "lab", "--folder", str(tmp_path / "lab"))
    assert result.returncode == 0, result.stderr
    return tmp_path / "lab"


@pytest.fixture
def run(scenario: Path) -> Iterator[Running]:
    with Running(str(scenario), "--no-controllers", "--mode", "lockstep") as run:
        yield run


# keys


def test_keys_are_made_listed_and_trusted(tmp_path: Path, lab: Path) -> None:
    anna = tmp_path / "anna"
    assert coopsim("keys", "new", "anna", "--folder", str(anna)).returncode == 0
    assert "another place" in coopsim("keys", "new", "ben", "--folder", str(anna)).stderr
    trusted = coopsim("keys", "trust", str(anna / "anna.pub"), "--folder", str(lab))
    assert trusted.returncode == 0
    shown = coopsim("keys", "list", COOPSIM_KEYS=str(lab)).stdout.splitlines()
    assert [line.split()[::2] for line in shown[:2]] == [["own", "lab"], ["trusted", "anna"]]
    assert shown[1].split()[1] in (anna / "anna.pub").read_text()
    assert (anna / "anna.key").stat().st_mode & 0o777 == 0o600


def test_keys_say_what_is_wrong_without_a_traceback(tmp_path: Path, lab: Path) -> None:
    for arguments, code, words in (
        (("list", "--folder", str(tmp_path / "none")), 1, "no key pair"),
        (("trust", str(tmp_path / "none.pub"), "--folder", str(lab)), 1, "No such file"),
        (("trust", str(lab / "lab.pub"), "--name", "../../up", "--folder", str(lab)), 1, "name of a key"),
        (("new", "a/b", "--folder", str(tmp_path / "new")), 1, "name of a key"),
        (("sell",), 2, "no command 'sell'"),
    ):
        done = coopsim("keys", *arguments)
        assert done.returncode == code, arguments
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_without_a_name_a_key_is_called_after_user_and_machine(tmp_path: Path) -> None:
    assert coopsim("keys", "new", "--folder", str(tmp_path)).returncode == 0
    (secret,) = tmp_path.glob("*.key")
    assert re.fullmatch(r"[\w.-]+@[\w.@-]+|me", secret.stem)


# guarded runs


def test_other_interfaces_are_refused_without_keys_or_an_explicit_word(scenario: Path, tmp_path: Path) -> None:
    for address in ("0.0.0.0", "192.0.2.7"):
        done = coopsim("run", str(scenario), "--port", "0", "--bind", address, XDG_CONFIG_HOME=str(tmp_path))
        assert done.returncode == 2
        assert "--insecure" in done.stderr
        assert "coopsim keys new" in done.stderr
    for address in ("1.2.3", "*", "no-such-host.invalid"):
        done = coopsim("run", str(scenario), "--port", "0", "--bind", address)
        assert done.returncode == 2
        assert "--bind takes an address of this machine, such as 192.168.1.7, or its name" in done.stderr


def test_an_address_that_is_not_ours_is_told_by_name(scenario: Path) -> None:
    done = coopsim("run", str(scenario), "--port", "0", "--bind", "192.0.2.7", "--insecure")
    assert done.returncode == 2
    assert "--bind 192.0.2.7: that is no address of this machine" in done.stderr
    assert "Traceback" not in done.stderr


def test_insecure_is_open_to_all_interfaces(scenario: Path) -> None:
    with Running(str(scenario), "--no-controllers", "--bind", "0.0.0.0", "--insecure") as run:
        port = run.until(ANSWERING)[1].rpartition(":")[2]
        with connect(f"tcp://127.0.0.9:{port}") as sim:
            assert sim.robots() == ("robot1", "robot2")


def test_a_guarded_run_lets_in_who_is_trusted_and_its_own_controllers(tmp_path: Path, lab: Path) -> None:
    anna, scenario = tmp_path / "anna", tmp_path / "guarded.scenario"
    scenario.write_text(QUIET + "[CONTROLLER_1]\nrun wander\nrobots robot1\n")
    coopsim("keys", "new", "anna", "--folder", str(anna))
    coopsim("keys", "trust", str(lab / "lab.pub"), "--folder", str(anna))
    environment = {"COOPSIM_KEYS": str(anna)}
    with Running(str(scenario), "--bind", "127.0.0.2", "--keys", str(lab), "--mode", "lockstep") as run:
        endpoint = run.until(ANSWERING)[1]
        assert "plain TCP" not in run.out
        refused = coopsim("ls", "--endpoint", endpoint, **environment)
        assert refused.returncode == 1
        assert "does not trust the key 'anna'" in refused.stderr
        assert "error 506" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert "only clients with keys" in coopsim("ls", "--endpoint", endpoint).stderr
        coopsim("keys", "trust", str(anna / "anna.pub"), "--folder", str(lab))
        listed = coopsim("ls", "/robot1", "--endpoint", endpoint, **environment)
        assert "/robot1/motors" in listed.stdout, listed.stderr
        deadline = time.monotonic() + 30
        while "tick 0 " in (status := coopsim("status", "--endpoint", endpoint, **environment).stdout):
            assert time.monotonic() < deadline, "the controller of the scenario never got in"
        assert "lockstep" in status


def test_a_missing_key_ends_a_guarded_run_in_words(scenario: Path, tmp_path: Path) -> None:
    done = coopsim("run", str(scenario), "--port", "0", "--keys", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "no key pair" in done.stderr
    assert "Traceback" not in done.stderr


# status


def test_status_says_mode_time_pace_who_is_awaited_and_clients(run: Running) -> None:
    endpoint = run.until(ANSWERING)[1]
    with connect(endpoint) as sim, sim.stepper(["robot1"]) as stepper, connect(endpoint) as other_client:
        stepper.step([(0.1, 0.0)])
        other_client.module("/sim/step").claim(["robot2"])
        shown = coopsim("status", "--endpoint", endpoint)
        assert shown.returncode == 0, shown.stderr
        for words in ("mode     lockstep", "tick 1 of 0.01 s", "waiting for", "robot2 (", "3 clients", "pace     x"):
            assert words in shown.stdout
        status = json.loads(coopsim("status", "--json", "--endpoint", endpoint).stdout)
        assert (status["mode"], status["tick"], status["robots"]) == ("lockstep", 1, 2)
        assert set(status["awaited"]) == {"robot1", "robot2"}
        assert 0.0 < status["awaited"]["robot2"] < 60.0


def test_status_says_that_lockstep_waits_for_a_first_client_and_that_it_is_paused(run: Running) -> None:
    endpoint = run.until(ANSWERING)[1]
    assert "waiting for a client" in coopsim("status", "--endpoint", endpoint).stdout
    coopsim("call", "/sim/clock", "pause", "--endpoint", endpoint)
    assert "lockstep, paused" in coopsim("status", "--endpoint", endpoint).stdout


def test_a_paused_run_is_paused_while_clients_ask_for_single_steps_and_goes_on_by_continue_alone(run: Running) -> None:
    with connect(run.until(ANSWERING)[1]) as sim, connect(sim.endpoint) as stepping, ThreadPoolExecutor(1) as thread:
        sim.clock.call("pause")
        steps = thread.submit(stepping.clock.call, "step", MOST_STEPS)
        while (status := sim.clock.call("status")).tick == 0:
            assert status.paused
        assert status.paused
        assert status.tick < MOST_STEPS
        sim.clock.call("pause")
        with pytest.raises(NotInThisMode):
            steps.result()
        assert sim.clock.call("status").paused
        sim.clock.call("continue")
        with pytest.raises(NotInThisMode):
            stepping.clock.call("step", 1)
        assert not sim.clock.call("status").paused


def test_status_without_a_simulation_is_exit_code_1() -> None:
    done = coopsim("status", "--endpoint", "tcp://127.0.0.1:9")
    assert done.returncode == 1
    assert "coopsim run" in done.stderr


# priority


def test_real_time_priority_is_the_physics_processs_alone_or_refused_in_words(scenario: Path) -> None:
    with Running(str(scenario), "--no-controllers", "--realtime-priority") as run:
        run.until(f"{ANSWERING}|error 508")
        if "error 508" in run.out + run.err or "CAP_SYS_NICE" in run.err:
            assert "ulimit -r" in run.err
            return
        policies = {}
        for pid in children(run.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_text()
            policies["physics_process" in command] = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
        assert policies == {True: os.SCHED_FIFO, False: os.SCHED_OTHER}
