"""Border sensors: infrared light on the floor ahead tells water and the end of where robots may be.

Source: swarm gaming, section 4.4, table 1.
"""

import math
from typing import TypeAlias

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext
from coopsim.devices.sampled import Sampled
from coopsim.features.games.interfaces.games import BORDER
from coopsim.features.games.polygons import is_inside, packed
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_COLUMN = columns(BORDER)
_KINDS = ("water", "border")
_WATER, _BORDER = range(2)
_BEHIND = 1e-6
"""Of the length of a light: what it comes to is looked at so far behind the edge that it crosses."""

Floor: TypeAlias = tuple[Ints, Ints, Floats]
"""Kind of each area, where its corners begin, and all corners, shape (n, 2) [m]."""


class Border(Sampled):
    """Sensor of water, or of the outside of every border, straight ahead and to both sides.

    Each light sweeps the floor from the robot's middle to its reach, so that no tip of a lake is too thin for it. A
    robot that is in water itself sees what it comes to, and so finds out again.
    """

    interface = BORDER

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=3)
        self._hull = context.radius
        self._areas: tuple[tuple[str, tuple[float, ...]], ...] = ()
        self._pack(())

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls:
        """Return what writes front, left and right, 1 or 0, shape (n, 3)."""
        if world.areas != self._areas:
            self._pack(world.areas)
        looking = world.bodies.planar, self.rows, self._hull, self.table, self._floor, out
        return DeviceCalls((KernelCall(_detect_border, looking),), (self,))

    def _pack(self, areas: tuple[tuple[str, tuple[float, ...]], ...]) -> None:
        """Put the corners of what counts one after the other."""
        self._areas = areas
        borders = [area for area in areas if area[0] in _KINDS]
        kinds = np.array([_KINDS.index(kind) for kind, _ in borders], np.int64)
        corners, starts = packed(
            [np.array(corners_of_area, np.float64).reshape(-1, 2) for _, corners_of_area in borders]
        )
        self._floor = kinds, starts, corners


@compiled
def _detect_border(planar: Floats, rows: Ints, hull: float, table: Floats, floor: Floor, out: Floats) -> None:
    """Write whether each of the three lights of a robot falls on a place where it must not go."""
    for i in range(rows.size):
        pose, away, angle = planar[rows[i]], hull + table[_COLUMN.reach, i], table[_COLUMN.angle, i]
        swims = table[_COLUMN.swims, i] > 0.0
        if not _is_near_edges(pose[0], pose[1], away, swims, floor):
            out[i, :] = 1.0 if _is_barred(pose[0], pose[1], swims, floor) else 0.0
            continue
        for k in range(3):
            bearing = pose[2] + (0.0 if k == 0 else (angle if k == 1 else -angle))
            x, y = pose[0] + away * math.cos(bearing), pose[1] + away * math.sin(bearing)
            is_seen = _is_barred(x, y, swims, floor) or _sweeps((pose[0], pose[1], x, y), swims, floor)
            out[i, k] = 1.0 if is_seen else 0.0


@compiled
def _is_near_edges(x: float, y: float, away: float, swims: bool, floor: Floor) -> bool:
    """Return whether the box around an edge is so near; without, all lights see what is under the robot."""
    kinds, starts, corners = floor
    for area in range(kinds.size):
        if kinds[area] == _WATER and swims:
            continue
        before = starts[area + 1] - 1
        for at in range(starts[area], starts[area + 1]):
            x0, y0, x1, y1 = corners[before, 0], corners[before, 1], corners[at, 0], corners[at, 1]
            before = at
            if min(x0, x1) - away <= x <= max(x0, x1) + away and min(y0, y1) - away <= y <= max(y0, y1) + away:
                return True
    return False


@compiled
def _sweeps(line: tuple[float, float, float, float], swims: bool, floor: Floor) -> bool:
    """Return whether a line comes to a place where a robot must not go: just behind each edge that it crosses."""
    kinds, starts, corners = floor
    x, y, dx, dy = line[0], line[1], line[2] - line[0], line[3] - line[1]
    for area in range(kinds.size):
        if kinds[area] == _WATER and swims:
            continue
        before = starts[area + 1] - 1
        for at in range(starts[area], starts[area + 1]):
            u, v = corners[before, 0] - x, corners[before, 1] - y
            ex, ey = corners[at, 0] - corners[before, 0], corners[at, 1] - corners[before, 1]
            before = at
            side, across = dx * v - dy * u, dx * ey - dy * ex
            if across == 0.0 or side * (side + across) > 0.0:
                continue  # it lies along the line, or on one side of it
            share = (u * ey - v * ex) / across
            behind = share + _BEHIND
            if 0.0 <= share <= 1.0 and _is_barred(x + behind * dx, y + behind * dy, swims, floor):
                return True
    return False


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
