"""A compass: the heading, as far as the needle tells it."""

import math

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.interfaces import COMPASS
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns

_COLUMN = columns(COMPASS)


class Compass(Sampled):
    """Heading from where the needle points, with bias and noise; readings may be late or lost.

    Source: AMSA, section 3.2 (a rover's compass is a sensor of its heading).
    """

    interface = COMPASS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=1)
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether any heading has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.column("noise").any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the heading of robots, within -pi and pi, shape (k, 1) [rad]."""
        rows = self.every if rows is None else rows
        table, deviates = self.table[:, rows], self.deviates(rows, tick, is_noisy=self._is_noisy)
        heading = world.bodies.planar[self.rows[rows], 2] - table[_COLUMN.declination] + table[_COLUMN.bias]
        heading = heading + table[_COLUMN.noise] * deviates[:, 0]
        out[:, 0] = (heading + math.pi) % (2.0 * math.pi) - math.pi
