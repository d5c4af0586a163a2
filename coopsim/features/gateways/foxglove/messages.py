"""Messages of the gateways' table for Foxglove: those of `coopsim export --mcap`, and types of ROS 2 for all others."""

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from foxglove import Channel, Context, Schema
from foxglove.websocket import ConnectionGraph

from coopsim.features.export.foxglove_messages import Messages
from coopsim.features.gateways.foxglove.trails import RobotTrails
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.ros2.types import ros2_name
from coopsim.geometry import Vector3

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

SCAN_TYPE: Final = "sensor_msgs/LaserScan"
GATEWAY: Final = "coopsim"
"""Who publishes what belongs to no robot, and offers the services."""
Ends = Mapping[str, Iterable[str]]
"""Programs by topic."""


class FoxgloveMessages:
    """Makes channels and messages.

    Raises:
        NoSuchPlugin: The packages that know Foxglove's messages are not installed.
    """

    def __init__(self) -> None:
        self._messages = Messages()
        self._describe: Any = importlib.import_module("mcap_protobuf.schema").build_file_descriptor_set
        self._types = all_types()
        self._cdr = CdrCodec(self._types)
        self._sizes: dict[str, tuple[float, float, float]] = {}
        self._colors: dict[str, Vector3] = {}
        self._trails = RobotTrails()

    def channel(self, context: Context, topic: str, kind: str) -> Channel:
        """Return a channel: of a message of Foxglove by its name, else of a type of ROS 2 with its definition."""
        if "/" in kind and kind != SCAN_TYPE:
            name = ros2_name(kind)
            schema = Schema(name=name, encoding="ros2msg", data=self._types.text(name).encode())
            return Channel(topic, schema=schema, message_encoding="cdr", context=context)
        message = self._messages.kind("LaserScan" if kind == SCAN_TYPE else kind)
        data = self._describe(message).SerializeToString()
        schema = Schema(name=message.DESCRIPTOR.full_name, encoding="protobuf", data=data)
        return Channel(topic, schema=schema, message_encoding="protobuf", context=context)

    def scene(self, scene: "SceneView", time_ns: int) -> bytes:
        """Return all entities, in place of the earlier ones."""
        self.note_looks(scene)
        layout: Any = scene  # of a layout, entities alone are drawn
        return bytes(self._messages.scene(layout, time_ns).SerializeToString())

    def note_looks(self, scene: "SceneView") -> None:
        """Learn sizes and colours of all entities."""
        self._sizes = {entity.name: entity.size for entity in scene.entities}
        self._colors = {entity.name: entity.color for entity in scene.entities if entity.kind == "robot"}

    def follow(self, state: "State") -> None:
        """Go on with the trails of robots that are there."""
        self._trails.add(state, {robot: color for robot, color in self._colors.items() if robot in state.names})

    def trails(self, time_ns: int) -> bytes:
        """Return where robots came along."""
        return bytes(self._trails.message(self._messages, self._colors, time_ns).SerializeToString())

    def transforms(self, state: "State", frames: Iterable[Words], time_ns: int) -> bytes:
        """Return where all bodies are, and the frames of robots as ROS names them."""
        poses = np.asarray(state.poses, np.float32)
        message = self._messages.transforms(state.names, poses, time_ns)
        stamp = self._messages.stamp(time_ns)
        for words in frames:
            added = message.transforms.add(
                parent_frame_id=words["header"]["frame_id"], child_frame_id=words["child_frame_id"]
            )
            added.timestamp.CopyFrom(stamp)
            for part in ("translation", "rotation"):
                for axis, value in words["transform"][part].items():
                    setattr(getattr(added, part), axis, value)
        return bytes(message.SerializeToString())

    def encoded(self, kind: str, words: Words, robot: str, time_ns: int) -> bytes:
        """Return a message of a robot."""
        if kind != SCAN_TYPE:
            return self._cdr.encoded(ros2_name(kind), words)
        size = self._sizes.get(robot, (0.0, 0.0, 0.0))
        # sonars measure from the hull, and from 0 on; what a scanner measures begins at itself
        radius, reach = 0.5 * max(size[:2]) if words["range_min"] == 0.0 else 0.0, words["range_max"]
        distances = [radius + min(distance, reach) for distance in words["ranges"]]
        bearings = np.array([words["angle_min"], words["angle_max"]])
        return bytes(self._messages.scan(robot, 0.5 * size[2], bearings, distances, time_ns).SerializeToString())


def connection_graph(
    published: Iterable[str], taken: Mapping[str, str], readers: Ends, writers: Ends
) -> ConnectionGraph:
    """Return the graph.

    Args:
        published: Topics of the gateway.
        taken: Robots by the topics that command them.
        readers: Programs that read, by topic.
        writers: Programs that command, by topic.
    """
    graph = ConnectionGraph()
    owners = {topic: owner_of(topic) for topic in published}
    for topic in {*owners, *writers}:
        graph.set_published_topic(
            topic, sorted({*writers.get(topic, ()), *([owners[topic]] if topic in owners else [])})
        )
    for topic in {*taken, *readers}:
        graph.set_subscribed_topic(
            topic, sorted({*readers.get(topic, ()), *([taken[topic]] if topic in taken else [])})
        )
    return graph


def owner_of(topic: str) -> str:
    """Return whose a topic is: a robot's, `/robot1/scan`, or the gateway's, `/clock`."""
    parts = topic.split("/")
    return parts[1] if len(parts) > 2 else GATEWAY
