"""Distance sensors that look in all directions of space.

Source: SwarmSimX, section 3.2 (a range sensor for objects in the neighbourhood of a robot).
"""

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import add_noise
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.interfaces import RANGE
from coopsim.geometry import Floats, Ints


class Range(Sampled):
    """Distance from the hull to the first thing along each ray: objects, other robots and the floor.

    Attributes:
        directions: Unit vectors of the rays in the frame of the robot, flat, shape (3 count,).
    """

    interface = RANGE

    def __init__(self, context: DeviceContext) -> None:
        count = int(context.settings["count"])
        super().__init__(context, width=count)
        bearings, elevations = (
            np.radians(RANGE.parameter(name).spread(context.settings)) for name in ("bearing", "elevation")
        )
        self._angles: Floats = np.stack([bearings, elevations])
        level = np.cos(elevations)
        rays = np.stack([level * np.cos(bearings), level * np.sin(bearings), np.sin(elevations)], axis=1)
        self.directions: Floats = rays.ravel()
        self.counts = {"count": count, "values": 3 * count}
        self.signals = {"directions": self.directions}
        self._reach, self._noise = self.column("reach"), self.column("noise")
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether anything has noise."""
        super().refresh(world)
        self._is_noisy = bool(self._noise.any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the distances from the hull, shape (k, count) [m], each within 0 and `reach`."""
        rows = self.every if rows is None else rows
        reach = self._reach[rows]
        world.cast_raised_rays(self.rows[rows], self._angles, reach, out, np.zeros(rows.size))
        if self._is_noisy:
            add_noise(out, self.keys[rows], tick, self._noise[rows])
            np.clip(out, 0.0, reach[:, np.newaxis], out=out)
