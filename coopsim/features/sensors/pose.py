"""Place and motion in space, as a motion capture system tells them.

Source: SwarmSimX, section 3.1 (position, orientation and velocities by an external motion capture system).
"""

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import POSE, columns
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_COLUMN = columns(POSE)


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

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what writes poses and twists of robots, shape (n, 13)."""
        calls, bodies = world.motion_calls(), world.bodies
        copying = KernelCall(_copy, (bodies.poses, bodies.twists, self.rows, out))
        if not self._is_noisy:
            return calls and calls.followed_by(copying, source=self)
        deviates = np.empty((self.rows.size, self.width))
        drawing = normal_calls(self.keys, deviates)
        return calls and calls.followed_by(
            copying, *drawing, KernelCall(_blur, (deviates, self.table, out)), source=self
        )


@compiled
def _copy(poses: Floats, twists: Floats, bodies: Ints, out: Floats) -> None:
    for i in range(bodies.size):
        for k in range(7):
            out[i, k] = poses[bodies[i], k]
        for k in range(6):
            out[i, 7 + k] = twists[bodies[i], k]


@compiled
def _blur(deviates: Floats, table: Floats, out: Floats) -> None:
    # quaternions, between position and motion, get no noise: it would leave the unit sphere
    for i in range(out.shape[0]):
        for k in range(3):
            out[i, k] += table[_COLUMN.noise, i] * deviates[i, k]
            out[i, 7 + k] += table[_COLUMN.noise_velocity, i] * deviates[i, 7 + k]
