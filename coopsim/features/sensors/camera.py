"""A camera: when it takes images, and how.

A process of its own draws what is on them: `coopsim.features.desktop.cameras`.
"""

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.geometry import Floats
from coopsim.interfaces import CAMERA

# a float holds whole numbers up to 2^53 exactly
_SEED_BITS = 53
"""As many as a reading can hold."""
# columns of memory["image"]: tick of the newest image, time until the next one [ns]
_TICK, _LEFT = range(2)
_SHOWN = tuple(reading.name for reading in CAMERA.readings[1:-1])


class Camera(ArrayDevice):
    """Takes an image at a rate; its readings say of which tick the newest one is, and with what settings it is drawn.

    Source: CoopDynSim, section VI (cameras of robots, for vision-based control, as the first extension planned).

    Attributes:
        memory: `image`, see the columns at the top of this file, shape (n, 2).
    """

    interface = CAMERA

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.memory = {"image": np.zeros((len(context.robots), 2), np.int64)}
        self._seeds = (self.keys >> np.uint64(64 - _SEED_BITS)).astype(float)
        self._shown = [self.numbers.index(name) for name in _SHOWN]

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write what `info` gives, shape (n, 13)."""
        image, rate = self.memory["image"], self.column("rate")
        image[:, _LEFT] -= round(world.dt * 1e9)
        due = image[:, _LEFT] <= 0
        if due.any():
            period = np.divide(1e9, rate, out=np.zeros_like(rate), where=rate > 0.0)
            image[due, _TICK] = tick
            image[due, _LEFT] = np.maximum(image[due, _LEFT] + np.rint(period[due]).astype(np.int64), 0)
        out[:, 0] = image[:, _TICK]
        out[:, 1:-1] = self.table[self._shown].T
        out[:, -1] = self._seeds
