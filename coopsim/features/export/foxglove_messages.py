"""Foxglove messages of a recording: transforms, scene, scans, logs. They need optional packages."""

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import NoSuchPlugin
from coopsim.geometry import ORIGIN, Pose, Vector3, within
from coopsim.interpreter import extra_command
from coopsim.scene.polygons import triangles
from coopsim.state import Layout, PlacedVisual

WORLD = "world"
_SHAFT = 2 / 3
"""Of the length of an arrow; the rest is its head."""


class Messages:
    """Makes messages.

    Raises:
        NoSuchPlugin: The packages are not installed.
    """

    def __init__(self) -> None:
        try:
            self._modules = {
                name: importlib.import_module(f"foxglove_schemas_protobuf.{name}_pb2")
                for name in ("FrameTransforms", "SceneUpdate", "LaserScan", "Log", "CompressedImage")
            }
            self.register: Any = importlib.import_module("mcap_protobuf.schema").register_schema
            self._timestamp: Any = importlib.import_module("google.protobuf.timestamp_pb2").Timestamp
        except ImportError:
            text = f"Foxglove's messages need packages that are not installed: {extra_command('foxglove')}"
            raise NoSuchPlugin(text).advise("") from None

    def kind(self, name: str) -> Any:
        """Return the class of a message by its name, `LaserScan`."""
        return getattr(self._modules[name], name)

    def transforms(self, names: Sequence[str], poses: NDArray[np.float32], time_ns: int) -> Any:
        """Return where bodies are in the world.

        Args:
            names: Of the bodies.
            poses: x y z, quaternion w x y z, shape (n, 7).
            time_ns: Date.
        """
        message, stamp = self.kind("FrameTransforms")(), self.stamp(time_ns)
        for name, (x, y, z, qw, qx, qy, qz) in zip(names, poses.tolist(), strict=True):
            transform = message.transforms.add(parent_frame_id=WORLD, child_frame_id=name)
            transform.timestamp.CopyFrom(stamp)
            transform.translation.x, transform.translation.y, transform.translation.z = x, y, z
            transform.rotation.x, transform.rotation.y, transform.rotation.z, transform.rotation.w = qx, qy, qz, qw
        return message

    def scene(self, layout: Layout, time_ns: int) -> Any:
        """Return all entities, in place of the earlier ones.

        Args:
            layout: Who is there.
            time_ns: Date.
        """
        message, stamp = self.kind("SceneUpdate")(), self.stamp(time_ns)
        # everything goes first, so that who was removed from the scene does not stay in the viewer
        deletion = message.deletions.add(type=1)  # all
        deletion.timestamp.CopyFrom(stamp)
        for row in layout.entities:
            own, visuals = row.pose if row.body < 0 else ORIGIN, row.drawn()
            for body in dict.fromkeys(visual.body for visual in visuals):
                name = row.body_name(body)
                entity = message.entities.add(id=name, frame_id=name if row.body >= 0 else WORLD, frame_locked=True)
                entity.timestamp.CopyFrom(stamp)
                for visual in visuals:
                    if visual.body == body:
                        _draw(entity, visual, within(own, visual.pose))
        return message

    def scan(self, frame: str, height: float, bearings: NDArray[Any], distances: Sequence[float], time_ns: int) -> Any:
        """Return the distances that a ring of sensors reads.

        Args:
            frame: The robot.
            height: Of the ring over the floor [m].
            bearings: Of the readings, from right to left [rad].
            distances: From the middle of the robot [m].
            time_ns: Date.
        """
        first, last = float(bearings[0]), float(bearings[-1])
        message = self.kind("LaserScan")(frame_id=frame, start_angle=first, end_angle=last, ranges=distances)
        message.timestamp.CopyFrom(self.stamp(time_ns))
        message.pose.position.z, message.pose.orientation.w = height, 1.0
        return message

    def image(self, frame: str, png: bytes, time_ns: int) -> Any:
        """Return an image that a robot took.

        Args:
            frame: The robot.
            png: The file.
            time_ns: Date.
        """
        message = self.kind("CompressedImage")(frame_id=frame, data=png, format="png")
        message.timestamp.CopyFrom(self.stamp(time_ns))
        return message

    def log(self, text: str, time_ns: int) -> Any:
        """Return what happened, in words."""
        message = self.kind("Log")(level=2, message=text, name="coopsim")  # 2 = information
        message.timestamp.CopyFrom(self.stamp(time_ns))
        return message

    def stamp(self, time_ns: int) -> Any:
        """Return a date as protobuf has it."""
        return self._timestamp(seconds=time_ns // 10**9, nanos=time_ns % 10**9)


def _draw(entity: Any, visual: PlacedVisual, pose: Pose) -> None:
    """Add a visual to an entity: a pose is that of the middle of its base, but primitives have a centre.

    A capsule is drawn as a cylinder and a mesh as its box.
    """
    length, width, height = visual.size
    centre = within(pose, (0.0, 0.0, 0.0 if visual.shape == "arrow" else height / 2, *ORIGIN[3:]))
    match visual.shape:
        case "arrow":
            body = entity.arrows.add(shaft_length=_SHAFT * length, head_length=(1.0 - _SHAFT) * length)
            body.shaft_diameter, body.head_diameter = width / 2, width
        case "sphere":
            body = entity.spheres.add()
        case "cylinder" | "capsule":
            body = entity.cylinders.add(top_scale=1.0, bottom_scale=1.0)
        case "cone":
            body = entity.cylinders.add(top_scale=0.0, bottom_scale=1.0)
        case "polygon":
            _draw_polygon(entity, visual, pose)
            return
        case _:
            body = entity.cubes.add()
    if visual.shape != "arrow":
        body.size.x, body.size.y, body.size.z = length, width, height
    _write_pose(body.pose, centre)
    _paint(body.color, visual.color)


def _draw_polygon(entity: Any, visual: PlacedVisual, pose: Pose) -> None:
    body, corners = entity.triangles.add(), visual.corners
    for x, y in corners:
        body.points.add(x=x, y=y, z=visual.size[2])
    body.indices.extend(number for three in triangles(corners) for number in three)
    _write_pose(body.pose, pose)
    _paint(body.color, visual.color)


def _write_pose(pose: Any, own: Pose) -> None:
    pose.position.x, pose.position.y, pose.position.z = own[:3]
    pose.orientation.w, pose.orientation.x, pose.orientation.y, pose.orientation.z = own[3:]


def _paint(color: Any, rgb: Vector3) -> None:
    color.r, color.g, color.b = rgb
    color.a = 1.0


def bearings(count: int, sector: float) -> NDArray[np.float64]:
    """Return the middles of the sectors of a ring of sensors, from right to left [rad].

    Args:
        count: How many.
        sector: Of all of them [degrees].
    """
    half = 0.5 * math.radians(sector)
    return np.linspace(-half, half, count) if count > 1 else np.zeros(1)
