"""Items of AMSA on the package for ROS 1: built with catkin, run under a real roscore as fast as its nodes step."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xmlrpc.client import ServerProxy

import pytest
from click.testing import CliRunner
from ros_programs import end_launcher

from coopsim.features.amsa.commands.generate import generate
from coopsim.features.amsa.components import System, load_scenario, load_system
from coopsim.features.amsa.components.scenario import steps_of
from coopsim.features.amsa.components.trial import play, usual_duration
from coopsim.testkit.conformance.restart import lasting_port

CHALLENGE = load_system("challenge")
PATIENCE = 180.0
_PHASE = re.compile(r"phase at (\d+): max_distance (\S+) final_distance (\S+) rms_error ([\d.]+)")


@dataclass(frozen=True)
class Package:
    """The generated package and where it was built."""

    source: Path
    build: Path

    def environment(self, port: int) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.build),
            "ROS_HOME": str(self.build / "ros"),
            "ROS_IP": "127.0.0.1",
            "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
            "ROS_PACKAGE_PATH": f"{self.source}:/usr/share",
            "CMAKE_PREFIX_PATH": str(self.build / "devel"),
        }


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("ros1")
    source, build = folder / "challenge", folder / "build"
    result = CliRunner().invoke(generate, ["ros1", "challenge", "-o", str(source)])
    assert result.exit_code == 0, result.output
    tools = [
        "-DPYTHON_EXECUTABLE=/usr/bin/python3",
        "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
    ]
    _made(["cmake", "-S", str(source), "-B", str(build), "-DCATKIN_ENABLE_TESTING=OFF", *tools])
    _made(["cmake", "--build", str(build), "--parallel", "2"])
    return Package(source, build)


def _made(command: list[str]) -> None:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=os.environ | {"PATH": "/usr/bin:/bin"}
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"


class Launched:
    """The package under a roscore of its own, while it plays a scenario."""

    def __init__(self, package: Package, scenario: str) -> None:
        port = lasting_port()
        self.log = package.build / f"{scenario}.csv"
        self.master = ServerProxy(f"http://127.0.0.1:{port}")
        self._process = subprocess.Popen(
            [
                *("/usr/bin/python3", "/usr/bin/roslaunch", "-p", str(port), "challenge", "challenge.launch"),
                *(f"scenario:={scenario}", "simulated:=true", "speed:=0", f"log:={self.log}"),
            ],
            env=package.environment(port),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.output = ""

    def ask(self, method: str, *arguments: Any) -> Any:
        try:
            code, _, value = getattr(self.master, method)("/test", *arguments)
        except OSError:
            return None  # the master has not begun yet
        return value if code == 1 else None

    def until(self, what: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            result = what()
            if result:
                return result
        raise AssertionError(f"it did not come about\n{self.finish()}")

    def finish(self) -> str:
        if not self.output:
            self.output, _ = self._process.communicate(timeout=PATIENCE)
        return self.output

    def close(self) -> None:
        """End the launcher, which ends its nodes; each is in a session of its own."""
        end_launcher(self._process)
        self.master("close")()

    def phases(self) -> list[tuple[float, float, float, float]]:
        return [tuple(map(float, numbers)) for numbers in _PHASE.findall(self.finish())]  # type: ignore[misc]


@pytest.fixture(scope="module")
def graph(first: Launched) -> dict[str, dict[str, set[str]]]:
    """What the master says of publishers and subscribers when all nodes are there."""

    def state() -> Any:
        system = first.ask("getSystemState")
        stepping = dict(system[0]).get("/challenge/stepped", []) if system else []  # what a node advertises last
        return system if len(stepping) == len(CHALLENGE.leaves) else None

    publishers, subscribers, _ = first.until(state)
    return {
        "publishers": {topic: set(nodes) for topic, nodes in publishers},
        "subscribers": {topic: set(nodes) for topic, nodes in subscribers},
        "types": {topic: {kind} for topic, kind in first.until(lambda: first.ask("getTopicTypes"))},
    }


@pytest.fixture(scope="module")
def first(package: Package) -> Iterator[Launched]:
    launched = Launched(package, "scenario1")
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def second(package: Package) -> Iterator[Launched]:
    launched = Launched(package, "scenario2")
    yield launched
    launched.close()


def free_standing(scenario: str) -> list[dict[str, Any]]:
    system = System(CHALLENGE)
    system.initialize()
    steps = steps_of(load_scenario(scenario), CHALLENGE)
    return [phase.to_json(15.0, 20.0) for phase in play(system, steps, usual_duration(steps))]


def test_a_34_there_is_one_node_for_each_leaf(graph: dict[str, dict[str, set[str]]]) -> None:
    nodes = set().union(*graph["publishers"].values())
    assert {f"/challenge/{name}" for name in CHALLENGE.leaves} == nodes - {"/challenge/scenarioNode", "/rosout"}


def test_a_36_a_38_there_is_one_topic_for_each_data_typed(graph: dict[str, dict[str, set[str]]]) -> None:
    assert len(CHALLENGE.producers()) == 15
    for data in CHALLENGE.producers():
        assert graph["types"][f"/challenge/{data}"] == {"std_msgs/Float64"}


def test_a_42_the_graph_of_nodes_is_that_of_the_model(graph: dict[str, dict[str, set[str]]]) -> None:
    for data, (leaf, _) in CHALLENGE.producers().items():
        assert graph["publishers"][f"/challenge/{data}"] == {f"/challenge/{leaf.name}"}
        readers = {f"/challenge/{reader.name}" for reader, _ in CHALLENGE.consumers()[data]}
        subscribers = graph["subscribers"].get(f"/challenge/{data}", set()) - {"/challenge/scenarioNode"}
        assert subscribers == readers


def test_a_37_parameters_are_changed_while_it_runs_within_their_range(
    first: Launched, graph: dict[str, dict[str, set[str]]]
) -> None:
    assert graph
    values = first.until(lambda: first.ask("getParam", "/challenge"))
    for leaf in CHALLENGE.leaves.values():
        for parameter in leaf.template.parameters:
            assert type(values[leaf.name][parameter.name]) is (float if parameter.type == "double" else int)
    first.ask("setParam", "/challenge/FollowerGPS/lostDataGPS", 200)
    assert "parameter lostDataGPS: 200 is not within 0 and 100, the value stays 0" in first.finish()


def test_a_39_a_scenario_is_a_node_that_changes_parameters_in_time(second: Launched) -> None:
    assert [at for at, *_ in second.phases()] == [0.0, 100.0]
    assert second.log.read_text().startswith("time,value\n")


def test_figures_of_the_nominal_scenario_are_those_of_the_system_by_itself(first: Launched) -> None:
    """A-39: each phase begins where the one before is reset."""
    phases, mine = first.phases(), free_standing("scenario1")
    assert len(phases) == len(mine) == 4
    for (_, largest, last, error), expected in zip(phases, mine, strict=True):
        assert largest == pytest.approx(expected["max_distance"], abs=1e-3)
        assert last == pytest.approx(expected["final_distance"], abs=1e-3)
        assert error == pytest.approx(expected["rms_error"], abs=1e-3)


def test_figures_of_the_realistic_scenario_differ_by_its_random_numbers_alone(second: Launched) -> None:
    phases, mine = second.phases(), free_standing("scenario2")
    assert len(phases) == len(mine) == 2
    assert phases[-1][2] == pytest.approx(mine[-1]["final_distance"], abs=0.1)
    assert phases[-1][3] == pytest.approx(mine[-1]["rms_error"], abs=0.1)  # stands still, whatever the numbers
    for (_, largest, _, error), expected in zip(phases, mine, strict=True):
        assert largest == pytest.approx(expected["max_distance"], abs=1.5)
        assert error == pytest.approx(expected["rms_error"], abs=0.5)


def test_its_data_are_those_of_the_system_by_itself_step_by_step(first: Launched) -> None:
    """A-35: what is there already computes, not a frame."""
    assert len(first.phases()) == 4
    steps = steps_of(load_scenario("scenario1"), CHALLENGE)
    system = System(CHALLENGE)
    system.initialize()
    phases = play(system, steps, usual_duration(steps))
    expected = {
        round(time, 3): value for phase in phases for time, value in zip(phase.times, phase.values, strict=True)
    }
    lines = [tuple(map(float, line.split(","))) for line in first.log.read_text().splitlines()[1:]]
    assert [at for at, _ in lines] == [number / 10 for number in range(8000)]
    for at, value in lines:
        assert value == pytest.approx(expected[at], abs=1e-3), f"at {at} s"


def test_a_33_a_40_a_41_the_package_is_named_after_the_root_and_holds_nine_files_in_cpp(package: Package) -> None:
    assert "<name>challenge</name>" in (package.source / "package.xml").read_text()
    nodes = {path.stem for path in (package.source / "src").glob("*.cpp")}
    assert nodes == {*CHALLENGE.leaves, "scenarioNode"}
    assert len(nodes) == 9
    assert "find_package(catkin" in (package.source / "CMakeLists.txt").read_text()
    assert (package.source / "launch/challenge.launch").is_file()


def test_a_35_what_components_do_is_called_and_knows_nothing_of_ros(package: Package) -> None:
    domain = sorted((package.source / "src/domain").glob("*.cpp"))
    assert [path.stem for path in domain] == sorted({leaf.template.name for leaf in CHALLENGE.leaves.values()})
    for path in domain:
        assert "ros" not in re.findall(r'#include [<"](\w+)', path.read_text())
