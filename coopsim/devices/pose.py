"""Place and motion in space, as a motion capture system tells them.

Source: SwarmSimX, section 3.1 (position, orientation and velocities by an external motion capture system).
"""

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls, motion_calls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import POSE, columns
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_COLUMN = columns(POSE)
# quaternions between them get no noise: it would leave the unit sphere
_POSITION, _MOTION = slice(0, 3), slice(7, 10)


class Pose(Sampled):
    """Position, quaternion, velocity and rate of turn of the body that it sits on, in the frame of the world."""

    interface = POSE

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=13)
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether anything has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.table[[_COLUMN.noise, _COLUMN.noise_velocity]].any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write poses and twists of robots, shape (k, 13)."""
        bodies = self.rows if rows is None else self.rows[rows]
        _copy(world.bodies.poses, world.bodies.twists, bodies, out)
        if self._is_noisy:
            rows = self.every if rows is None else rows
            deviates = self.deviates(rows, tick, is_noisy=True)
            out[:, _POSITION] += self.table[_COLUMN.noise, rows, np.newaxis] * deviates[:, _POSITION]
            out[:, _MOTION] += self.table[_COLUMN.noise_velocity, rows, np.newaxis] * deviates[:, _MOTION]

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` of all rows comes to where nothing has noise."""
        calls, bodies = motion_calls(world.bodies), world.bodies
        if calls is None or self._is_noisy:
            return None
        return calls.followed_by(KernelCall(_copy, (bodies.poses, bodies.twists, self.rows, out)), source=self)


@compiled
def _copy(poses: Floats, twists: Floats, bodies: Ints, out: Floats) -> None:
    for i in range(bodies.size):
        for k in range(7):
            out[i, k] = poses[bodies[i], k]
        for k in range(6):
            out[i, 7 + k] = twists[bodies[i], k]
