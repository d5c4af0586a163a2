"""A ring of distance sensors."""

import math

import numpy as np

from coopsim.devices._interval import due
from coopsim.devices._tabled import Tabled
from coopsim.devices.contract import Rig, Surroundings
from coopsim.devices.noise import add_noise
from coopsim.geometry import Floats
from coopsim.interfaces import SONARS


class Sonars(Tabled):
    """Distance to the nearest obstacle in each sector around a robot, from right to left.

    Source: CoopDynSim, section III-A (eleven distance sensors, ray tracing; C-42).

    Attributes:
        bearings: Middle of each sector in the frame of the robot, shape (count,) [rad].
        memory: `held`: the tick of the next reading, then the last one, shape (n, 1 + count).
    """

    interface = SONARS
    numbers = ("reach", "noise", "interval", "height")

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        count = int(rig.settings["count"])
        half = 0.5 * math.radians(float(rig.settings["sector"]))
        self.bearings: Floats = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
        self.counts = {"count": count}
        self.memory = {"held": np.zeros((len(rig.robots), 1 + count))}
        self._reach, self._noise, self._interval, self._ring = (self.column(name) for name in self.numbers)
        self._ceiling = self._reach[:, np.newaxis]
        self._is_noisy = self._has_intervals = False

    def sense(self, world: Surroundings, tick: int, out: Floats) -> None:
        """Write the distances from the hull, shape (n, count) [m], each within 0 and `reach`."""
        if self.is_stale:
            self._refresh()
        if self._has_intervals:
            self._sense_some(world, tick, out)
            return
        world.cast_rays(self.rows, self.bearings, self._reach, out, self._ring)
        if self._is_noisy:
            # a real ring jitters before it clips, so noise comes first
            add_noise(out, self.keys, tick, self._noise)
            np.maximum(out, 0.0, out=out)
            np.minimum(out, self._ceiling, out=out)

    def _sense_some(self, world: Surroundings, tick: int, out: Floats) -> None:
        held = self.memory["held"]
        rows = due(held[:, 0], self._interval, tick)
        if rows.size:
            fresh, reach = np.empty((rows.size, self.bearings.size)), self._reach[rows]
            world.cast_rays(self.rows[rows], self.bearings, reach, fresh, self._ring[rows])
            add_noise(fresh, self.keys[rows], tick, self._noise[rows])
            held[rows, 1:] = np.clip(fresh, 0.0, reach[:, np.newaxis])
        np.minimum(held[:, 1:], self._ceiling, out=out)

    def _refresh(self) -> None:
        self.is_stale = False
        self._is_noisy = bool(self._noise.any())
        self._has_intervals = bool((self._interval > 1).any())
        if not self._has_intervals:
            self.memory["held"][:] = 0.0
