"""What `coopsim new` writes is run as it says, and seen over the network."""

from pathlib import Path

import pytest
from plugin_runs import coopsim

from coopsim.client import connect
from coopsim.testkit import Run

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("more", [[], ["--arrays"]])
def test_a_new_sensor_is_read_over_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    """C-2, C-89: a sensor of one's own needs no change of the program."""
    monkeypatch.chdir(tmp_path)
    assert coopsim("new", "sensor", "gas", *more).returncode == 0
    with Run("gas.scenario", "--plugin", "gas.py") as run, connect(run.endpoint) as sim:
        robot = sim.robot("robot1")
        sim.clock.pause()
        robot.gas.parameters["noise"] = 0.0
        sim.clock.step(1)
        assert robot.gas.brightness().brightness == pytest.approx(0.2, abs=1e-3)
        robot.gas.parameters["lamp_x"] = 0.0
        sim.clock.step(1)
        assert robot.gas.brightness().brightness == pytest.approx(1.0, abs=1e-3)
        assert run.stop() == 130


def test_a_new_robot_is_driven_over_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-85: a robot of one's own needs no change of the program."""
    monkeypatch.chdir(tmp_path)
    assert coopsim("new", "robot", "wagon").returncode == 0
    with Run("wagon.scenario", "--mode", "lockstep", "--no-controllers") as run, connect(run.endpoint) as sim:
        with sim.stepper(["robot1", "robot2"]) as stepper:
            for _ in range(50):
                stepper.step([(0.4, 0.0), (0.0, 0.0)])
            assert stepper.readings.motors.v.tolist() == pytest.approx([0.4, 0.0], abs=0.05)
        assert sim.robot("robot1").sonars.ranges().ranges.shape == (11,)


def test_a_new_controller_drives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert coopsim("new", "controller", "chaser").returncode == 0
    done = coopsim(
        "run", "chaser.scenario", "--plugin", "chaser.py", "--mode", "lockstep", "--duration", "3", "--port", "0"
    )
    assert done.returncode == 0, done.stderr
    assert "chaser" in done.stdout
    assert "3.00 s simulated" in done.stdout
    assert "robot1  -3.000  -3.000" not in done.stdout
