"""Robots on the page of an exported recording: their readings and the directions of their rays."""

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.features.pictures.lights import LAMP
from coopsim.features.sensors.laser_interface import LASER
from coopsim.interfaces import Command
from coopsim.replay.columns import field_names
from coopsim.robots import RobotBlueprint, complete_settings
from coopsim.scene import by_name
from coopsim.state import Layout, ModuleLayout, RobotPlace
from coopsim.state.layout import NUMBER, VALUES

DIGITS = 6  # a microradian; more only makes a page larger


@dataclass(frozen=True, slots=True)
class LayoutPictures:
    """Pictures of one layout, n of them.

    Attributes:
        times: Shape (n,) [s].
        ticks: Shape (n,).
        poses: Shape (n, bodies, 7).
        readings: Shape (n, readings).
        commands: Shape (n, commands).
    """

    layout: Layout
    times: NDArray[np.float64]
    ticks: NDArray[np.float64]
    poses: NDArray[np.float32]
    readings: NDArray[np.float32]
    commands: NDArray[np.float64]


@dataclass
class _RobotPictures:
    """A robot's readings, picture by picture."""

    place: RobotPlace
    width: int
    rows: list[NDArray[np.float32]] = field(default_factory=list)
    pictures: int = 0

    def fill(self, pictures: int) -> None:
        """Fill the pictures in which it is missing with nothing."""
        if pictures > self.pictures:
            self.rows.append(np.full((pictures - self.pictures, self.width), np.nan, np.float32))
            self.pictures = pictures

    def add(self, rows: NDArray[np.float32]) -> None:
        """Add pictures; those of another type of the same name are left out."""
        if rows.shape[1] == self.width:
            self.rows.append(rows)
            self.pictures += len(rows)


def robots_data(
    parts: Sequence[LayoutPictures], types: Mapping[str, RobotBlueprint], *, with_readings: bool
) -> list[dict[str, Any]]:
    """Return what the page knows of each robot, in the order of names.

    Args:
        parts: All pictures.
        types: Robot types as far as they are known.
        with_readings: Whether the values themselves are in it.
    """
    pictures: dict[str, _RobotPictures] = {}
    begin = 0
    for part in parts:
        for place in part.layout.robots:
            commanded = _commanded(place, part.commands)
            robot = pictures.setdefault(
                place.name, _RobotPictures(place, place.type.reading_width + commanded.shape[1])
            )
            robot.fill(begin)
            offset = place.reading_offset
            robot.add(np.hstack([part.readings[:, offset : offset + place.type.reading_width], commanded]))
        begin += len(part.times)
    for robot in pictures.values():
        robot.fill(begin)
    ordered = [pictures[name] for name in sorted(pictures, key=by_name)]
    return [_data(picture, types.get(picture.place.type.name), with_readings=with_readings) for picture in ordered]


def packed(array: NDArray[Any], kind: str) -> str:
    """Return the little-endian bytes of an array as base64.

    Args:
        array: Any shape.
        kind: `<f4` or `<f8`.
    """
    return base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode()


def _data(robot: _RobotPictures, blueprint: RobotBlueprint | None, *, with_readings: bool) -> dict[str, Any]:
    readings = []
    for module in robot.place.type.modules:
        for reading in module.interface.readings:
            labels = [name.removeprefix(reading.name) or reading.name for name in field_names(reading, module)]
            facts = {"unit": reading.unit, "column": module.columns(reading)[0], "labels": labels}
            readings.append({"name": f"{module.name}.{reading.name}", **facts})
    readings += _command_readings(robot.place)
    lamps = [module.reading_offset for module in robot.place.type.modules if module.interface.kind == LAMP]
    return {
        "name": robot.place.name,
        "width": robot.width,
        "readings": readings,
        "table": packed(np.concatenate(robot.rows), "<f4") if with_readings else "",
        "rays": _rays(robot.place, blueprint),
        **({"lamp": lamps[0]} if lamps else {}),
    }


def _settings(place: RobotPlace) -> list[tuple[ModuleLayout, Command]]:
    """Return the modules that take commands, each with the one that a step sends."""
    commanded = ((module, module.interface.setting) for module in place.type.modules if module.command_offset >= 0)
    return [(module, setting) for module, setting in commanded if setting is not None and setting.takes]


def _command_readings(place: RobotPlace) -> list[dict[str, Any]]:
    """Return the commands in the form of readings: a reading for each unit; the columns follow those of readings."""
    column, columns = place.type.reading_width, []
    for module, setting in _settings(place):
        for take in setting.takes:
            name = f"{module.name}.{setting.name} {take.name}"
            columns.append({"name": name, "unit": take.unit, "column": column, "labels": [take.name]})
            column += 1
    return columns


def _commanded(place: RobotPlace, commands: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return what was commanded, NaN before the first command and while another one was in force."""
    columns = [np.empty((len(commands), 0), np.float32)]
    for module, setting in _settings(place):
        begin = place.command_offset + module.command_offset
        values = commands[:, begin + VALUES : begin + VALUES + len(setting.takes)]
        is_this = commands[:, begin + NUMBER] == setting.number
        columns.append(np.where(is_this[:, np.newaxis], values, np.nan).astype(np.float32))
    return np.hstack(columns)


def _rays(place: RobotPlace, blueprint: RobotBlueprint | None) -> dict[str, Any] | None:
    """Return where the rays of a robot's sonars or laser scanner lie, None if that is not known."""
    devices = blueprint.devices if blueprint else ()
    device = next((device for device in devices if device.kind in ("sonars", LASER.kind)), None)
    module = place.type.module(device.name) if device else None
    if blueprint is None or device is None or module is None:
        return None
    settings = complete_settings(device)
    count, half = int(settings["count"]), math.radians(float(settings["sector"])) / 2
    bearings = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
    is_laser = device.kind == LASER.kind
    if is_laser:
        bearings = bearings + math.radians(float(settings["yaw"]))
    return {
        "column": module.columns(module.interface.readings[0])[0],
        "bearings": [round(bearing, DIGITS) for bearing in bearings.tolist()],
        "radius": 0.0 if is_laser else 0.5 * max(blueprint.size[:2]),
        "mount": [float(settings["x"]), float(settings["y"])] if is_laser else [0.0, 0.0],
        "reach": float(settings["reach"]),
    }
