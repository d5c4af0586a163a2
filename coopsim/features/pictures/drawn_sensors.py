"""Sensors of robots that can be drawn, as their modules describe themselves."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from coopsim.features.pictures.lights import FIELDS, LAMP
from coopsim.features.sensors.laser_interface import LASER
from coopsim.geometry import Floats
from coopsim.interfaces import BUMPERS, Interface, Value

_FLAT = ("distance", "angle", "seen")
_RAISED = ("distance", "angle", "height", "seen")
"""Columns of tables of what is seen; those of plugins that name theirs so are drawn, too."""
HALVES: Final[Mapping[str, float]] = {"front": 0.0, "rear": math.pi}
"""Readings of bumpers, whether a half of the hull is touched, with the direction of each [rad]."""


@dataclass(frozen=True, slots=True)
class RangeRing:
    """A device that measures distances in several directions, from the hull or from where it is mounted.

    Attributes:
        module: Of the robot.
        field: Reading with the distances.
        bearings: Their directions in the frame of the robot, from right to left [rad].
        elevations: How far they point up [rad].
        reach: Largest distance that is reported [m].
        height: Above the base [m]; 0 = half way up.
        mount: Where the rays begin, forward and to the left of the middle [m]; None = at the hull.
    """

    module: str
    field: str
    bearings: Floats
    elevations: Floats
    reach: float
    height: float
    mount: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class SightingTable:
    """A reading that says where things are.

    Attributes:
        module: Of the robot.
        field: Reading with the rows.
        columns: Numbers of each row: distance, angle, where it is told the height, and whether something is seen.
    """

    module: str
    field: str
    columns: int

    @property
    def is_raised(self) -> bool:
        """Whether rows tell heights."""
        return self.columns == len(_RAISED)


@dataclass(frozen=True, slots=True)
class DrawnSensors:
    """Sensors of a robot type that can be drawn.

    Attributes:
        sightings: Tables of what is seen.
        bumpers: Modules that tell where the hull is touched.
        lamps: Modules that shine.
    """

    rings: tuple[RangeRing, ...] = ()
    sightings: tuple[SightingTable, ...] = ()
    bumpers: tuple[str, ...] = ()
    lamps: tuple[str, ...] = ()


def drawn_sensors(modules: Mapping[str, Interface], value: Callable[[str, str], Value]) -> DrawnSensors:
    """Return what can be drawn of a robot.

    Args:
        modules: How its modules describe themselves, by their names in the robot.
        value: Returns the value of a parameter by module and name.
    """
    rings = [_ring(name, interface, value) for name, interface in modules.items()]
    tables = [
        SightingTable(name, field.name, len(field.columns))
        for name, interface in modules.items()
        for field in interface.readings
        if field.columns in (_FLAT, _RAISED)
    ]
    bumpers, lamps = (
        tuple(name for name, interface in modules.items() if interface.kind == kind and _reads(interface, fields))
        for kind, fields in ((BUMPERS.kind, HALVES), (LAMP, FIELDS))
    )
    return DrawnSensors(tuple(ring for ring in rings if ring is not None), tuple(tables), bumpers, lamps)


def _reads(interface: Interface, fields: Iterable[str]) -> bool:
    """Return whether a module has all these readings, which one of a file may lack."""
    return {*fields} <= {field.name for field in interface.readings}


def _ring(module: str, interface: Interface, value: Callable[[str, str], Value]) -> RangeRing | None:
    """Return the ring of a module whose parameters give a number of sensors over a sector, None if it has none."""
    names = {parameter.name for parameter in interface.parameters}
    fields = [field for field in interface.readings if field.unit == "m"]
    if not {"count", "sector"} <= names or not fields:
        return None
    count, half = int(value(module, "count")), 0.5 * math.radians(float(value(module, "sector")))
    bearings = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
    reach = float(value(module, "reach")) if "reach" in names else math.inf
    height = float(value(module, "height")) if "height" in names else 0.0
    raised = np.radians(np.array(str(value(module, "elevation")).split() if "elevation" in names else ["0"], float))
    if interface.kind != LASER.kind:
        return RangeRing(module, fields[0].name, bearings, np.broadcast_to(raised, bearings.shape), reach, height)
    x, y, yaw = (float(value(module, name)) for name in ("x", "y", "yaw"))
    layers = int(value(module, "layers"))
    bearings, raised = np.tile(bearings + math.radians(yaw), layers), np.broadcast_to(raised, layers)
    return RangeRing(module, fields[0].name, bearings, np.repeat(raised, count), reach, height, (x, y))
