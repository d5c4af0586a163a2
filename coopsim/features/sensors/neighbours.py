"""The nearest robots in space.

Source: SwarmSimX, section 3.2 (a range sensor that retrieves the relative position of other robots nearby).
"""

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls, all_of
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.interfaces import NEIGHBOURS
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_WIDTH = 4  # x, y, z and the distance


class Neighbours(Sampled):
    """Relative positions and distances of the nearest other robots, along the axes of the world."""

    interface = NEIGHBOURS

    def __init__(self, context: DeviceContext) -> None:
        slots = int(context.settings["slots"])
        super().__init__(context, width=_WIDTH * slots)
        self.counts = {"values": _WIDTH * slots}
        self._found: Ints = np.empty((len(context.robots), slots), np.int64)
        self._reach, self._noise = self.column("reach"), self.column("noise")
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether anything has noise."""
        super().refresh(world)
        self._is_noisy = bool(self._noise.any())

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what writes x, y, z and distance of each slot, shape (n, 4 slots) [m]."""
        calls = all_of([world.motion_calls(), world.nearest_in_space_calls(self.rows, self._reach, self._found)])
        placing = KernelCall(_write_positions, (world.bodies.poses, world.robot_bodies, self.rows, self._found, out))
        if not self._is_noisy:
            return calls and calls.followed_by(placing, source=self)
        noise = np.empty((self.rows.size, self.width))
        blurring = *normal_calls(self.keys, noise), KernelCall(_blur, (noise, self._noise, out))
        return calls and calls.followed_by(placing, *blurring, source=self)


@compiled
def _write_positions(poses: Floats, robots: Ints, rows: Ints, seen_robots: Ints, out: Floats) -> None:
    """Write where the robots that were found are, seen from each body; 0 where there is nobody."""
    for i in range(rows.size):
        for slot in range(seen_robots.shape[1]):
            square, at = 0.0, 4 * slot
            for axis in range(3):
                away = 0.0
                if seen_robots[i, slot] >= 0:
                    away = poses[robots[seen_robots[i, slot]], axis] - poses[rows[i], axis]
                out[i, at + axis] = away
                square += away * away
            out[i, at + 3] = np.sqrt(square)


@compiled
def _blur(deviates: Floats, noise: Floats, out: Floats) -> None:
    """Add noise to the positions of those that are there, and make their distances agree with that."""
    for i in range(out.shape[0]):
        for at in range(0, out.shape[1], 4):
            if out[i, at + 3] == 0.0:
                continue
            square = 0.0
            for axis in range(3):
                out[i, at + axis] += noise[i] * deviates[i, at + axis]
                square += out[i, at + axis] ** 2
            out[i, at + 3] = np.sqrt(square)
