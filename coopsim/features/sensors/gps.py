"""A satellite receiver: the position, now and then."""

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.interfaces import GPS
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns

_COLUMN = columns(GPS)
_NOISES = [_COLUMN.noise, _COLUMN.noise_height]


class Gps(Sampled):
    """Position in the frame of the world with noise; fixes come at a rate, may be late or lost.

    Source: AMSA, section 3.2 (a rover's position by GPS, of which a share is lost).
    """

    interface = GPS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=3)
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether any position has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.table[_NOISES].any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write x, y and z of the base of robots, shape (k, 3) [m]."""
        rows = self.every if rows is None else rows
        noise, noise_height = self.table[_COLUMN.noise, rows], self.table[_COLUMN.noise_height, rows]
        bodies, deviates = self.rows[rows], self.deviates(rows, tick, is_noisy=self._is_noisy)
        out[:, :2] = world.bodies.planar[bodies, :2] + noise[:, np.newaxis] * deviates[:, :2]
        out[:, 2] = world.bodies.height[bodies] + noise_height * deviates[:, 2]
