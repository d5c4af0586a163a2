"""Messages of gateways: how readings are worded, and which numbers are taken."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.gateways import messages, table
from coopsim.features.gateways.table import COMMANDS, TOPICS, Measured
from coopsim.interfaces import MOTORS


def measured(
    module: str = "", pose: tuple[float, ...] = (1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0), **values: dict
) -> Measured:
    kinds = {"motors": "differential_drive", "odometry": "odometry", "sonars": "sonars"}
    return Measured(1.25, "robot1", module, np.array(pose), values, {"sector": 90.0, "reach": 3.0}, kinds)


@given(st.floats(0.0, 4e9))
def test_a_stamp_is_whole_seconds_and_less_than_a_second_of_nanoseconds(seconds: float) -> None:
    stamp = messages.stamp(seconds)
    assert 0 <= stamp["nsecs"] < 1_000_000_000
    assert stamp["secs"] + stamp["nsecs"] * 1e-9 == pytest.approx(seconds, abs=1e-6)


def test_a_scan_goes_from_right_to_left_and_what_is_out_of_reach_is_infinite() -> None:
    rows = {row.kind: row for row in TOPICS}
    seen = measured("sonars", sonars={"ranges": np.array([0.5, 3.0, 1.5])})
    scan = rows["sonars"].build(seen)
    assert scan["ranges"] == [0.5, math.inf, 1.5]
    assert scan["angle_min"] == pytest.approx(-math.pi / 4)
    assert scan["angle_min"] + 2 * scan["angle_increment"] == pytest.approx(scan["angle_max"])
    assert scan["header"] == {"seq": 0, "stamp": {"secs": 1, "nsecs": 250_000_000}, "frame_id": "robot1/sonars"}


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3), st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3))
def test_both_transforms_together_are_the_true_pose(
    x: float, y: float, yaw: float, own_x: float, own_y: float, heading: float
) -> None:
    pose = (x, y, 0.25, math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    values = {"odometry": {"x": own_x, "y": own_y, "heading": heading}, "motors": {"v": 0.0, "w": 0.0}, "sonars": {}}
    drift, own = table.transforms(measured("", pose, **values))
    assert (drift["header"]["frame_id"], drift["child_frame_id"]) == ("world", "robot1/odom")
    assert (own["header"]["frame_id"], own["child_frame_id"]) == ("robot1/odom", "robot1/base_link")
    turn = 2.0 * math.atan2(drift["transform"]["rotation"]["z"], drift["transform"]["rotation"]["w"])
    place, inner = drift["transform"]["translation"], own["transform"]["translation"]
    assert place["x"] + math.cos(turn) * inner["x"] - math.sin(turn) * inner["y"] == pytest.approx(x, abs=1e-9)
    assert place["y"] + math.sin(turn) * inner["x"] + math.cos(turn) * inner["y"] == pytest.approx(y, abs=1e-9)
    assert math.remainder(turn + heading - yaw, 2 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_odometry_brings_the_speeds_of_the_motors() -> None:
    rows = {row.kind: row for row in TOPICS}
    values = {"odometry": {"x": 1.0, "y": 2.0, "heading": 0.0}, "motors": {"v": 0.3, "w": -0.1}, "sonars": {}}
    odometry = rows["odometry"].build(measured("odometry", **values))
    assert odometry["pose"]["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 0.0}
    assert odometry["twist"]["twist"]["linear"]["x"] == 0.3
    assert odometry["twist"]["twist"]["angular"]["z"] == -0.1


def command(kind: str, topic: str, message: dict) -> tuple[str, list]:
    return next(row for row in COMMANDS if (row.kind, row.topic) == (kind, topic)).read(message)


def test_commands_say_what_modules_understand() -> None:
    twist = {"linear": {"x": 0.2, "y": 0.1, "z": 0.3}, "angular": {"z": -0.5}}
    assert command("differential_drive", "cmd_vel", twist) == ("set_velocity", [0.2, -0.5])
    assert command("differential_drive", "cmd_vel_stamped", {"twist": twist}) == ("set_velocity", [0.2, -0.5])
    assert command("autopilot", "cmd_vel", twist) == ("set_velocity", [0.2, 0.1, 0.3, -0.5])
    pose = {"pose": {"position": {"x": 1, "y": 2, "z": 3}, "orientation": {"z": 1.0, "w": 0.0}}}
    name, values = command("autopilot", "goal_pose", pose)
    assert (name, values[:3]) == ("go_to", [1.0, 2.0, 3.0])
    assert abs(values[3]) == pytest.approx(math.pi)
    assert command("joints", "joint_command", {"velocity": [0.1, 0.2]}) == ("set_velocities", [0.1, 0.2])
    assert command("hinge", "joint_command", {"position": [0.1]}) == ("set_position", [0.1])
    assert command("gripper", "gripper_command", {"data": 0.05}) == ("set_opening", [0.05])
    names = {declared.name for declared in MOTORS.commands}
    assert {row.command for row in COMMANDS if row.kind == "differential_drive"} <= names


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"linear": {"x": "fast"}}, "linear.x: expected a number, got 'fast'"),
        ({"linear": {"x": math.nan}}, "linear.x: expected a finite number, got nan"),
        ({"linear": {"x": 10**400}}, "linear.x: expected a finite number, got 1000"),
        ({"linear": {"x": True}}, "linear.x: expected a number, got True"),
        ({"linear": 3}, "linear.x: expected a message with the field 'x', got 3"),
        ({"angular": [1]}, "angular.z: expected a message with the field 'z', got [1]"),
    ],
)
def test_what_is_no_twist_is_refused_with_the_field(message: dict, says: str) -> None:
    with pytest.raises(BadArgument, match="^" + says.replace("[", r"\[").replace("(", r"\(")):
        command("differential_drive", "cmd_vel", message)


@pytest.mark.parametrize("message", [{}, {"position": []}, {"position": "1"}, {"effort": [1, None]}])
def test_joint_commands_without_values_or_with_others_are_refused(message: dict) -> None:
    with pytest.raises(BadArgument, match=r"position|effort"):
        command("joints", "joint_command", message)
