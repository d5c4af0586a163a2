"""Robots that can be bought drive and measure as their manufacturers say."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.robots import load, world_spec
from coopsim.simulation import Simulation

ARC = 10
TRACK = 0.16
"""Between the wheels [m], by ROBOTIS' model of the robot."""
SCENE = "[WORLD]\nfile wall.world\n[SIMULATION]\nengine {}\n[ROBOT_1]\ntype turtlebot3_burger\nname robot1\n"
WALL = "[FLOOR]\nsize 12 12 0.1\n[WALL_1]\ntype box\nsize 0.2 12 1\nposition {} 0 0\n"


def simulation_of(folder: Path, engine: str = "pymunk", wall: float = 3.0) -> Simulation:
    (folder / "wall.world").write_text(WALL.format(wall + 0.1), encoding="utf-8")
    (folder / "a.scenario").write_text(SCENE.format(engine), encoding="utf-8")
    return Simulation(load(folder / "a.scenario"))


def drive(simulation: Simulation, v: float, w: float, seconds: float) -> tuple[float, float]:
    """Drive; return how far it went and how much it turned [m], [rad]."""
    simulation.command("robot1", "motors", ARC, (v, w))
    way, turned, (x, y, heading) = 0.0, 0.0, simulation.engine.planar[0, :3]
    for _ in range(round(seconds / 0.01)):
        simulation.tick()
        pose = simulation.engine.planar[0, :3].copy()
        way, turned = way + math.hypot(pose[0] - x, pose[1] - y), turned + math.remainder(pose[2] - heading, math.tau)
        x, y, heading = pose
    return way, turned


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_c_39_a_burger_is_as_large_heavy_and_fast_as_its_manufacturer_says(tmp_path: Path, engine: str) -> None:
    simulation = simulation_of(tmp_path, engine)
    (body,) = (body for body in world_spec(simulation.spec).bodies if body.name == "robot1")
    assert (body.mass, body.shapes[0].size) == (1.0, (0.138, 0.178, 0.192))
    drive(simulation, 1.0, 0.0, 0.5)
    way, turned = drive(simulation, 1.0, 0.0, 2.0)
    assert way / 2.0 == pytest.approx(0.22, rel=0.01)
    assert turned == pytest.approx(0.0, abs=1e-3)
    drive(simulation, 0.0, 9.0, 0.5)
    _, turned = drive(simulation, 0.0, 9.0, 2.0)
    assert turned / 2.0 == pytest.approx(0.22 / (TRACK / 2.0), rel=0.01)
    assert turned / 2.0 == pytest.approx(2.84, rel=0.04), "the manufacturer's figure"


def test_c_39_its_scanner_sees_all_around_from_12_cm_to_3_5_m(tmp_path: Path) -> None:
    simulation = simulation_of(tmp_path, wall=2.0)
    for _ in range(25):
        simulation.tick()
    scan = simulation.reading("robot1", "scan")
    assert scan.shape == (360,)
    ahead = scan[179:181]  # half a degree to the right and to the left of ahead
    assert ahead == pytest.approx(2.0, abs=0.05)
    assert np.std(scan[170:190] * np.cos(np.radians(np.arange(-9.5, 10.0))) - 2.0) == pytest.approx(0.01, rel=0.6)
    assert scan.max() == pytest.approx(3.5, abs=0.05), "nothing is behind it"


def test_its_motors_answer_as_those_of_all_robots_on_two_wheels(tmp_path: Path) -> None:
    simulation = simulation_of(tmp_path)
    described = {device.name: device.kind for device in simulation.spec.types["turtlebot3_burger"].devices}
    assert described == {"motors": "differential_drive", "scan": "laser", "imu": "imu", "odometry": "odometry"}
    drive(simulation, 0.2, 0.5, 2.0)
    # speed and rate of turn, left and right wheel
    # speed, rate of turn, left and right wheel: no wheel runs faster than it can, and the curve stays
    slower = 0.22 / (0.2 + 0.5 * TRACK / 2.0)
    expected = np.array((0.2, 0.5, 0.16, 0.24)) * slower
    assert simulation.reading("robot1", "motors") == pytest.approx(expected, abs=0.005)
    x, y, heading = simulation.reading("robot1", "odometry")[:3]
    assert (x, y, heading) == pytest.approx(tuple(simulation.engine.planar[0, :3]), abs=0.02)
