"""Messages as nested dictionaries, worded as the common packages of ROS define them; SI units, x forward, z up.

Source: common_interfaces of ROS (std_msgs, geometry_msgs, sensor_msgs, nav_msgs, tf2_msgs), REP 103 and REP 105.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from coopsim.errors import BadArgument
from coopsim.geometry import Floats

Words: TypeAlias = dict[str, Any]
"""A message by field."""
_UNKNOWN_COVARIANCE = [0.0] * 36
"""All zeros: "not known", as REP 105's messages say it."""
_NANO = 1_000_000_000  # stamps of ROS are whole seconds and nanoseconds


def stamp(seconds: float) -> Words:
    """Return a time of ROS 1: whole seconds and nanoseconds."""
    whole, nano = divmod(round(seconds * _NANO), _NANO)
    return {"secs": whole, "nsecs": nano}


def header(time: float, frame: str) -> Words:
    """Return the header of a message that was measured at a simulated time [s] in a frame."""
    return {"seq": 0, "stamp": stamp(time), "frame_id": frame}


def vector(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Words:
    """Return a `geometry_msgs/Vector3` or `Point`."""
    return {"x": float(x), "y": float(y), "z": float(z)}


def quaternion(w: float, x: float, y: float, z: float) -> Words:
    """Return a `geometry_msgs/Quaternion`."""
    return {"x": float(x), "y": float(y), "z": float(z), "w": float(w)}


def turned(yaw: float) -> Words:
    """Return the rotation about z by an angle [rad]."""
    return quaternion(math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw))


def pose(row: "Floats | Sequence[float]") -> Words:
    """Return a `geometry_msgs/Pose` of a position and a quaternion w x y z, shape (7,)."""
    return {"position": vector(*row[:3]), "orientation": quaternion(*row[3:7])}


def flat_pose(x: float, y: float, yaw: float) -> Words:
    """Return a `geometry_msgs/Pose` on the floor."""
    return {"position": vector(x, y), "orientation": turned(yaw)}


def twist(linear: Sequence[float], angular: Sequence[float]) -> Words:
    """Return a `geometry_msgs/Twist`."""
    return {"linear": vector(*linear), "angular": vector(*angular)}


def transform(time: float, parent: str, child: str, place: Words) -> Words:
    """Return a `geometry_msgs/TransformStamped` from a pose of the child in its parent."""
    moved = {"translation": place["position"], "rotation": place["orientation"]}
    return {"header": header(time, parent), "child_frame_id": child, "transform": moved}


def odometry(time: float, frames: tuple[str, str], place: Words, speeds: Words) -> Words:
    """Return a `nav_msgs/Odometry`: a pose in the first frame, a twist in the second."""
    return {
        "header": header(time, frames[0]),
        "child_frame_id": frames[1],
        "pose": {"pose": place, "covariance": _UNKNOWN_COVARIANCE},
        "twist": {"twist": speeds, "covariance": _UNKNOWN_COVARIANCE},
    }


def laser_scan(time: float, frame: str, ranges: Iterable[float], sector: float, reach: float) -> Words:
    """Return a `sensor_msgs/LaserScan`; what is out of reach is infinite, as REP 117 asks.

    Args:
        time: Simulated time [s].
        frame: Of the ring.
        ranges: Distances from right to left [m].
        sector: Angle between the first and the last [rad].
        reach: Largest distance that is measured [m].
    """
    measured = [float(distance) if distance < reach else math.inf for distance in ranges]
    steps = max(1, len(measured) - 1)
    return {
        "header": header(time, frame),
        "angle_min": -0.5 * sector,
        "angle_max": 0.5 * sector,
        "angle_increment": sector / steps,
        "time_increment": 0.0,
        "scan_time": 0.0,
        "range_min": 0.0,
        "range_max": float(reach),
        "ranges": measured,
        "intensities": [],
    }


def joint_state(
    time: float, names: Sequence[str], positions: Iterable[float], velocities: Iterable[float], efforts: Iterable[float]
) -> Words:
    """Return a `sensor_msgs/JointState`."""
    return {
        "header": header(time, ""),
        "name": list(names),
        "position": [float(value) for value in positions],
        "velocity": [float(value) for value in velocities],
        "effort": [float(value) for value in efforts],
    }


