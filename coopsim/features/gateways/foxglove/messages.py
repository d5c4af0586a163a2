"""Messages of the gateways' table as Foxglove's own: those of `coopsim export --mcap`, and JSON for all others."""

import importlib
import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from foxglove import Channel, Context, Schema

from coopsim.features.export.foxglove_messages import Messages
from coopsim.features.gateways.messages import Words

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.scene import SceneView

SCAN_TYPE: Final = "sensor_msgs/LaserScan"


class FoxgloveMessages:
    """Makes channels and messages.

    Raises:
        NoSuchPlugin: The packages that know Foxglove's messages are not installed.
    """

    def __init__(self) -> None:
        self._messages = Messages()
        self._describe: Any = importlib.import_module("mcap_protobuf.schema").build_file_descriptor_set
        self._sizes: dict[str, tuple[float, float, float]] = {}

    def channel(self, context: Context, topic: str, kind: str) -> Channel:
        """Return a channel: of a message of Foxglove by its name, else of JSON with the name of a type of ROS."""
        if "/" in kind and kind != SCAN_TYPE:
            text = json.dumps({"title": kind, "type": "object"}).encode()
            schema = Schema(name=kind, encoding="jsonschema", data=text)
            return Channel(topic, schema=schema, message_encoding="json", context=context)
        message = self._messages.kind("LaserScan" if kind == SCAN_TYPE else kind)
        data = self._describe(message).SerializeToString()
        schema = Schema(name=message.DESCRIPTOR.full_name, encoding="protobuf", data=data)
        return Channel(topic, schema=schema, message_encoding="protobuf", context=context)

    def scene(self, scene: "SceneView", time_ns: int) -> bytes:
        """Return all entities, in place of the earlier ones."""
        self._sizes = {entity.name: entity.size for entity in scene.entities}
        layout: Any = scene  # of a layout, entities alone are drawn
        return bytes(self._messages.scene(layout, time_ns).SerializeToString())

    def transforms(self, state: "State", time_ns: int) -> bytes:
        """Return where all bodies are."""
        poses = np.asarray(state.poses, np.float32)
        return bytes(self._messages.transforms(state.names, poses, time_ns).SerializeToString())

    def encoded(self, kind: str, words: Words, robot: str, time_ns: int) -> bytes:
        """Return a message of a robot."""
        if kind != SCAN_TYPE:
            return json.dumps(_finite(words)).encode()
        size = self._sizes.get(robot, (0.0, 0.0, 0.0))
        # sonars measure from the hull, and from 0 on; what a scanner measures begins at itself
        radius, reach = 0.5 * max(size[:2]) if words["range_min"] == 0.0 else 0.0, words["range_max"]
        distances = [radius + min(distance, reach) for distance in words["ranges"]]
        bearings = np.array([words["angle_min"], words["angle_max"]])
        return bytes(self._messages.scan(robot, 0.5 * size[2], bearings, distances, time_ns).SerializeToString())


def _finite(value: Any) -> Any:
    """Return a value as JSON can have it: what is not finite is null."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
