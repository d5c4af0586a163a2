"""A recording as an MCAP file of Foxglove's own messages, which Foxglove, Rerun and PlotJuggler show."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import Writer as McapWriter
from numpy.typing import NDArray

from coopsim.features.export.foxglove_messages import Messages, bearings
from coopsim.features.export.tables import Thinning
from coopsim.features.sensors.laser_interface import LASER
from coopsim.recording import RecordBlock, Recording
from coopsim.recording.writer import since_ns
from coopsim.replay.run_json import robot_types
from coopsim.robots import RobotBlueprint
from coopsim.state import Layout, ModuleLayout, RobotPlace

LIBRARY = "coopsim-foxglove 1"
_IMAGE_TOPICS = {"color": "image", "depth": "depth"}


@dataclass(frozen=True, slots=True)
class _Ring:
    """A ring of distance sensors.

    Attributes:
        columns: Of its distances among the readings of all robots.
        radius: What the distances are measured from: the hull [m].
    """

    topic: str
    robot: str
    columns: slice
    bearings: NDArray[np.float64]
    radius: float
    height: float


@dataclass(frozen=True, slots=True)
class _JsonModule:
    """A module whose readings are written as JSON.

    Attributes:
        fields: Name, unit, first column and number of columns of each reading; 0 = a plain number.
    """

    topic: str
    fields: tuple[tuple[str, str, int, int], ...]


def export_foxglove(
    recording: Recording, path: str | Path, rate: float | None = None, pulse: Callable[[], None] = lambda: None
) -> int:
    """Write the file; return how many messages it has.

    Args:
        recording: Complete or cut off.
        path: An older file is overwritten.
        rate: Largest number of messages of each channel per simulated second; None = all.
        pulse: Called for each record, as a sign of life.

    Raises:
        NoSuchPlugin: The packages that know Foxglove's messages are not installed.
        DamagedRecording: A chunk or a layout is damaged.
        OSError: The file cannot be written.
    """
    messages = Messages()
    with Path(path).open("wb") as file:
        film = _FoxgloveWriter(recording, messages, McapWriter(file), pulse)
        film.thin_images(rate)
        thinning = Thinning(rate)
        for _, block in recording.blocks():
            film.add(recording.layout(block.generation), block, thinning.rows(block).tolist())
        return film.close()


class _FoxgloveWriter:
    """The file while it grows."""

    def __init__(self, recording: Recording, messages: Messages, writer: Any, pulse: Callable[[], None]) -> None:
        self._messages, self._writer, self._pulse = messages, writer, pulse
        self._types = robot_types(recording)
        self._began_ns, self._since_ns = recording.began_ns, since_ns(recording.metadata)
        self._channels: dict[str, int] = {}
        self._layout: Layout | None = None
        self._rings: list[_Ring] = []
        self._modules: list[_JsonModule] = []
        self._count = 0
        self._recording = recording
        self._period_ns = 0
        self._due = dict.fromkeys(recording.images.places, 0)
        writer.start("", LIBRARY)
        writer.add_metadata("coopsim", {name: json.dumps(value) for name, value in recording.metadata.items()})

    def thin_images(self, rate: float | None) -> None:
        """Write fewer images: at most so many of each camera per simulated second."""
        self._period_ns = round(1e9 / rate) if rate else 0

    def add(self, layout: Layout, block: RecordBlock, rows: list[int]) -> None:
        """Write some rows of a block, and everything that happened in it."""
        # the scene comes before the first transforms that name its bodies
        if layout != self._layout:
            self._begin(layout, int(block.positions_ns[0]), int(block.head("wall_ns")[0]))
        chosen = set(rows)
        for row in range(len(block)):
            self._pulse()
            position, wall = int(block.positions_ns[row]), int(block.head("wall_ns")[row])
            for applied in block.edits.get(row, ()):
                self._write("/events", self._messages.log(applied.as_text(), self._began_ns + position), position, wall)
            self._show_images(int(block.head("tick")[row]), position, wall)
            if row in chosen:
                self._show(block, row, position, wall)

    def close(self) -> int:
        """Finish the file; return how many messages it has."""
        self._writer.finish()
        return self._count

    def _begin(self, layout: Layout, position: int, wall: int) -> None:
        self._layout = layout
        self._rings = [ring for place in layout.robots for ring in _rings(place, self._types.get(place.type.name))]
        self._modules = [_module(place, module) for place in layout.robots for module in place.type.modules]
        self._write("/scene", self._messages.scene(layout, self._began_ns + position), position, wall)

    def _show(self, block: RecordBlock, row: int, position: int, wall: int) -> None:
        date, messages, layout = self._began_ns + position, self._messages, self._layout
        if layout is not None and layout.bodies:
            self._write("/tf", messages.transforms(layout.bodies, block.poses[row], date), position, wall)
        # JSON knows no NaN
        readings = np.nan_to_num(block.readings[row], nan=0.0)
        for ring in self._rings:
            distances = (readings[ring.columns] + ring.radius).tolist()
            scan = messages.scan(ring.robot, ring.height, ring.bearings, distances, date)
            self._write(ring.topic, scan, position, wall)
        for module in self._modules:
            self._write_json(module, readings, position, wall)

    def _show_images(self, tick: int, position: int, wall: int) -> None:
        """Write the images that the recording has of a tick."""
        for stream, due in self._due.items():
            image = self._recording.image(stream, tick) if position >= due else None
            if image is not None:
                self._due[stream] = position + self._period_ns
                topic = f"/{stream.robot}/{stream.camera}/{_IMAGE_TOPICS[stream.kind]}"
                self._write(
                    topic, self._messages.image(stream.robot, image.png, self._began_ns + position), position, wall
                )

    def _write(self, topic: str, message: Any, position: int, wall: int) -> None:
        if topic not in self._channels:
            schema = self._messages.register(self._writer, type(message))
            self._channels[topic] = self._writer.register_channel(topic, "protobuf", schema)
        self._add(topic, message.SerializeToString(), position, wall)

    def _write_json(self, module: _JsonModule, readings: NDArray[np.float32], position: int, wall: int) -> None:
        if not module.fields:
            return
        if module.topic not in self._channels:
            # a schema for each module: its fields differ, and readers of the file know them by it alone
            schema = self._writer.register_schema(module.topic, "jsonschema", _schema(module))
            self._channels[module.topic] = self._writer.register_channel(module.topic, "json", schema)
        values = {
            name: readings[first : first + count].tolist() if count else float(readings[first])
            for name, _, first, count in module.fields
        }
        self._add(module.topic, json.dumps(values).encode(), position, wall)

    def _add(self, topic: str, data: bytes, position: int, wall: int) -> None:
        log_time = self._began_ns + position
        self._writer.add_message(self._channels[topic], log_time, data, max(0, wall + self._since_ns))
        self._count += 1


def _rings(place: RobotPlace, blueprint: RobotBlueprint | None) -> list[_Ring]:
    """Return the rings of a robot: devices whose parameters give a number of sensors over a sector."""
    channels = []
    for device in blueprint.devices if blueprint else ():
        module, settings = place.type.module(device.name), device.settings
        if module is None or not {"count", "sector"} <= settings.keys():
            continue
        count, sector = settings["count"], settings["sector"]
        distances = [
            reading
            for reading in module.interface.readings
            if reading.unit == "m" and module.columns(reading)[1] == count
        ]
        if blueprint is None or not distances or not isinstance(count, int) or isinstance(sector, str):
            continue
        first = place.reading_offset + module.columns(distances[0])[0]
        angles, radius = bearings(count, float(sector)), 0.5 * max(blueprint.size[:2])
        if device.kind == LASER.kind:
            angles, radius = angles + math.radians(float(settings["yaw"])), 0.0
        height = 0.5 * blueprint.size[2]
        topic = f"/{place.name}/{device.name}/scan"
        channels.append(_Ring(topic, place.name, slice(first, first + count), angles, radius, height))
    return channels


def _module(place: RobotPlace, module: ModuleLayout) -> _JsonModule:
    fields = []
    for reading in module.interface.readings:
        first, count = module.columns(reading)
        fields.append((reading.name, reading.unit, place.reading_offset + first, 0 if reading.count == 1 else count))
    return _JsonModule(f"/{place.name}/{module.name}", tuple(fields))


def _schema(module: _JsonModule) -> bytes:
    number: dict[str, Any] = {"type": "number"}
    properties = {
        name: {**(number if not count else {"type": "array", "items": number}), "description": f"[{unit}]"}
        for name, unit, _, count in module.fields
    }
    return json.dumps({"title": module.topic, "type": "object", "properties": properties}).encode()
