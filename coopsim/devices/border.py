"""Border sensors: infrared light on the floor ahead tells water and the end of where robots may be.

Source: swarm gaming, section 4.4, table 1.
"""

import math

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Bools, Floats, Ints
from coopsim.interfaces import BORDER, columns
from coopsim.kernels import compiled
from coopsim.kernels.polygons import is_inside

_COLUMN = columns(BORDER)
_KINDS = ("water", "border")
_WATER, _BORDER = range(2)


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
        rows = self.every if rows is None else rows
        points = np.empty((rows.size, 3, 2))
        _ahead(world.bodies.planar, self.rows[rows], self._hull, self.table[:, rows], points)
        swims = self.table[_COLUMN.swims, rows] > 0.0
        _look(points, swims, self._kinds, self._starts, self._corners, out)

    def _pack(self, areas: tuple[tuple[str, tuple[float, ...]], ...]) -> None:
        """Put the corners of what counts one after the other."""
        self._areas = areas
        found = [each for each in areas if each[0] in _KINDS]
        self._kinds = np.array([_KINDS.index(kind) for kind, _ in found], np.int64)
        self._starts = np.cumsum([0, *(len(corners) // 2 for _, corners in found)]).astype(np.int64)
        self._corners = np.array([each for _, corners in found for each in corners], np.float64).reshape(-1, 2)


@compiled
def _ahead(planar: Floats, rows: Ints, hull: float, table: Floats, points: Floats) -> None:
    """Write the three points that each robot looks at."""
    for i in range(rows.size):
        pose, away, angle = planar[rows[i]], hull + table[_COLUMN.reach, i], table[_COLUMN.angle, i]
        for k in range(3):
            bearing = pose[2] + (0.0 if k == 0 else (angle if k == 1 else -angle))
            points[i, k, 0] = pose[0] + away * math.cos(bearing)
            points[i, k, 1] = pose[1] + away * math.sin(bearing)


@compiled
def _look(points: Floats, swims: Bools, kinds: Ints, starts: Ints, corners: Floats, out: Floats) -> None:
    """Write whether each point is where a robot must not go."""
    for i in range(points.shape[0]):
        for k in range(3):
            is_bordered, is_within, is_water = False, False, False
            for area in range(kinds.size):
                is_bordered = is_bordered or kinds[area] == _BORDER
                if (kinds[area] == _BORDER and is_within) or (kinds[area] == _WATER and (is_water or swims[i])):
                    continue
                if is_inside(points[i, k, 0], points[i, k, 1], corners, starts[area], starts[area + 1]):
                    is_within = is_within or kinds[area] == _BORDER
                    is_water = is_water or kinds[area] == _WATER
            out[i, k] = 1.0 if is_water or (is_bordered and not is_within) else 0.0
