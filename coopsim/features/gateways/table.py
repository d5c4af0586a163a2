"""The mapping that all gateways share: each module's readings and commands by the topics and types of others.

Every row is data with one small function. What has no row of its own is published as a plain array of its readings, so
that no module of a plugin is left out.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.gateways import messages
from coopsim.features.gateways.georeference import ORIGIN_OF_MAPS, Georeference
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.trajectories import joint_names, read_trajectory
from coopsim.geometry import Floats
from coopsim.interfaces import Value

WORLD = "world"
"""Frame in which the simulation knows all poses."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Readings of one robot at one tick.

    Attributes:
        time: Simulated time [s].
        robot: Its name.
        module: Name of the module that a row is about, "" = the robot's body.
        pose: Position and quaternion w x y z in the world, shape (7,).
        values: Readings by module, then by field; arrays or numbers.
        parameters: Parameters of the row's module.
        kinds: Kind of each module of the robot, by its name.
        georeference: Where the world is on the Earth.
    """

    time: float
    robot: str
    module: str
    pose: Floats
    values: Mapping[str, Mapping[str, Any]]
    parameters: Mapping[str, Value]
    kinds: Mapping[str, str]
    georeference: Georeference = ORIGIN_OF_MAPS

    @property
    def own(self) -> Mapping[str, Any]:
        """Readings of the row's module."""
        return self.values[self.module]

    def frame(self, name: str) -> str:
        """Return the name of a frame of this robot."""
        return f"{self.robot}/{name}"

    def first(self, kind: str) -> Mapping[str, Any] | None:
        """Return the readings of the robot's first module of a kind, None if it has none."""
        name = next((name for name, its_kind in self.kinds.items() if its_kind == kind), None)
        return None if name is None else self.values[name]


class TopicRow(NamedTuple):
    """A reading as others know it.

    Attributes:
        kind: Of the module, "" = the body of every robot.
        topic: Below the name of the robot.
        type: Of the message.
        frame: In which it is measured, below the name of the robot.
        about: Units, and what is not as others expect.
        build: Makes the message.
        fetched: Command of the module whose image is the message, "" = `build` makes it of the readings.
    """

    kind: str
    topic: str
    type: str
    frame: str
    about: str
    build: Callable[[Measured], Words]
    fetched: str = ""


class CommandRow(NamedTuple):
    """A command as others give it.

    Attributes:
        kind: Of the module that obeys.
        topic: Below the name of the robot.
        type: Of the message.
        command: Of the module.
        about: Which fields count.
        read: Returns the command's name and its values.
    """

    kind: str
    topic: str
    type: str
    command: str
    about: str
    read: Callable[[Words], tuple[str, list[Any]]]


def _pose(seen: Measured) -> Words:
    return {"header": messages.header(seen.time, WORLD), "pose": messages.pose(seen.pose)}


def _odometry(seen: Measured) -> Words:
    place = messages.flat_pose(seen.own["x"], seen.own["y"], seen.own["heading"])
    drives = map(seen.first, ("differential_drive", "omni_drive", "car_drive"))
    motors = next((drive for drive in drives if drive is not None), {"v": 0.0, "w": 0.0})
    speeds = messages.twist((motors["v"], motors.get("u", 0.0), 0.0), (0.0, 0.0, motors["w"]))
    return messages.odometry(seen.time, (seen.frame("odom"), seen.frame("base_link")), place, speeds)


def _scan(seen: Measured) -> Words:
    sector, reach = math.radians(float(seen.parameters["sector"])), float(seen.parameters["reach"])
    return messages.laser_scan(seen.time, seen.frame(seen.module), seen.own["ranges"], sector, reach)


