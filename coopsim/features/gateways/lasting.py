"""Topics whose message stays as it is until robots come or go: late readers get it, too ("latched").

Source: REP 103 (optical frames); tf2_ros (`/tf_static`); robot_state_publisher (`robot_description`).
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from coopsim.features.gateways import messages
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.urdf import BASE, frame_of, urdf
from coopsim.geometry import Vector3, quaternion
from coopsim.interfaces import Value

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView
    from coopsim.features.gateways.robots import RobotTopics

STATIC_TOPIC, STATIC_TYPE = "/tf_static", "tf2_msgs/TFMessage"
DESCRIPTION_TOPIC, DESCRIPTION_TYPE = "robot_description", "std_msgs/String"
_SENSORS: Final = frozenset({"sonars", "laser", "imu", "gps", "gnss"})
_OPTICAL: Final = quaternion(-0.5 * math.pi, 0.0, -0.5 * math.pi)
"""From a frame that looks along x to one that looks along z, as images have it."""


class LastingTopic(NamedTuple):
    """A topic with its message.

    Attributes:
        type: Of the message.
        message: As it is now.
    """

    type: str
    message: Words


def lasting_topics(topics: "RobotTopics", scene: "SceneView", state: "State") -> Mapping[str, LastingTopic]:
    """Return all lasting topics of the robots that are offered, by name."""
    robots = {entity.name: entity for entity in scene.entities if entity.kind == "robot"}
    offered = dict.fromkeys(topic.robot for topic in topics.offered.values())
    lasting: dict[str, LastingTopic] = {}
    transforms: list[Words] = []
    for robot in offered:
        entity = robots.get(robot)
        if entity is None:
            continue
        lasting[f"/{robot}/{DESCRIPTION_TOPIC}"] = LastingTopic(DESCRIPTION_TYPE, {"data": urdf(entity)})
        for name, facts in topics.modules.items():
            owner, module = name.split("/")[1:3]
            if owner == robot and facts.kind == "camera":
                transforms += _camera_frames(state, robot, module)
            elif owner == robot and facts.kind in _SENSORS:
                place = messages.pose((*_mounted(facts.kind, facts.parameters, entity.size[2]), 1.0, 0.0, 0.0, 0.0))
                transforms.append(messages.transform(state.time, frame_of(robot, ""), f"{robot}/{module}", place))
    return {STATIC_TOPIC: LastingTopic(STATIC_TYPE, {"transforms": transforms}), **lasting}


def _mounted(kind: str, parameters: Mapping[str, Value], height: float) -> Vector3:
    """Return where a sensor sits on a robot of a height; rings of rays lie half way up where nothing else is said."""
    x, y = (float(parameters.get(axis, 0.0)) for axis in "xy")
    own = float(parameters.get("height", 0.0))
    return x, y, own or (0.5 * height if kind in ("sonars", "laser") else 0.0)


def _camera_frames(state: "State", robot: str, module: str) -> list[Words]:
    """Return the frames of a lens: one that looks along x, and the optical one, which looks along z."""
    lens = getattr(state.readings[robot], module)
    turn = quaternion(0.0, -float(lens.elevation), float(lens.azimuth))
    frame, base = f"{robot}/{module}", f"{robot}/{BASE}"
    place = messages.pose((float(lens.x), float(lens.y), float(lens.z), *turn))
    optical = messages.pose((0.0, 0.0, 0.0, *_OPTICAL))
    return [
        messages.transform(state.time, base, frame, place),
        messages.transform(state.time, frame, f"{frame}_optical", optical),
    ]
