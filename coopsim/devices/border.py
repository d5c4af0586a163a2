"""Border sensors: infrared light on the floor ahead tells water and the end of where robots may be.

Source: swarm gaming, section 4.4, table 1.
"""

import math
from typing import Any, TypeAlias

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import BORDER, columns
from coopsim.kernels import compiled
from coopsim.kernels.polygons import is_inside, packed
from coopsim.kernels.sequence import KernelCall

_COLUMN = columns(BORDER)
_KINDS = ("water", "border")
_WATER, _BORDER = range(2)

Floor: TypeAlias = tuple[Ints, Ints, Floats]
"""Kind of each area, where its corners begin, and all corners, shape (n, 2) [m]."""


class Border(Sampled):
    """Whether the floor straight ahead, and ahead to both sides, is water or outside of every border."""

    interface = BORDER

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=3)
        self._hull = context.radius
        self._areas: tuple[tuple[str, tuple[float, ...]], ...] = ()
        self._pack(())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write front, left and right, 1 or 0, shape (k, 3)."""
        if world.areas != self._areas:
            self._pack(world.areas)
        if rows is None:
            _look(*self._looking(world, out))
            return
        table = np.ascontiguousarray(self.table[:, rows])
        _look(world.bodies.planar, self.rows[rows], self._hull, table, self._floor, out)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls:
        """Return what `measure` of all rows comes to."""
        if world.areas != self._areas:
            self._pack(world.areas)
        return DeviceCalls((KernelCall(_look, self._looking(world, out)),), (self,))

    def _looking(self, world: SensingWorld, out: Floats) -> tuple[Any, ...]:
        return world.bodies.planar, self.rows, self._hull, self.table, self._floor, out

    def _pack(self, areas: tuple[tuple[str, tuple[float, ...]], ...]) -> None:
        """Put the corners of what counts one after the other."""
        self._areas = areas
        found = [each for each in areas if each[0] in _KINDS]
        kinds = np.array([_KINDS.index(kind) for kind, _ in found], np.int64)
        corners, starts = packed([np.array(each, np.float64).reshape(-1, 2) for _, each in found])
        self._floor = kinds, starts, corners


@compiled
def _look(planar: Floats, rows: Ints, hull: float, table: Floats, floor: Floor, out: Floats) -> None:
    """Write whether each of the three points that a robot looks at is where it must not go."""
    for i in range(rows.size):
        pose, away, angle = planar[rows[i]], hull + table[_COLUMN.reach, i], table[_COLUMN.angle, i]
        for k in range(3):
            bearing = pose[2] + (0.0 if k == 0 else (angle if k == 1 else -angle))
            x, y = pose[0] + away * math.cos(bearing), pose[1] + away * math.sin(bearing)
            out[i, k] = 1.0 if _is_barred(x, y, table[_COLUMN.swims, i] > 0.0, floor) else 0.0


@compiled
def _is_barred(x: float, y: float, swims: bool, floor: Floor) -> bool:
    """Return whether a point is in water, for those that do not swim, or outside of every border."""
    kinds, starts, corners = floor
    is_bordered, is_within, is_water = False, False, False
    for area in range(kinds.size):
        is_bordered = is_bordered or kinds[area] == _BORDER
        if (kinds[area] == _BORDER and is_within) or (kinds[area] == _WATER and (is_water or swims)):
            continue
        if is_inside(x, y, corners, starts[area], starts[area + 1]):
            is_within = is_within or kinds[area] == _BORDER
            is_water = is_water or kinds[area] == _WATER
    return is_water or (is_bordered and not is_within)