def _laser(seen: Measured) -> Words:
    """Return the layer that is nearest to level; messages of this type have no others."""
    parameters, layers = seen.parameters, int(seen.parameters["layers"])
    elevations = np.resize(np.array(str(parameters["elevation"]).split(), float), layers)
    level = int(np.abs(elevations).argmin())
    ranges = np.reshape(seen.own["ranges"], (layers, -1))[level]
    sector, yaw = math.radians(float(parameters["sector"])), math.radians(float(parameters["yaw"]))
    message = messages.laser_scan(
        seen.time, seen.frame(seen.module), ranges, sector if ranges.size > 1 else 0.0, float(parameters["reach"])
    )
    rate, strengths = float(parameters["rate"]), np.atleast_1d(seen.own["intensities"])
    message["angle_min"] += yaw
    message["angle_max"] += yaw
    # without an echo a range is 0, which readers leave out as it lies below the least one
    message["range_min"] = max(float(parameters["nearest"]), 1e-3)
    message["scan_time"] = 1.0 / rate if rate else 0.0
    if strengths.size:
        message["intensities"] = [float(value) for value in np.reshape(strengths, (layers, -1))[level]]
    return message


def _imu(seen: Measured) -> Words:
    return messages.imu(seen.time, seen.frame(seen.module), seen.own["acceleration"], seen.own["rate"])


def _joints(seen: Measured) -> Words:
    positions = np.atleast_1d(seen.own["positions"])
    named = joint_names(seen.parameters, seen.module, len(positions))
    return messages.joint_state(seen.time, named, positions, seen.own["velocities"], seen.own["efforts"])


def _joint(seen: Measured) -> Words:
    (name,), own = joint_names(seen.parameters, seen.module, 1), seen.own
    return messages.joint_state(seen.time, [name], [own["position"]], [own["velocity"]], [own["effort"]])


def _fix(seen: Measured) -> Words:
    own = seen.own
    place = seen.georeference.geodetic(float(own["x"]), float(own["y"]), float(own["z"]))
    variance, height = (
        float(seen.parameters.get("noise", 0.0)) ** 2,
        float(seen.parameters.get("noise_height", 0.0)) ** 2,
    )
    return messages.nav_sat_fix(seen.time, seen.frame(seen.module), place, (variance, height))


def _satellites(seen: Measured) -> Words:
    own = seen.own
    place = math.degrees(float(own["latitude"])), math.degrees(float(own["longitude"])), float(own["altitude"])
    variances = float(own["deviation"]) ** 2, float(own["deviation_height"]) ** 2
    message = messages.nav_sat_fix(seen.time, seen.frame(seen.module), place, variances)
    if float(own["valid"]) == 0.0:
        message["status"]["status"] = -1  # no fix
    return message


def _wrench(seen: Measured) -> Words:
    wrench = {name: messages.vector(*seen.own[name]) for name in ("force", "torque")}
    return {"header": messages.header(seen.time, seen.frame(seen.module)), "wrench": wrench}


def _camera_info(seen: Measured) -> Words:
    own = seen.own
    frame = seen.frame(f"{seen.module}_optical")
    return messages.camera_info(seen.time, frame, int(own["width"]), int(own["height"]), float(own["fov"]))


def _contacts(seen: Measured) -> Words:
    halves = [half for half in ("front", "rear") if float(seen.own[half]) > 0.0]
    return messages.contacts(seen.time, seen.frame("base_link"), [seen.frame(half) for half in halves])


def _position(seen: Measured) -> Words:
    own = seen.own
    return {"header": messages.header(seen.time, WORLD), "point": messages.vector(own["x"], own["y"], own["z"])}


def _space_pose(seen: Measured) -> Words:
    own = seen.own
    place = messages.pose([*own["position"], *own["orientation"]])
    speeds = messages.twist(own["velocity"], own["rate"])
    return messages.odometry(seen.time, (WORLD, seen.frame("base_link")), place, speeds)


def array(seen: Measured) -> Words:
    """Return all readings of a module, field after field, as the array that has no other row."""
    return messages.floats(value for field in seen.own.values() for value in np.ravel(field))


