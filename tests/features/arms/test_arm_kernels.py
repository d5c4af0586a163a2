"""Servos of arms and grippers on plain numbers, and forward kinematics against products of matrices."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.arms.devices.kernels import add_efforts, bear, clip, feel, plan, push, reckon, show, squeeze
from coopsim.features.models.frames import quaternion_matrix
from coopsim.geometry import Floats
from coopsim.interfaces import GRIPPER, JOINTS, Interface, columns, command_numbers

ARM, HAND = command_numbers(JOINTS), command_numbers(GRIPPER)
DT = 0.01
LIMITS = np.array([[[-1.0, 1.0], [-0.5, 2.0]]])
FASTEST = np.array([1.5, 0.8])


def table(interface: Interface) -> Floats:
    """Return the parameters of one device as they are by default."""
    rows = columns(interface)
    defaults = {parameter.name: parameter.default for parameter in interface.parameters}
    return np.array([[float(defaults[name])] for name in rows._fields])


class Arm:
    """Two joints that do what they should, as an engine without friction would let them."""

    def __init__(self) -> None:
        self.positions, self.velocities = np.zeros((1, 2)), np.zeros((1, 2))
        self.memory = np.zeros((1, 2)), np.zeros((1, 4))
        self.table = table(JOINTS)

    def run(self, number: int, *values: float, ticks: int) -> None:
        wanted, commands = np.zeros((1, 2)), np.array([[1.0, number, *values]])
        for _ in range(ticks):
            motion = self.positions, self.velocities
            plan(commands, motion, (LIMITS, FASTEST), self.table, self.memory, DT, wanted)
            self.velocities += wanted * DT
            self.positions += self.velocities * DT
            assert (np.abs(self.velocities) <= FASTEST * 1.2).all()


@settings(deadline=None, max_examples=25)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_joints_go_to_a_position_or_the_nearest_one_within_their_limits(first: float, second: float) -> None:
    arm = Arm()
    arm.run(ARM.set_positions, first, second, ticks=1500)
    goal = np.clip([first, second], LIMITS[0, :, 0], LIMITS[0, :, 1])
    assert arm.positions[0] == pytest.approx(goal, abs=0.01)
    assert arm.velocities[0] == pytest.approx([0.0, 0.0], abs=0.01)


def test_joints_turn_at_a_velocity_and_stop_before_the_end_of_their_way() -> None:
    arm = Arm()
    arm.run(ARM.set_velocities, 0.2, -9.0, ticks=200)
    assert arm.velocities[0, 0] == pytest.approx(0.2, abs=0.01)
    assert arm.positions[0, 1] == pytest.approx(-0.5, abs=0.01)
    arm.run(ARM.set_velocities, 0.2, -9.0, ticks=800)
    assert arm.positions[0] == pytest.approx([1.0, -0.5], abs=0.02)


def test_a_value_that_is_no_number_lets_a_joint_stand() -> None:
    arm = Arm()
    arm.run(ARM.set_positions, math.nan, 1.0, ticks=800)
    assert arm.positions[0] == pytest.approx([0.0, 1.0], abs=0.01)


def pushed(number: int, *values: float, needed: tuple[float, float] = (3.0, -4.0)) -> list[float]:
    """Return the efforts of motors of 10 and 5 N m that need some to hold the arm."""
    efforts, motors = np.zeros((1, 2)), np.zeros((1, 4))
    commands, most = np.array([[1.0, number, *values]]), np.array([10.0, 5.0])
    push(commands, np.array([needed]), np.zeros((1, 2)), most, motors, efforts)
    assert motors[0, 2:].tolist() == efforts[0].tolist()
    return [float(effort) for effort in efforts[0]]


@pytest.mark.parametrize(
    ("needed", "limit", "kept"),
    [(3.0, 10.0, 1.0), (10.0, 10.0, 0.9), (11.0, 10.0, 0.9), (3.0, 0.0, 0.9), (0.0, 0.0, 1.0)],
)
def test_what_a_motor_cannot_give_does_not_add_up(needed: float, limit: float, kept: float) -> None:
    # an engine that knows the limit asks for no more; a motor without effort forgets whatever it needs
    efforts, motors, commands = np.zeros((1, 1)), np.array([[1.0, 0.0]]), np.array([[1.0, ARM.set_positions, 0.0]])
    push(commands, np.array([[needed]]), np.ones((1, 1)), np.array([limit]), motors, efforts)
    assert motors[0, 0] == pytest.approx(kept)
    assert efforts[0, 0] == min(needed, limit)


def test_efforts_come_on_top_of_what_holds_the_arm_within_the_limits_of_its_motors() -> None:
    assert pushed(ARM.set_positions, 9.0, 9.0) == [3.0, -4.0]
    assert pushed(ARM.set_efforts, 2.0, 1.0) == [5.0, -3.0]
    assert pushed(ARM.set_efforts, 99.0, -99.0) == [10.0, -5.0]
    assert pushed(ARM.set_efforts, math.nan, 1.0) == [3.0, -3.0]
    assert pushed(ARM.release, 2.0, 1.0) == [0.0, 0.0]


def test_efforts_of_motors_are_added_to_those_that_others_give() -> None:
    efforts = np.array([1.0, 2.0, 3.0])
    add_efforts(np.array([[2, 0]]), np.array([[10.0, 20.0]]), efforts)
    assert efforts.tolist() == [21.0, 2.0, 13.0]


def test_readings_are_positions_velocities_and_efforts() -> None:
    out = np.zeros((1, 6))
    show(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([[9.0, 9.0, 5.0, 6.0]]), out)
    assert out.tolist() == [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]


def fingers(number: int, opening: float = 0.0) -> Floats:
    """Return where two fingers are after a while, from the middle of their way."""
    hand = table(GRIPPER)
    limits = np.array([[[-0.05, 0.0]] * 2])
    positions, velocities, motors = np.full((1, 2), -0.02), np.zeros((1, 2)), np.zeros((1, 4))
    wanted = np.zeros((1, 2))
    for _ in range(600):
        squeeze(np.array([[1.0, number, opening]]), (positions, velocities), limits, hand, motors, DT, wanted)
        velocities += wanted * DT
        positions = np.clip(positions + velocities * DT, limits[:, :, 0], limits[:, :, 1])
    return np.asarray(positions[0])


def test_fingers_close_open_and_go_to_an_opening() -> None:
    widest = float(table(GRIPPER)[columns(GRIPPER).widest, 0])
    assert fingers(HAND.grasp) == pytest.approx([-0.05, -0.05], abs=1e-3)
    assert fingers(HAND.release) == pytest.approx([0.0, 0.0], abs=2e-3)
    assert fingers(HAND.set_opening, widest - 0.02) == pytest.approx([-0.01, -0.01], abs=2e-3)
    assert fingers(HAND.set_opening, math.nan) == pytest.approx([-0.02, -0.02], abs=1e-3)


def felt(positions: list[float], efforts: list[float], velocities: tuple[float, float] = (0.0, 0.0)) -> list[float]:
    out, limits = np.zeros((1, 3)), np.array([[[-0.05, 0.0]] * 2])
    motors = np.array([[0.0, 0.0, *efforts]])
    feel((np.array([positions]), np.array([velocities])), limits, table(GRIPPER), motors, out)
    return [float(value) for value in out[0]]


def test_a_gripper_holds_something_where_force_does_not_close_it() -> None:
    hand, rows = table(GRIPPER), columns(GRIPPER)
    widest, most = float(hand[rows.widest, 0]), float(hand[rows.max_effort, 0])
    assert felt([-0.02, -0.02], [-most, -most]) == pytest.approx([widest - 0.04, most, 1.0])
    assert felt([-0.05, -0.05], [-most, -most])[2] == 0.0  # closed: nothing is between
    assert felt([-0.02, -0.02], [-0.5 * most, -most])[2] == 0.0
    assert felt([-0.02, -0.02], [-most, -most], velocities=(-0.1, 0.0))[2] == 0.0


def test_fingers_push_no_harder_than_they_may() -> None:
    most = float(table(GRIPPER)[columns(GRIPPER).max_effort, 0])
    efforts = np.zeros((1, 2))
    clip(np.array([[2.0 * most, -0.5 * most]]), np.zeros((1, 2)), table(GRIPPER), np.zeros((1, 4)), efforts)
    assert efforts[0].tolist() == [most, -0.5 * most]


def turn(point: Floats, axis: Floats, angle: float) -> Floats:
    """Return the matrix of a turn about an axis through a point."""
    half = 0.5 * angle
    matrix = np.eye(4)
    matrix[:3, :3] = quaternion_matrix(np.array([math.cos(half), *(math.sin(half) * axis)]))
    matrix[:3, 3] = point - matrix[:3, :3] @ point
    return matrix


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_the_pose_of_a_tool_is_the_product_of_the_motions_of_its_joints(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    slides, positions = random.random(count) < 0.3, random.uniform(-2.0, 2.0, (1, count))
    axes = random.normal(size=(count, 6))
    axes[:, 3:] /= np.linalg.norm(axes[:, 3:], axis=1, keepdims=True)
    home = random.normal(size=7)
    home[3:] /= np.linalg.norm(home[3:])
    whole = np.eye(4)
    for joint in range(count):
        motion = np.eye(4)
        if slides[joint]:
            motion[:3, 3] = positions[0, joint] * axes[joint, 3:]
        else:
            motion = turn(axes[joint, :3], axes[joint, 3:], positions[0, joint])
        whole = whole @ motion
    out = np.zeros((1, 7))
    reckon(positions, slides, axes, home, out)
    assert out[0, :3] == pytest.approx((whole @ [*home[:3], 1.0])[:3], abs=1e-9)
    expected = whole[:3, :3] @ quaternion_matrix(home[3:])
    assert quaternion_matrix(out[0, 3:]) == pytest.approx(expected, abs=1e-9)


def test_a_joint_bears_what_resists_it_unless_its_effort_is_commanded() -> None:
    resists = np.array([[[0.5, 2.0, 4.0, 0.25], [3.0, 0.0, 0.0, 0.0]]])
    motion = np.array([[1.0, 9.0]]), np.array([[10.0, -2.0]])
    efforts = np.array([[100.0, 200.0]])
    bear(np.array([[1.0, ARM.set_positions, 0.0, 0.0]]), resists, motion, efforts)
    # damping 0.5 * 10, friction 2 at full slide, a spring 4 * (1 - 0.25); damping 3 * -2 alone
    assert efforts.tolist() == [[100.0 + 5.0 + 2.0 + 3.0, 200.0 - 6.0]]
    for number in (ARM.set_efforts, ARM.release):
        before = efforts.copy()
        bear(np.array([[1.0, number, 0.0, 0.0]]), resists, motion, efforts)
        assert efforts.tolist() == before.tolist()


def test_friction_grows_with_a_slow_speed_and_does_not_jump_where_it_turns() -> None:
    resists, torques = np.array([[[0.0, 2.0, 0.0, 0.0]]]), []
    for speed in (-1.0, -1e-9, 0.0, 1e-9, 1.0):
        efforts = np.zeros((1, 1))
        bear(np.array([[1.0, ARM.set_velocities, 0.0]]), resists, (np.zeros((1, 1)), np.array([[speed]])), efforts)
        torques.append(float(efforts[0, 0]))
    assert (torques[0], torques[2], torques[4]) == (-2.0, 0.0, 2.0)
    assert torques == sorted(torques)
    assert abs(torques[1]) < 1e-3
    assert abs(torques[3]) < 1e-3
