"""CoopDynSim's mobile robot as the paper builds it: attached bodies, wheels on hinges, casters. C-38, C-44, C-46."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.drives.interfaces import HINGED_WHEELS
from coopsim.features.drives.robots import SINGLE_HINGED
from coopsim.interfaces import MOTORS
from coopsim.robots import RunSpec, load, load_type, world_spec
from coopsim.robots.entities import rows_of
from coopsim.scene import RobotPlacement, Scenario
from coopsim.simulation import Simulation

ARC, WHEELS, STOP = 10, 11, 12
AXLES, SWIVELS = ("left_axle", "right_axle"), ("front_swivel", "rear_swivel")


class HingedRobot:
    """One robot of the type on an empty floor, on its wheels."""

    def __init__(self, folder: Path, kind: str = "type single_hinged", more: str = "") -> None:
        scenario = folder / "a.scenario"
        scenario.write_text(
            f"[SIMULATION]\nengine mujoco\nstep 0.01\n{more}[ROBOT_1]\n{kind}\nname robot1\nposition 0 0 0\n"
        )
        self.simulation = Simulation(load(scenario))
        self.joints = [name.removeprefix("robot1.") for name in self.simulation.engine.joints]
        self.drive(STOP, (), 0.3)

    def drive(self, command: int, values: tuple[float, ...], seconds: float) -> float:
        """Drive, and return by how much it turned [rad]."""
        self.simulation.command("robot1", "motors", command, values)
        turned, before = 0.0, self.pose[2]
        for _ in range(round(seconds * 100)):
            self.simulation.tick()
            turned += math.remainder(self.pose[2] - before, math.tau)
            before = self.pose[2]
        return turned

    @property
    def pose(self) -> np.ndarray:
        return self.simulation.engine.planar[0, :3].copy()

    def joint(self, name: str) -> float:
        """Return the position of a joint [rad]."""
        return float(self.simulation.engine.joint_position[self.joints.index(name)])


@pytest.fixture
def robot(tmp_path: Path) -> HingedRobot:
    return HingedRobot(tmp_path)


def test_c_38_c_44_c_46_the_robot_is_a_chassis_with_two_cylinders_on_hinges_and_two_casters(robot: HingedRobot) -> None:
    spec = world_spec(robot.simulation.spec)
    bodies = {body.name.removeprefix("robot1."): body for body in spec.bodies}
    assert {*bodies} >= {"chassis", "left_wheel", "right_wheel", "front_fork", "front_roller", "rear_fork"}
    assert [bodies[name].shapes[0].kind for name in ("left_wheel", "right_wheel")] == ["cylinder", "cylinder"]
    held = {
        (joint.a.removeprefix("robot1."), joint.b.removeprefix("robot1.")): joint
        for joint in spec.joints
        if joint.kind == "hinge"
    }
    assert [held["chassis", f"{side}_wheel"].axis for side in ("left", "right")] == [(0.0, 1.0, 0.0)] * 2
    for end in ("front", "rear"):  # a caster swivels about the vertical, and its roller about its own axle
        assert held["chassis", f"{end}_fork"].axis == (0.0, 0.0, 1.0)
        assert held[f"{end}_fork", f"{end}_roller"].axis == (0.0, 1.0, 0.0)
    assert sum(body.mass for body in spec.bodies) == pytest.approx(19.6, abs=0.01)


def test_c_46_it_drives_as_far_as_its_wheels_roll_and_the_encoders_are_their_hinges(robot: HingedRobot) -> None:
    robot.drive(ARC, (0.4, 0.0), 5.0)
    assert robot.pose[0] == pytest.approx(2.0, abs=0.04)
    assert abs(robot.pose[1]) < 0.01
    rolled = [0.06 * robot.joint(axle) for axle in AXLES]
    assert rolled == pytest.approx([robot.pose[0]] * 2, abs=0.03)
    x, y, heading = robot.simulation.reading("robot1", "odometry")[:3]
    assert (x, y, heading) == pytest.approx((np.mean(rolled), 0.0, 0.0), abs=0.005)
    v, w, left, right = robot.simulation.reading("robot1", "motors")
    assert (v, w, left, right) == pytest.approx((0.4, 0.0, 0.4, 0.4), abs=0.005)
    robot.drive(STOP, (), 1.0)
    assert robot.simulation.reading("robot1", "motors")[:2] == pytest.approx((0.0, 0.0), abs=1e-3)


def test_c_46_it_turns_by_the_difference_of_its_wheels(robot: HingedRobot) -> None:
    assert robot.drive(WHEELS, (0.1, 0.2), 4.0) == pytest.approx(4.0 * 0.1 / 0.36, rel=0.06)
    assert robot.pose[1] > 0.2
    before = robot.pose
    assert robot.drive(ARC, (0.0, -1.0), 4.0) == pytest.approx(-4.0, rel=0.08)
    assert math.dist(robot.pose[:2], before[:2]) < 0.04
    robot.drive(STOP, (), 0.5)
    robot.drive(WHEELS, (2.0, 1.0), 1.0)  # faster than it can: the curve stays
    _, _, left, right = robot.simulation.reading("robot1", "motors")
    assert (left, right) == pytest.approx((0.5, 0.25), abs=0.02)


def test_c_46_nothing_but_the_friction_of_the_tyres_drives_it(tmp_path: Path) -> None:
    file = Path(SINGLE_HINGED)
    text = file.read_text(encoding="utf-8").replace("friction    1\n", "friction    0\n")
    (tmp_path / "on_ice.robot").write_text(text)
    (tmp_path / "single_chassis.urdf").write_bytes(file.with_name("single_chassis.urdf").read_bytes())
    ice = HingedRobot(tmp_path, "type on_ice")
    ice.drive(ARC, (0.4, 0.0), 2.0)
    assert ice.simulation.reading("robot1", "motors")[0] == pytest.approx(0.4, abs=0.01)
    assert 0.06 * ice.joint("left_axle") > 0.7
    assert ice.pose[0] < 0.05


def test_c_44_a_caster_bears_the_robot_swivels_behind_its_way_and_rolls(robot: HingedRobot) -> None:
    """Both are 2 mm higher than the wheels: the robot leans on one of them."""

    def rolled() -> np.ndarray:
        return np.array([robot.joint(f"{end}_roll") for end in ("front", "rear")])

    robot.drive(ARC, (-0.3, 0.2), 3.0)
    swung = [abs(math.remainder(robot.joint(swivel) - math.pi, math.tau)) < 0.5 for swivel in SWIVELS]
    assert any(swung), "what trailed behind would lead now"
    robot.drive(ARC, (0.3, 0.2), 4.0)
    leaning = SWIVELS[swung.index(True)]
    assert abs(math.remainder(robot.joint(leaning), math.tau)) < 0.5
    robot.drive(ARC, (0.3, 0.0), 1.0)
    before, place = rolled(), robot.pose
    robot.drive(ARC, (0.3, 0.0), 1.0)
    way = math.dist(robot.pose[:2], place[:2])
    assert way == pytest.approx(0.3, abs=0.01)
    assert min(abs(rolled() - before - way / 0.03)) < 0.1 * way / 0.03


def test_c_46_controllers_of_the_plain_type_drive_it_unchanged_and_silence_stops_it(robot: HingedRobot) -> None:
    assert HINGED_WHEELS.commands == MOTORS.commands
    assert HINGED_WHEELS.signals == MOTORS.signals
    device = robot.simulation.tables.blocks[0].devices["motors"]
    device.parameters["watchdog"][:] = 0.5
    robot.drive(ARC, (0.3, 0.0), 0.4)
    assert robot.simulation.reading("robot1", "motors")[0] == pytest.approx(0.3, abs=0.02)
    for _ in range(60):
        robot.simulation.tick()
    assert robot.simulation.reading("robot1", "motors")[0] == pytest.approx(0.0, abs=0.01)


def test_c_46_a_motor_pushes_no_harder_than_it_can(robot: HingedRobot) -> None:
    robot.simulation.tables.blocks[0].devices["motors"].parameters["max_force"][:] = 5.0
    robot.drive(ARC, (0.5, 0.0), 0.5)
    # two motors of 5 N on 19.6 kg and two rotors of 0.02 kg m2 at 0.06 m
    expected = 0.5 * 10.0 / (19.6 + 2.0 * 0.02 / 0.06**2)
    assert robot.simulation.reading("robot1", "motors")[0] == pytest.approx(expected, rel=0.15)


def test_c_38_people_and_laws_see_the_whole_robot_and_not_the_body_that_carries_its_links() -> None:
    """C-39: its size and mass are those of all bodies together; the arrow to the front stands on top."""
    kind = load_type("single_hinged")
    assert kind.size == (0.02, 0.02, 0.02)
    assert kind.extent == pytest.approx((0.5, 0.5, 0.3))
    assert kind.total_mass == pytest.approx(19.6, abs=0.01)
    spec = RunSpec(Scenario(robots=(RobotPlacement("h", kind.name),)), {kind.name: kind})
    row = next(row for row in rows_of(spec) if row.name == "h")
    assert (row.size, row.mass) == (kind.extent, kind.total_mass)
    (arrow,) = (visual for visual in row.drawn() if visual.shape == "arrow")
    assert (arrow.size[0], arrow.pose[2]) == pytest.approx((0.25, 0.3))
    arm = load_type("abb_irb_120")
    assert arm.extent == arm.size, "what bears the links is a body of its own"