TOPICS = (
    TopicRow("", "pose", "geometry_msgs/PoseStamped", WORLD, "true pose of the base [m]", _pose),
    TopicRow("odometry", "odom", "nav_msgs/Odometry", "odom", "drifts as the encoders do [m, m/s, rad/s]", _odometry),
    TopicRow("drive_odometry", "odom", "nav_msgs/Odometry", "odom", "the same of other drives", _odometry),
    TopicRow("sonars", "scan", "sensor_msgs/LaserScan", "", "from the hull [m]; inf = nothing within reach", _scan),
    TopicRow(
        "laser", "scan", "sensor_msgs/LaserScan", "", "from the scanner [m]; 0 = no echo; the level layer", _laser
    ),
    TopicRow("imu", "imu", "sensor_msgs/Imu", "", "[m/s2, rad/s]; without orientation", _imu),
    TopicRow("joints", "joint_states", "sensor_msgs/JointState", "", "[rad, rad/s, N m]", _joints),
    TopicRow("hinge", "joint_states", "sensor_msgs/JointState", "", "[rad, rad/s, N m]", _joint),
    TopicRow("slide", "joint_states", "sensor_msgs/JointState", "", "[m, m/s, N]", _joint),
    TopicRow(
        "gps", "fix", "sensor_msgs/NavSatFix", "", "[deg, m] on WGS 84; `--georeference` says where the world is", _fix
    ),
    TopicRow("gnss", "fix", "sensor_msgs/NavSatFix", "", "[deg, m] on WGS 84; status -1 = the last one", _satellites),
    TopicRow("gps", "position", "geometry_msgs/PointStamped", WORLD, "the same in metres in the world", _position),
    TopicRow("camera", "camera_info", "sensor_msgs/CameraInfo", "", "a pinhole without distortion", _camera_info),
    TopicRow("camera", "image_raw", "sensor_msgs/Image", "", "rgb8, as soon as it is drawn", array, "image"),
    TopicRow("camera", "depth", "sensor_msgs/Image", "", "32FC1 [m]; inf = nothing within range", array, "depth"),
    TopicRow("camera", "labels", "sensor_msgs/Image", "", "mono16: 1 + number of what is shown", array, "labels"),
    TopicRow(
        "bumpers", "contacts", "gazebo_msgs/ContactsState", "", "a state for each half that is touched", _contacts
    ),
    TopicRow(
        "force_torque", "wrench", "geometry_msgs/WrenchStamped", "", "on the link, in its frame [N, N m]", _wrench
    ),
    TopicRow("pose", "pose_estimate", "nav_msgs/Odometry", WORLD, "as the module measures it [m, m/s]", _space_pose),
)
"""Readings with a row of their own; every other module is a `std_msgs/Float64MultiArray` on `/ROBOT/MODULE`."""
OTHERWISE = TopicRow("", "", "std_msgs/Float64MultiArray", "", "all readings in the order of the interface", array)
CLOCK_TOPIC, CLOCK_TYPE = "/clock", "rosgraph_msgs/Clock"
TRANSFORMS_TOPIC, TRANSFORMS_TYPE = "/tf", "tf2_msgs/TFMessage"


def _drive(message: Words) -> tuple[str, list[Any]]:
    return "set_velocity", [messages.number(message, "linear.x"), messages.number(message, "angular.z")]


def _slide(message: Words) -> tuple[str, list[Any]]:
    command, (v, w) = _drive(message)
    return command, [v, w, messages.number(message, "linear.y")]


def _drive_stamped(message: Words) -> tuple[str, list[Any]]:
    return _drive(_part(message, "twist"))


def _fly(message: Words) -> tuple[str, list[Any]]:
    axes = ("linear.x", "linear.y", "linear.z", "angular.z")
    return "set_velocity", [messages.number(message, axis) for axis in axes]


def _fly_stamped(message: Words) -> tuple[str, list[Any]]:
    return _fly(_part(message, "twist"))


def _go_to(message: Words) -> tuple[str, list[Any]]:
    place = _part(message, "pose")
    x, y, z = (messages.number(place, f"position.{axis}") for axis in "xyz")
    i, j, k, w = (messages.number(place, f"orientation.{axis}") for axis in "xyzw")
    return "go_to", [x, y, z, math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))]


def _move_joints(message: Words) -> tuple[str, list[Any]]:
    for field, command in (("position", "set_positions"), ("velocity", "set_velocities"), ("effort", "set_efforts")):
        values = messages.numbers(message, field)
        if values:
            return command, list(values)
    raise BadArgument("position, velocity, effort: one of them takes a value for each joint; all are empty")


def _move_joint(message: Words) -> tuple[str, list[Any]]:
    command, values = _move_joints(message)
    singular = {"set_positions": "set_position", "set_velocities": "set_velocity", "set_efforts": "set_effort"}
    return singular[command], values


def _data(command: str) -> Callable[[Words], tuple[str, list[Any]]]:
    return lambda message: (command, [messages.number(message, "data")])


