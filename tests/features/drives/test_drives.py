"""Omnidirectional and car drives: their paths against closed forms on all engines, their limits, their odometry."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.drives.devices import pulling
from coopsim.features.drives.interfaces import CAR, OMNI
from coopsim.robots import load
from coopsim.simulation import Simulation

ENGINES = ("pymunk", "kinematic", "mujoco")
WHEELBASE, AXLE = 0.4, 0.2
MOVE, STEER = OMNI.command("set_velocity").number, CAR.command("set_steering").number
STEP = 0.01


class Driven:
    """One robot on a wide floor, driven tick by tick."""

    def __init__(self, folder: Path, kind: str, engine: str = "kinematic", walls: str = "", **settings: float) -> None:
        (folder / "wide.world").write_text(f"[FLOOR]\nsize 60 60 0.1\n{walls}")
        scenario = folder / "a.scenario"
        world = f"[SIMULATION]\nengine {engine}\nstep {STEP}\n[WORLD]\nfile wide\n"
        scenario.write_text(f"{world}[ROBOT_1]\ntype {kind}\nname r\nposition 0 0 0\norientation 0 0 30\n")
        self.simulation = Simulation(load(str(scenario)))
        for name, value in settings.items():
            self.device("motors").parameters[name][:] = value
            self.device("motors").changed(0, name)

    def device(self, name: str):
        return self.simulation.tables.blocks[0].devices[name]

    def drive(self, command: int, values: tuple[float, ...], seconds: float) -> None:
        self.simulation.command("r", "motors", command, values)
        for _ in range(round(seconds / STEP)):
            self.simulation.tick()

    @property
    def pose(self) -> np.ndarray:
        return self.simulation.engine.planar[0, :3].copy()

    def reading(self, module: str) -> np.ndarray:
        place = self.simulation.layout.robots[0]
        columns = place.type.module(module)
        first = place.reading_offset + columns.reading_offset
        return self.simulation.readings[first : first + 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_omnidirectional_robot_goes_aside_while_it_turns(tmp_path: Path, engine: str) -> None:
    """In its own frame the velocity stays, so that its middle goes round a circle."""
    robot = Driven(tmp_path, "omni", engine, max_force=1e5, grip=10.0)
    start = robot.pose
    robot.drive(MOVE, (0.3, 0.5, 0.2), 4.0)
    began, turned = start[2], 0.5 * 4.0
    x = (0.3 * (math.sin(began + turned) - math.sin(began)) + 0.2 * (math.cos(began + turned) - math.cos(began))) / 0.5
    y = (0.2 * (math.sin(began + turned) - math.sin(began)) - 0.3 * (math.cos(began + turned) - math.cos(began))) / 0.5
    assert robot.pose - start == pytest.approx([x, y, turned], abs=0.012)
    assert robot.reading("motors") == pytest.approx([0.3, 0.5, 0.2], abs=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_rear_axle_of_a_car_goes_round_the_circle_of_its_steering(tmp_path: Path, engine: str) -> None:
    robot = Driven(tmp_path, "car", engine, max_force=1e5, grip=10.0, steering_rate=1000.0)
    rear = [robot.pose[k] - AXLE * (math.cos(robot.pose[2]), math.sin(robot.pose[2]))[k] for k in range(2)]
    robot.drive(STEER, (0.5, 0.4), 5.0)
    x, y, heading = robot.pose
    radius = WHEELBASE / math.tan(0.4)
    began = math.radians(30.0)
    centre = rear[0] - radius * math.sin(began), rear[1] + radius * math.cos(began)
    now = x - AXLE * math.cos(heading), y - AXLE * math.sin(heading)
    assert math.dist(now, centre) == pytest.approx(radius, abs=0.01)
    assert math.remainder(heading - began - 0.5 * 5.0 / radius, 2.0 * math.pi) == pytest.approx(0.0, abs=0.03)
    assert robot.reading("motors")[2] == pytest.approx(0.4)


def test_a_car_never_turns_on_the_spot(tmp_path: Path) -> None:
    robot = Driven(tmp_path, "car")
    before = robot.pose
    robot.drive(MOVE, (0.0, 2.0), 1.0)
    assert robot.pose == pytest.approx(before, abs=1e-9)
    robot.drive(MOVE, (0.3, 50.0), 2.0)
    v, w, steering = robot.reading("motors")
    assert steering == pytest.approx(0.6)
    assert w == pytest.approx(v * math.tan(0.6) / WHEELBASE, rel=1e-3)


def test_backward_a_car_turns_as_it_was_asked_to(tmp_path: Path) -> None:
    robot = Driven(tmp_path, "car")
    robot.drive(MOVE, (-0.4, 0.3), 2.0)
    v, w, steering = robot.reading("motors")
    assert (v, w) == pytest.approx((-0.4, 0.3), abs=1e-3)
    assert steering < 0.0


def test_front_wheels_turn_no_faster_than_they_can(tmp_path: Path) -> None:
    robot = Driven(tmp_path, "car", steering_rate=0.5)
    robot.drive(STEER, (0.2, 0.6), 0.4)
    assert robot.reading("motors")[2] == pytest.approx(0.2)


@pytest.mark.parametrize(("asked", "got"), [((3.0, 0.0, 4.0), (0.48, 0.64)), ((0.3, 0.0, -0.4), (0.3, -0.4))])
def test_too_fast_a_velocity_keeps_its_direction(tmp_path: Path, asked, got) -> None:
    robot = Driven(tmp_path, "omni")
    robot.drive(MOVE, asked, 1.0)
    v, _, u = robot.reading("motors")
    assert (v, u) == pytest.approx(got, abs=1e-3)


def test_motors_and_tyres_limit_the_force(tmp_path: Path) -> None:
    """12 kg and 6 N: 0.5 m/s2."""
    robot = Driven(tmp_path, "omni", max_force=6.0)
    robot.drive(MOVE, (0.8, 0.0, 0.0), 1.0)
    assert robot.reading("motors")[0] == pytest.approx(0.5, abs=0.01)
    slippery = Driven(tmp_path, "omni", grip=0.02)
    slippery.drive(MOVE, (0.0, 0.0, 0.8), 1.0)
    assert slippery.reading("motors")[2] == pytest.approx(0.02 * 9.81, abs=0.01)


def test_a_car_on_ice_slides_out_of_its_curve(tmp_path: Path) -> None:
    robot = Driven(tmp_path, "car", steering_rate=1000.0)
    robot.drive(MOVE, (1.0, 0.0), 2.0)
    robot.device("motors").parameters["grip"][:] = 0.05
    robot.drive(MOVE, (1.0, 1.5), 1.0)
    vx, vy = robot.simulation.engine.planar[0, 3:5]
    # tyres turn the velocity by no more than their grip does in a second
    assert 0.2 < math.atan2(vy, vx) - math.radians(30.0) < 0.05 * 9.81 + 0.05


@pytest.mark.parametrize("kind", ["omni", "car"])
@pytest.mark.parametrize("engine", ENGINES)
def test_odometry_knows_the_way_where_nothing_slips(tmp_path: Path, kind: str, engine: str) -> None:
    robot = Driven(tmp_path, kind, engine)
    robot.simulation.tick()
    began = robot.pose
    robot.device("odometry").edit(0, 11, began.tolist())
    for values in ((0.4, 0.5), (-0.3, 0.4), (0.5, -0.6)):
        robot.drive(MOVE, values, 1.5)
    x, y, heading = robot.reading("odometry")
    assert (x, y) == pytest.approx(tuple(robot.pose[:2]), abs=0.02)
    assert math.remainder(heading - robot.pose[2], 2.0 * math.pi) == pytest.approx(0.0, abs=0.02)


def test_odometry_that_is_noisy_drifts(tmp_path: Path) -> None:
    robot = Driven(tmp_path, "omni")
    odometry = robot.device("odometry")
    odometry.parameters["noise"][:] = 0.1
    odometry.changed(0, "noise")
    robot.drive(MOVE, (0.5, 0.0, 0.0), 4.0)
    assert 0.005 < abs(robot.reading("odometry")[0] - 2.0) < 0.8


def test_without_commands_the_watchdog_stops_both(tmp_path: Path) -> None:
    for kind in ("omni", "car"):
        robot = Driven(tmp_path, kind, watchdog=0.5)
        robot.drive(MOVE, (0.4, 0.0), 2.0)
        assert robot.reading("motors")[0] == pytest.approx(0.0, abs=1e-6)


def test_a_wall_holds_a_car_and_it_does_not_turn_there(tmp_path: Path) -> None:
    wall = "[OBJECT_1]\ntype box\nname wall\nsize 0.2 20 1\nposition 1 0 0\norientation 0 0 30\n"
    robot = Driven(tmp_path, "car", "pymunk", wall)
    robot.drive(MOVE, (0.5, 0.0), 4.0)
    held = robot.pose
    robot.drive(MOVE, (0.5, 0.0), 1.0)
    assert robot.pose == pytest.approx(held, abs=0.01)
    assert abs(robot.reading("motors")[0]) < 0.05


@pytest.mark.parametrize("lag", [0, 1])
def test_the_speed_of_a_turning_robot_is_seen_in_its_frame_at_the_middle_of_a_step(lag: int) -> None:
    dt, turn, heading = 0.1, 2.0, 0.7
    # half a step back from the heading at its end, or half a step ahead where positions lag behind
    course = heading + (lag - 0.5) * dt * turn
    planar = np.array([[0.0, 0.0, heading, 3.0 * math.cos(course), 3.0 * math.sin(course), turn]])
    assert pulling.motion_of(planar, 0, dt, lag) == pytest.approx((3.0, 0.0, turn))


def test_a_drive_is_abandoned_in_the_tick_that_fills_the_time_of_its_watchdog() -> None:
    motion = np.zeros((1, pulling.WIDTH))
    assert not pulling.is_abandoned(7.0, motion, 0, 0.3, 0.1)
    silent = [pulling.is_abandoned(7.0, motion, 0, 0.3, 0.1) for _ in range(4)]
    assert silent == [False, False, True, True], "0.1 + 0.1 + 0.1 is 0.3, whatever is rounded"
    assert not pulling.is_abandoned(8.0, motion, 0, 0.3, 0.1)
    assert not pulling.is_abandoned(8.0, motion, 0, 0.0, 0.1), "0 waits for ever"
