"""Types of ROS 2 by the texts that define them: their fields, and the hashes by which nodes compare them.

Source: rosidl (.msg, .srv and .action files), REP 2011 and REP 2016 (type descriptions and their RIHS01 hashes).
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from coopsim.errors import BadArgument

MESSAGES: Final = """
builtin_interfaces/msg/Time: int32 sec, uint32 nanosec
builtin_interfaces/msg/Duration: int32 sec, uint32 nanosec
std_msgs/msg/Header: builtin_interfaces/Time stamp, string frame_id
std_msgs/msg/Float64: float64 data
std_msgs/msg/String: string data
std_msgs/msg/MultiArrayDimension: string label, uint32 size, uint32 stride
std_msgs/msg/MultiArrayLayout: MultiArrayDimension[] dim, uint32 data_offset
std_msgs/msg/Float64MultiArray: MultiArrayLayout layout, float64[] data
rosgraph_msgs/msg/Clock: builtin_interfaces/Time clock
geometry_msgs/msg/Vector3: float64 x, float64 y, float64 z
geometry_msgs/msg/Point: float64 x, float64 y, float64 z
geometry_msgs/msg/Quaternion: float64 x, float64 y, float64 z, float64 w
geometry_msgs/msg/Pose: Point position, Quaternion orientation
geometry_msgs/msg/Twist: Vector3 linear, Vector3 angular
geometry_msgs/msg/Accel: Vector3 linear, Vector3 angular
geometry_msgs/msg/Transform: Vector3 translation, Quaternion rotation
geometry_msgs/msg/PoseStamped: std_msgs/Header header, Pose pose
geometry_msgs/msg/PointStamped: std_msgs/Header header, Point point
geometry_msgs/msg/TwistStamped: std_msgs/Header header, Twist twist
geometry_msgs/msg/TransformStamped: std_msgs/Header header, string child_frame_id, Transform transform
geometry_msgs/msg/PoseWithCovariance: Pose pose, float64[36] covariance
geometry_msgs/msg/TwistWithCovariance: Twist twist, float64[36] covariance
tf2_msgs/msg/TFMessage: geometry_msgs/TransformStamped[] transforms
nav_msgs/msg/Odometry: std_msgs/Header header, string child_frame_id, geometry_msgs/PoseWithCovariance pose, \
geometry_msgs/TwistWithCovariance twist
sensor_msgs/msg/LaserScan: std_msgs/Header header, float32 angle_min, float32 angle_max, float32 angle_increment, \
float32 time_increment, float32 scan_time, float32 range_min, float32 range_max, float32[] ranges, float32[] intensities
sensor_msgs/msg/Imu: std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance, \
geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance, \
geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance
sensor_msgs/msg/JointState: std_msgs/Header header, string[] name, float64[] position, float64[] velocity, \
float64[] effort
sensor_msgs/msg/NavSatStatus: int8 status, uint16 service
sensor_msgs/msg/NavSatFix: std_msgs/Header header, NavSatStatus status, float64 latitude, float64 longitude, \
float64 altitude, float64[9] position_covariance, uint8 position_covariance_type
sensor_msgs/msg/RegionOfInterest: uint32 x_offset, uint32 y_offset, uint32 height, uint32 width, bool do_rectify
sensor_msgs/msg/CameraInfo: std_msgs/Header header, uint32 height, uint32 width, string distortion_model, float64[] d, \
float64[9] k, float64[9] r, float64[12] p, uint32 binning_x, uint32 binning_y, RegionOfInterest roi
sensor_msgs/msg/Image: std_msgs/Header header, uint32 height, uint32 width, string encoding, uint8 is_bigendian, \
uint32 step, uint8[] data
geometry_msgs/msg/Wrench: Vector3 force, Vector3 torque
geometry_msgs/msg/WrenchStamped: std_msgs/Header header, Wrench wrench
gazebo_msgs/msg/ContactState: string info, string collision1_name, string collision2_name, \
geometry_msgs/Wrench[] wrenches, geometry_msgs/Wrench total_wrench, geometry_msgs/Vector3[] contact_positions, \
geometry_msgs/Vector3[] contact_normals, float64[] depths
gazebo_msgs/msg/ContactsState: std_msgs/Header header, ContactState[] states
trajectory_msgs/msg/JointTrajectoryPoint: float64[] positions, float64[] velocities, float64[] accelerations, \
float64[] effort, builtin_interfaces/Duration time_from_start
trajectory_msgs/msg/JointTrajectory: std_msgs/Header header, string[] joint_names, JointTrajectoryPoint[] points
rcl_interfaces/msg/Log: builtin_interfaces/Time stamp, uint8 level, string name, string msg, string file, \
string function, uint32 line
service_msgs/msg/ServiceEventInfo: uint8 event_type, builtin_interfaces/Time stamp, uint8[16] client_gid, \
int64 sequence_number
rmw_dds_common/msg/Gid: uint8[16] data
rmw_dds_common/msg/NodeEntitiesInfo: string<=256 node_namespace, string<=256 node_name, Gid[] reader_gid_seq, \
Gid[] writer_gid_seq
rmw_dds_common/msg/ParticipantEntitiesInfo: Gid gid, NodeEntitiesInfo[] node_entities_info_seq
"""


_FIELD = re.compile(r"(?P<type>[\w/]+)(?:<=(?P<longest>\d+))?(?P<many>\[(?:<=)?\d*\])?\s+(?P<name>\w+)")
_NESTED, _ARRAY, _BOUNDED, _SEQUENCE = 1, 48, 96, 144
"""Codes of type descriptions: a message inside another one, and what is added for many of a type."""
_BOUNDED_TEXT = 4
"""Added to the code of a text whose length is bounded."""
_CODES: Final = {
    "int8": 2,
    "uint8": 3,
    "int16": 4,
    "uint16": 5,
    "int32": 6,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float32": 10,
    "float64": 11,
    "bool": 15,
    "byte": 16,
    "string": 17,
}
PRIMITIVES: Final = frozenset(_CODES)
EMPTY: Final = "structure_needs_at_least_one_member"
"""Field of a message without fields: there is no empty structure in IDL."""
_KINDS: Final = ("Request", "Response", "Event")


_RULE = "=" * 80  # between definitions, as ros2msg has it


class TypeField(NamedTuple):
    """A field of a message.

    Attributes:
        type: `float64`, `string`, or a message with its package: `geometry_msgs/msg/Pose`.
        many: How many: None = one, 0 = any number, n = exactly n, -n = at most n.
        name: Of the field.
        longest: Letters that a text has at most, 0 = any number.
    """

    type: str
    many: int | None
    name: str
    longest: int = 0


class RosTypes:
    """Types by name: `geometry_msgs/msg/Twist`, `std_srvs/srv/Empty`, `simulation_interfaces/action/SimulateSteps`.

    Args:
        text: Definitions of messages, a type a line.
    """

    def __init__(self, text: str = MESSAGES) -> None:
        self._fields: dict[str, tuple[TypeField, ...]] = {}
        self._hashes: dict[str, str] = {}
        self.add_messages(text)

    def add_messages(self, text: str) -> None:
        """Add messages, parts before the whole: each line has a name, a colon, and fields between commas.

        Raises:
            BadArgument: A line is no definition, or names a type that is not known.
        """
        for line in text.splitlines():
            name, colon, fields = line.partition(":")
            if colon:
                self._add(name.strip(), fields)

    def add_services(self, text: str) -> None:
        """Add services: the fields of request and response stand with `---` between."""
        for line in text.splitlines():
            name, colon, fields = line.partition(":")
            if colon:
                request, _, response = fields.partition("---")
                self._add_service(name.strip(), request, response)

    def add_actions(self, text: str) -> None:
        """Add actions, with the messages and services that they consist of: goal `---` result `---` feedback."""
        for line in text.splitlines():
            name, colon, fields = line.partition(":")
            if colon:
                self._add_action(name.strip(), *fields.split("---"))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all types."""
        return tuple(self._fields)

    def fields(self, name: str) -> tuple[TypeField, ...]:
        """Return the fields of a message.

        Raises:
            BadArgument: There is no such type.
        """
        if name not in self._fields:
            raise BadArgument(f"no type {name!r:.80} of ROS 2 is known here")
        return self._fields[name]

    def hash(self, name: str) -> str:
        """Return the hash of a type, as REP 2016 has it: `RIHS01_...`."""
        if name not in self._hashes:
            referenced: dict[str, Any] = {}
            whole = {
                "type_description": self._description(name, referenced),
                "referenced_type_descriptions": [referenced[kind] for kind in sorted(referenced)],
            }
            self._hashes[name] = f"RIHS01_{hashlib.sha256(json.dumps(whole).encode()).hexdigest()}"
        return self._hashes[name]

    def text(self, name: str) -> str:
        """Return the definition of a message and of all that it is made of, as files `.msg` have it.

        Source: mcap.dev, "Well-known schema encodings", ros2msg.
        """
        texts, waiting = dict[str, str](), [name]
        while waiting:
            kind = waiting.pop(0)
            if kind not in texts:
                texts[kind] = "\n".join(_field_line(field) for field in self.fields(kind))
                waiting += [field.type for field in self.fields(kind) if field.type not in PRIMITIVES]
        parts = (text if kind == name else f"MSG: {_short(kind)}\n{text}" for kind, text in texts.items())
        return f"\n{_RULE}\n".join(parts)

    def _description(self, name: str, referenced: dict[str, Any]) -> dict[str, Any]:
        """Return the description of a type; those of the types that it is made of are added to `referenced`."""
        fields = []
        for field in self.fields(name):
            nested = "" if field.type in PRIMITIVES else field.type
            if nested and nested not in referenced:
                referenced[nested] = {}  # a type may be named twice, and is described once
                referenced[nested] = self._description(nested, referenced)
            fields.append({"name": field.name, "type": _described_type(field, nested)})
        return {"type_name": name, "fields": fields}

    def _add(self, name: str, text: str) -> None:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        fields = tuple(self._field(name, part) for part in parts)
        self._fields[name] = fields or (TypeField("uint8", None, EMPTY),)

    def _add_service(self, name: str, request: str, response: str) -> None:
        for kind, text in (("Request", request), ("Response", response)):
            self._add(f"{name}_{kind}", text)
        info = "service_msgs/ServiceEventInfo info"
        self._add(f"{name}_Event", f"{info}, {name}_Request[<=1] request, {name}_Response[<=1] response")
        self._add(name, ", ".join(f"{name}_{kind} {kind.lower()}_message" for kind in _KINDS))

    def _add_action(self, name: str, goal: str, result: str, feedback: str) -> None:
        for kind, text in (("Goal", goal), ("Result", result), ("Feedback", feedback)):
            self._add(f"{name}_{kind}", text)
        uuid = "unique_identifier_msgs/UUID goal_id"
        self._add_service(
            f"{name}_SendGoal", f"{uuid}, {name}_Goal goal", "bool accepted, builtin_interfaces/Time stamp"
        )
        self._add_service(f"{name}_GetResult", uuid, f"int8 status, {name}_Result result")
        self._add(f"{name}_FeedbackMessage", f"{uuid}, {name}_Feedback feedback")

    def _field(self, name: str, text: str) -> TypeField:
        match = _FIELD.match(text)
        if match is None:
            raise BadArgument(f"{name}: {text!r} is no field; expected `type name`")
        kind, many = match["type"], match["many"]
        if kind not in PRIMITIVES:
            package, _, local = kind.rpartition("/")
            kind = kind if kind.count("/") == 2 else f"{package or name.partition('/')[0]}/msg/{local}"
            self.fields(kind)
        return TypeField(kind, _count(many), match["name"], int(match["longest"] or 0))


