"""`coopsim new driver`: what it writes is built without a warning, passes the examination, and is a module."""

import contextlib
import io
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from coopsim.app.main import run
from coopsim.client import Client, EventStream, connect
from coopsim.errors import BadArgument
from coopsim.message import ChannelEvent
from coopsim.recording import Recording
from coopsim.state.edits import PublishEvents
from coopsim.testkit import Run
from coopsim.testkit.conformance import examine_driver
from coopsim.testkit.conformance.restart import lasting_port

NEEDS = {"python": "python3", "c": "cc", "cpp": "c++", "go": "go", "rust": "rustc"}
HERE = [language for language, program in NEEDS.items() if shutil.which(program)]
SECONDS = 60.0
pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


class DriverProgram:
    """A driver that `coopsim new` wrote, built by the line that it printed.

    Attributes:
        name: Of its robot.
    """

    def __init__(self, language: str, folder: Path) -> None:
        self.name = f"my_{language}"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert run(["new", "driver", language, self.name, "--into", str(folder)]) == 0
        line = printed.getvalue().splitlines()[-1].removeprefix(f"run it: cd {folder} && ")
        build, _, start = line.rpartition(" && ")
        words = ["/bin/sh", "-ec", build]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        self._words, self._folder = start.split(), folder

    @contextlib.contextmanager
    def serving(self, simulation: str) -> Iterator[str]:
        """Start it; yield the address that it prints."""
        words = [*self._words, "--simulation", simulation]
        with subprocess.Popen(
            words, cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            try:
                name, _, address = process.stdout.readline().rstrip("\n").partition(" answers at tcp://")
                assert name == f"/{self.name}/gripper"
                yield f"tcp+plain://{address}"
            finally:
                process.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("drivers")


@cache
def written(language: str, folder: Path) -> DriverProgram:
    """Write and build a driver, once."""
    return DriverProgram(language, folder / language)


@pytest.fixture(params=HERE)
def driver(request: pytest.FixtureRequest, folder: Path) -> DriverProgram:
    return written(request.param, folder)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("single", "--no-controllers", "--duration", "3600") as simulation:
        yield simulation


def endpoint_of(simulation: Run) -> str:
    """Return host and port of a simulation."""
    return simulation.plain.rpartition("/")[2]


def test_a_driver_passes_is_driven_by_name_and_told_to_listeners(driver: DriverProgram, simulation: Run) -> None:
    with (
        connect(simulation.endpoint) as sim,
        sim.listen(f"/{driver.name}/**") as events,
        driver.serving(endpoint_of(simulation)) as address,
    ):
        first = _heard(events)  # it is registered before
        assert (first.topic, first.data) == (f"/{driver.name}/gripper/state", (0.0, 0.08))
        report = examine_driver(address, f"/{driver.name}/gripper")
        assert not report.failed, str(report)
        assert len(report.findings) > 55
        _drive(sim, driver.name)
        while _heard(events).data != (12.5, 0.0):
            pass


def _drive(sim: Client, name: str) -> None:
    gripper = sim.robot(name).gripper
    gripper.close(12.5)
    assert (gripper.state().force, gripper.state().position) == (12.5, 0.0)
    with pytest.raises(BadArgument, match="force is"):
        gripper.close(41.0)
    gripper.parameters["max_force"] = 50.0
    gripper.close(41.0)
    gripper.close(12.5)
    with pytest.raises(BadArgument):
        gripper.parameters["max_force"] = 101.0


def test_a_driver_stops_when_whoever_commanded_it_goes_and_not_when_others_go(
    driver: DriverProgram, simulation: Run
) -> None:
    with (
        connect(simulation.endpoint) as watcher,
        watcher.listen(f"/{driver.name}/**") as events,
        driver.serving(endpoint_of(simulation)),
    ):
        events.hear(SECONDS)
        with connect(simulation.endpoint) as sim:
            sim.robot(driver.name).gripper.close(7.0)
            with connect(simulation.endpoint) as bystander:
                assert bystander.robot(driver.name).gripper.state().force == 7.0
            assert watcher.robot(driver.name).gripper.state().force == 7.0
        while _heard(events).data != (0.0, 0.0):
            pass


def test_drivers_wait_for_a_simulation_and_find_the_next_one_and_recordings_hold_what_they_publish(
    folder: Path, tmp_path: Path
) -> None:
    port, drivers = lasting_port(), [written(language, folder) for language in HERE]
    with contextlib.ExitStack() as running:
        for driver in drivers:
            running.enter_context(driver.serving(f"127.0.0.1:{port + 1}"))
        for number in range(2):
            file = tmp_path / f"{number}.mcap"
            with Run(
                "single", "--no-controllers", "--duration", "3600", "--port", str(port), "--record", str(file)
            ) as simulation:
                _hear_of(drivers, simulation)
                simulation.stop()
            assert _published(file) >= {f"/{driver.name}/gripper/state" for driver in drivers}


def _published(file: Path) -> set[str]:
    """Return the topics of the events that a recording holds."""
    with Recording(file) as recording:
        edits = [applied.edit for _, block in recording.blocks(0) for row in block.edits.values() for applied in row]
    return {topic for edit in edits if isinstance(edit, PublishEvents) for topic in edit.topics}


def _heard(events: EventStream) -> ChannelEvent:
    event = events.hear(SECONDS)
    assert event is not None
    return event


def _hear_of(drivers: list[DriverProgram], simulation: Run) -> None:
    with connect(simulation.endpoint) as sim, sim.listen("/*/gripper/state") as events:
        missing = {driver.name for driver in drivers}
        while missing:
            missing.discard(_heard(events).topic.split("/")[1])
        for driver in drivers:
            assert sim.robot(driver.name).gripper.state().force == 0.0
