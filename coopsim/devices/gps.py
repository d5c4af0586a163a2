"""A satellite receiver: the position, now and then."""

import numpy as np

from coopsim.devices._receiver import TIMING, Receiver
from coopsim.devices.contract import Surroundings
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import GPS


class Gps(Receiver):
    """Position in the frame of the world with noise; fixes come at a rate, may be late or lost.

    Source: AMSA, section 3.2 (a rover's position by GPS, of which a share is lost).
    """

    interface = GPS
    numbers = (*TIMING, "noise", "noise_height")
    width = 3

    def measure(self, world: Surroundings, rows: Ints, deviates: Floats, out: Floats) -> None:
        """Write x, y and z of the base of some robots, shape (k, 3) [m]."""
        noise, noise_height = self.table[len(TIMING) :, rows]
        bodies = self.rows[rows]
        out[:, :2] = world.bodies.planar[bodies, :2] + noise[:, np.newaxis] * deviates[:, :2]
        out[:, 2] = world.bodies.height[bodies] + noise_height * deviates[:, 2]

    def is_noisy(self) -> bool:
        """Return whether any position has noise."""
        return bool(np.any(self.table[len(TIMING) :]))
