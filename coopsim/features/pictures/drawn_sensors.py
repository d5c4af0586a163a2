"""Sensors of robots that can be drawn, as their modules describe themselves."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import BUMPERS, Interface, Value

_SIGHTING = ("distance", "angle", "seen")


@dataclass(frozen=True, slots=True)
class RangeRing:
    """A device that measures distances from the hull in several directions.

    Attributes:
        module: Of the robot.
        field: Reading with the distances.
        bearings: Their directions in the frame of the robot, from right to left [rad].
        elevations: How far they point up [rad].
        reach: Largest distance that is reported [m].
        height: Above the base [m]; 0 = half way up.
    """

    module: str
    field: str
    bearings: Floats
    elevations: Floats
    reach: float
    height: float


@dataclass(frozen=True, slots=True)
class DrawnSensors:
    """What can be drawn of the sensors of a robot type.

    Attributes:
        sightings: Module and field of tables of distance, angle and whether something is seen.
        bumpers: Modules that tell where the hull is touched.
    """

    rings: tuple[RangeRing, ...] = ()
    sightings: tuple[tuple[str, str], ...] = ()
    bumpers: tuple[str, ...] = ()


def drawn_sensors(modules: Mapping[str, Interface], value: Callable[[str, str], Value]) -> DrawnSensors:
    """Return what can be drawn of a robot.

    Args:
        modules: How its modules describe themselves, by their names in the robot.
        value: Returns the value of a parameter by module and name.
    """
    rings = [_ring(name, interface, value) for name, interface in modules.items()]
    tables = [
        (name, field.name)
        for name, interface in modules.items()
        for command in interface.commands
        for field in command.gives
        if field.columns == _SIGHTING
    ]
    bumpers = tuple(name for name, interface in modules.items() if interface.kind == BUMPERS.kind)
    return DrawnSensors(tuple(ring for ring in rings if ring is not None), tuple(tables), bumpers)


def _ring(module: str, interface: Interface, value: Callable[[str, str], Value]) -> RangeRing | None:
    """Return the ring of a module whose parameters give a number of sensors over a sector, None if it has none."""
    names = {parameter.name for parameter in interface.parameters}
    fields = [field for command in interface.commands for field in command.gives if field.unit == "m"]
    if not {"count", "sector"} <= names or not fields:
        return None
    count, half = int(value(module, "count")), 0.5 * math.radians(float(value(module, "sector")))
    bearings = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
    reach = float(value(module, "reach")) if "reach" in names else math.inf
    height = float(value(module, "height")) if "height" in names else 0.0
    raised = str(value(module, "elevation")).split() if "elevation" in names else ["0"]
    elevations = np.radians(np.broadcast_to(np.array(raised, float), bearings.shape))
    return RangeRing(module, fields[0].name, bearings, elevations, reach, height)