def _thrusts(message: Words) -> tuple[str, list[Any]]:
    return "set_thrusts", list(messages.numbers(message, "data"))


def _follow(message: Words) -> tuple[str, list[Any]]:
    return FOLLOW, [read_trajectory(message)]


def _part(message: Words, field: str) -> Words:
    part = message.get(field, {})
    if not isinstance(part, dict):
        raise BadArgument(f"{field}: expected a message, got {part!r:.60}")
    return part


FOLLOW = "follow"
"""Stands for `set_positions` over time: what a trajectory commands."""
_TRAJECTORY = "trajectory_msgs/JointTrajectory"
_TWIST, _STAMPED, _JOINTS = "geometry_msgs/Twist", "geometry_msgs/TwistStamped", "sensor_msgs/JointState"
COMMANDS = (
    CommandRow("differential_drive", "cmd_vel", _TWIST, "set_velocity", "linear.x [m/s], angular.z [rad/s]", _drive),
    CommandRow("differential_drive", "cmd_vel_stamped", _STAMPED, "set_velocity", "as in `twist`", _drive_stamped),
    CommandRow("omni_drive", "cmd_vel", _TWIST, "set_velocity", "linear.x, linear.y [m/s], angular.z [rad/s]", _slide),
    CommandRow("car_drive", "cmd_vel", _TWIST, "set_velocity", "linear.x [m/s], angular.z [rad/s]", _drive),
    CommandRow("autopilot", "cmd_vel", _TWIST, "set_velocity", "linear [m/s], angular.z [rad/s]", _fly),
    CommandRow("autopilot", "cmd_vel_stamped", _STAMPED, "set_velocity", "as in `twist`", _fly_stamped),
    CommandRow("autopilot", "goal_pose", "geometry_msgs/PoseStamped", "go_to", "position [m] and yaw", _go_to),
    CommandRow("joints", "joint_command", _JOINTS, "set_positions …", "the first that is not empty", _move_joints),
    CommandRow("hinge", "joint_command", _JOINTS, "set_position …", "the first that is not empty", _move_joint),
    CommandRow("slide", "joint_command", _JOINTS, "set_position …", "the first that is not empty", _move_joint),
    CommandRow(
        "joints", "joint_trajectory", _TRAJECTORY, "set_positions", "positions over time; empty = stop", _follow
    ),
    CommandRow("hinge", "joint_trajectory", _TRAJECTORY, "set_position", "positions over time; empty = stop", _follow),
    CommandRow("slide", "joint_trajectory", _TRAJECTORY, "set_position", "positions over time; empty = stop", _follow),
    CommandRow("gripper", "gripper_command", "std_msgs/Float64", "set_opening", "data [m]", _data("set_opening")),
    CommandRow("rotors", "thrusts", "std_msgs/Float64MultiArray", "set_thrusts", "front left rear right [N]", _thrusts),
)
"""Commands of modules by topics that others publish."""


def clock(time: float) -> Words:
    """Return the message of `/clock`."""
    return {"clock": messages.stamp(time)}


def transforms(seen: Measured) -> list[Words]:
    """Return the transforms of a robot: world to odom to base where it has odometry, else world to base.

    The first one corrects the drift of the second, so that both together are the true pose, as a perfect localisation
    would publish it (REP 105; `world` stands for `map`).
    """
    base, estimate = seen.frame("base_link"), seen.first("odometry") or seen.first("drive_odometry")
    if estimate is None:
        return [messages.transform(seen.time, WORLD, base, messages.pose(seen.pose))]
    x, y, z, w, i, j, k = (float(value) for value in seen.pose)
    yaw = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
    turn = yaw - float(estimate["heading"])
    cos, sin, own_x, own_y = math.cos(turn), math.sin(turn), float(estimate["x"]), float(estimate["y"])
    drift = messages.flat_pose(x - cos * own_x + sin * own_y, y - sin * own_x - cos * own_y, turn)
    drift["position"]["z"] = z
    odom = seen.frame("odom")
    place = messages.flat_pose(own_x, own_y, float(estimate["heading"]))
    return [
        messages.transform(seen.time, WORLD, odom, drift),
        messages.transform(seen.time, odom, base, place),
    ]