def imu(time: float, frame: str, acceleration: Sequence[float], rate: Sequence[float]) -> Words:
    """Return a `sensor_msgs/Imu` without orientation, which an IMU of coopsim does not measure."""
    unknown = [0.0] * 9
    return {
        "header": header(time, frame),
        "orientation": quaternion(1.0, 0.0, 0.0, 0.0),
        "orientation_covariance": [-1.0, *unknown[1:]],  # -1 in front: "there is no such estimate"
        "angular_velocity": vector(*rate),
        "angular_velocity_covariance": unknown,
        "linear_acceleration": vector(*acceleration),
        "linear_acceleration_covariance": unknown,
    }


def nav_sat_fix(time: float, frame: str, place: Sequence[float], variances: tuple[float, float]) -> Words:
    """Return a `sensor_msgs/NavSatFix`.

    Args:
        time: Simulated time [s].
        frame: Of the receiver.
        place: Latitude and longitude [degrees], altitude [m].
        variances: Of the horizontal axes, and of the height [m2].
    """
    flat, height = variances
    return {
        "header": header(time, frame),
        "status": {"status": 0, "service": 1},  # a fix, by GPS
        "latitude": place[0],
        "longitude": place[1],
        "altitude": place[2],
        "position_covariance": [flat, 0.0, 0.0, 0.0, flat, 0.0, 0.0, 0.0, height],
        "position_covariance_type": 2,  # the diagonal is known
    }


def camera_info(time: float, frame: str, width: int, height: int, fov: float) -> Words:
    """Return a `sensor_msgs/CameraInfo` of a pinhole without distortion, whose angle of view [rad] is horizontal."""
    focal = 0.5 * width / math.tan(0.5 * fov)
    x, y = 0.5 * width, 0.5 * height
    return {
        "header": header(time, frame),
        "height": height,
        "width": width,
        "distortion_model": "plumb_bob",
        "D": [0.0] * 5,
        "K": [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
        "R": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "P": [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0],
        "binning_x": 0,
        "binning_y": 0,
        "roi": {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False},
    }


def contacts(time: float, frame: str, parts: Iterable[str]) -> Words:
    """Return a `gazebo_msgs/ContactsState` of parts of a hull that something touches, which is not known."""
    states = [
        {
            "info": "",
            "collision1_name": part,
            "collision2_name": "",
            "wrenches": [],
            "total_wrench": {"force": vector(), "torque": vector()},
            "contact_positions": [],
            "contact_normals": [],
            "depths": [],
        }
        for part in parts
    ]
    return {"header": header(time, frame), "states": states}


def floats(values: Iterable[float]) -> Words:
    """Return a `std_msgs/Float64MultiArray` of one dimension."""
    return {"layout": {"dim": [], "data_offset": 0}, "data": [float(value) for value in values]}


def number(message: Mapping[str, Any], path: str) -> float:
    """Return a number out of a message that came, 0 where it is left out.

    Args:
        message: By field.
        path: `linear.x`.

    Raises:
        BadArgument: It is no number, or not finite.
    """
    value: Any = message
    for word in path.split("."):
        if not isinstance(value, Mapping):
            raise BadArgument(f"{path}: expected a message with the field {word!r}, got {value!r:.60}")
        value = value.get(word, {} if word != path.rpartition(".")[2] else 0.0)
    return finite(value, path)


def numbers(message: Mapping[str, Any], field: str) -> list[float]:
    """Return a list of numbers out of a message that came, empty where it is left out.

    Raises:
        BadArgument: It is no list, or holds what is no finite number.
    """
    values = message.get(field, [])
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise BadArgument(f"{field}: expected a list of numbers, got {values!r:.60}")
    return [finite(value, f"{field}[{place}]") for place, value in enumerate(values)]


def finite(value: Any, path: str) -> float:
    """Return a value that is a finite number.

    Raises:
        BadArgument: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadArgument(f"{path}: expected a number, got {value!r:.60}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise BadArgument(f"{path}: expected a finite number, got {value!r:.60}")
    return result
