"""The same controller drives simulated robots and real ones; here a process in C stands for the real one."""

import importlib.util
import os
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from coopsim.client import Client, connect
from coopsim.errors import BadArgument, NoSuchCommand, NoSuchName
from coopsim.testkit import MALFORMED, RawClient, Run
from coopsim.testkit.conformance import examine_driver

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
BESIDE = "[ROBOT_1]\ntype single\nname robot1\n[ROBOT_2]\ntype single\nname robot2\nposition -1.5 0 0\n"
OPTIONS = Namespace(length=1.5, speed=0.25, gain=1.5, offset=0.25, tolerance=0.1, seconds=120.0)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    assert compiler is not None, "a C compiler is needed: apt-get install gcc libc6-dev"
    program = tmp_path_factory.mktemp("c") / "robot"
    strict = ("-O2", "-std=c11", "-Wall", "-Wextra", "-Werror")
    subprocess.run([compiler, *strict, "-o", program, ROOT / "clients" / "c" / "robot.c", "-lm"], check=True)
    return program


@pytest.fixture(scope="module")
def sim(program: Path) -> Iterator[Client]:
    """Yield a client of a run with two simulated robots, real1 and real2 beside them."""
    with Run(BESIDE, "--no-controllers") as run, connect(run.endpoint, timeout=20.0) as sim:
        place = run.plain.rpartition("//")[2]
        robots = [_start(program, name, place) for name in ("real1", "real2")]
        try:
            while len(sim.names("/real")) < 6:
                assert all(robot.poll() is None for robot in robots)
            yield sim
        finally:
            for robot in robots:
                robot.kill()
                robot.communicate()


def _start(program: Path, name: str, place: str) -> "subprocess.Popen[str]":
    nature = ("--delay", "0.1", "--dead-zone", "0.02", "--slip", "0.1")
    command = [program, "--name", name, "--simulation", place, *nature]
    robot = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert robot.stdout is not None
    assert robot.stdout.readline().startswith(f"/{name} answers at tcp://")
    return robot


@pytest.fixture(scope="module")
def controller() -> ModuleType:
    spec = importlib.util.spec_from_file_location("virtual_bar", ROOT / "clients" / "python" / "virtual_bar.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("team", [("robot1", "robot2"), ("real2", "robot1"), ("real1", "real2")])
def test_one_controller_carries_with_simulated_robots_real_ones_and_both_C_3_C_13(
    sim: Client, controller: ModuleType, team: tuple[str, str]
) -> None:
    leader, helper = (sim.robot(name) for name in team)
    leader.odometry.reset(0.0, 0.0, 0.0)
    helper.odometry.reset(-1.5, 0.0, 0.0)
    worst = controller.carry(leader, helper, OPTIONS)
    assert worst is not None, "not there in time"
    assert worst < 0.5


def test_a_real_robot_answers_as_a_simulated_one_does_C_6(sim: Client) -> None:
    real, simulated = sim.robot("real1"), sim.robot("robot1")
    for name in ("motors", "odometry", "sonars"):
        commands = {command.number: command.name for command in simulated.module(name).interface.commands}
        mine = {command.number: command.name for command in real.module(name).interface.commands}
        assert mine.items() <= commands.items()
        assert real.module(name).ping().kind == simulated.module(name).ping().kind
    real.motors.parameters["slip"] = 0.25
    assert real.motors.parameters["slip"] == 0.25
    for wrong, problem in (
        (lambda: real.motors.set_parameter("slip", 2.0), BadArgument),
        (lambda: real.motors.get_parameter("colour"), NoSuchCommand),
        (lambda: sim.module("/real1/arm").ping(), NoSuchName),
    ):
        with pytest.raises(problem):
            wrong()


def test_a_real_robot_survives_whatever_is_sent_to_it(sim: Client) -> None:
    place = sim.module("/sim/names").lookup("/real1/motors").tcp.replace("tcp:", "tcp+plain:")
    for name, raw in MALFORMED.items():
        with RawClient(place) as rude:
            rude.send(raw)
            reply = rude.receive()
            assert reply is not None, name
            assert reply.error in {101, 102, 103, 201, 202, 203}, name
    assert sim.module("/real1/motors").ping().kind == "differential_drive"


@pytest.mark.parametrize("name", ["/real1/motors", "/real2/odometry"])
def test_a_real_robot_passes_the_examination_of_drivers(sim: Client, name: str) -> None:
    report = examine_driver(sim.module("/sim/names").lookup(name).tcp.replace("tcp:", "tcp+plain:"), name)
    assert not report.failed, str(report)
    assert {"module", "server refuses", "carrier"} <= {*report.counts()}


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--help"], 0, "usage: robot [--name NAME]"),
        (["--x", "1", "--y"], 2, "--y: a value is expected behind it"),
        (["--x", "far"], 2, "--x takes a number, got far"),
        (["--main", "1"], 2, "--main is no option"),
    ],
)
def test_the_program_of_the_robot_refuses_options_in_words(
    program: Path, words: list[str], code: int, text: str
) -> None:
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert text in done.stdout + done.stderr
