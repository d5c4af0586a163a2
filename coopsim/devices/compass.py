"""A compass: the heading, as far as the needle tells it."""

import math

import numpy as np

from coopsim.devices._receiver import TIMING, Receiver
from coopsim.devices.contract import Surroundings
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import COMPASS


class Compass(Receiver):
    """Heading from where the needle points, with bias and noise; readings may be late or lost.

    Source: AMSA, section 3.2 (a rover's compass is a sensor of its heading).
    """

    interface = COMPASS
    numbers = (*TIMING, "noise", "bias", "declination")
    width = 1

    def measure(self, world: Surroundings, rows: Ints, deviates: Floats, out: Floats) -> None:
        """Write the heading of some robots, within -pi and pi, shape (k, 1) [rad]."""
        noise, bias, declination = self.table[len(TIMING) :, rows]
        heading = world.bodies.planar[self.rows[rows], 2] - declination + bias + noise * deviates[:, 0]
        out[:, 0] = (heading + math.pi) % (2.0 * math.pi) - math.pi

    def is_noisy(self) -> bool:
        """Return whether any heading has noise."""
        return bool(np.any(self.column("noise")))
