"""The commands that talk to a running simulation."""

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from app_runs import COOPSIM, DEADLINE, QUIET, Running, coopsim

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("clients") / "quiet.scenario"
    file.write_text(QUIET)
    with Running(str(file)) as run:
        yield run.endpoint
        run.interrupt()
        assert run.end() == 130


def test_ls_lists_what_answers(endpoint: str) -> None:
    names = coopsim("ls", "--endpoint", endpoint).stdout.split()
    assert {"/robot1/motors", "/robot2/sonars", "/sim/clock"} <= set(names)
    only = coopsim("ls", "/robot1/", COOPSIM_ENDPOINT=endpoint).stdout.split()
    assert only == [name for name in names if name.startswith("/robot1/")]


def test_ls_of_nothing_is_exit_code_1(endpoint: str) -> None:
    assert coopsim("ls", "/nobody", "--endpoint", endpoint).returncode == 1


@pytest.mark.parametrize("arguments", [("set_velocity", "-0.3", "0.1"), ("10", "w=0.1"), ("stop",)])
def test_call_takes_names_and_numbers(endpoint: str, arguments: tuple[str, ...]) -> None:
    done = coopsim("call", "--endpoint", endpoint, "/robot2/motors", *arguments)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_call_prints_what_a_command_gives_with_units(endpoint: str) -> None:
    done = coopsim("call", "--endpoint", endpoint, "/robot1/odometry", "pose")
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["x", "y", "heading"]
    assert done.stdout.splitlines()[0].endswith(" m")


def test_call_prints_json_where_it_is_asked_to(endpoint: str) -> None:
    pose = json.loads(coopsim("call", "--json", "--endpoint", endpoint, "/robot1/odometry", "pose").stdout)
    assert list(pose) == ["x", "y", "heading"]
    assert all(isinstance(value, float) for value in pose.values())
    assert coopsim("call", "--json", "--endpoint", endpoint, "/robot2/motors", "stop").stdout == "{}\n"
    sonars = json.loads(coopsim("call", "--json", "--endpoint", endpoint, "/robot1/sonars", "ranges").stdout)
    assert len(sonars["ranges"]) == 11


def test_call_sets_parameters(endpoint: str) -> None:
    for arguments, answer in (
        (("set_parameter", "noise", "0.05"), "0.05"),
        (("get_parameter", "noise"), "0.05"),
        (("ping",), "sonars"),
    ):
        done = coopsim("call", "--endpoint", endpoint, "/robot1/sonars", *arguments)
        assert answer in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("/robot1/motors", "fly"), "error 202"),
        (("/robot9/motors", "stop"), "error 201"),
        (("/robot1/motors", "set_velocity", "fast"), "must be a number"),
        (("/robot1/motors", "set_velocity", "1", "2", "3"), "remove 3"),
        (("/robot1/motors", "set_parameter", "max_speed", "1e9"), "error 203"),
    ],
)
def test_a_call_that_is_refused_is_exit_code_1_with_a_cure(
    endpoint: str, arguments: tuple[str, ...], words: str
) -> None:
    done = coopsim("call", "--endpoint", endpoint, *arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_watch_prints_so_many_readings(endpoint: str) -> None:
    done = coopsim("watch", "/robot1/sonars", "--count", "3", "--rate", "100", "--endpoint", endpoint)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    ticks = [int(line.split()[0]) for line in lines]
    assert ticks == sorted(set(ticks))
    assert all("ranges" in line for line in lines)


def test_watch_of_a_module_without_readings_shows_its_status(endpoint: str) -> None:
    done = coopsim("watch", "/sim/clock", "--count", "1", "--endpoint", endpoint)
    assert "mode real-time" in done.stdout
    assert done.stdout.split()[0].isdecimal()


def test_watch_ends_by_ctrl_c(endpoint: str) -> None:
    command = [*COOPSIM, "watch", "/robot1/odometry", "pose", "--endpoint", endpoint]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(DEADLINE) == 130


def test_describe_shows_the_commands_of_a_running_module(endpoint: str) -> None:
    done = coopsim("describe", "/robot1/motors", "--endpoint", endpoint)
    for words in ("set_velocity", "v [m/s] = 0.0, w [rad/s] = 0.0", "max_force", "0 to 100 m/s"):
        assert words in done.stdout


def test_nobody_there_is_exit_code_1_and_says_what_to_do() -> None:
    done = coopsim("ls", "--endpoint", "tcp://127.0.0.1:9")
    assert done.returncode == 1
    assert "coopsim run" in done.stderr