def _short(kind: str) -> str:
    """Return a type as files `.msg` name it: `geometry_msgs/Pose`."""
    return kind.replace("/msg/", "/")


def _field_line(field: TypeField) -> str:
    longest = f"<={field.longest}" if field.longest else ""
    many = "" if field.many is None else f"[{f'<={-field.many}' if field.many < 0 else field.many or ''}]"
    return f"{_short(field.type)}{longest}{many} {field.name}"


@cache
def dds_name(name: str) -> str:
    """Return a type's name as both middlewares write it: `geometry_msgs::msg::dds_::Twist_`."""
    package, kind, local = name.split("/")
    return f"{package}::{kind}::dds_::{local}_"


def ros2_name(name: str) -> str:
    """Return the name in ROS 2 of a message type that ROS 1 calls `geometry_msgs/Twist`."""
    package, _, local = name.partition("/")
    return name if "/" in local else f"{package}/msg/{local}"


def _count(many: str | None) -> int | None:
    if many is None:
        return None
    return -int(many[3:-1]) if "<=" in many else int(many[1:-1] or 0)


def _described_type(field: TypeField, nested: str) -> Mapping[str, Any]:
    code = _NESTED if nested else _CODES[field.type] + (_BOUNDED_TEXT if field.longest else 0)
    if field.many is not None:
        code += _SEQUENCE if field.many == 0 else _ARRAY if field.many > 0 else _BOUNDED
    return {
        "type_id": code,
        "capacity": abs(field.many or 0),
        "string_capacity": field.longest,
        "nested_type_name": nested,
    }
