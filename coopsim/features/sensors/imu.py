"""An inertial measurement unit: acceleration and rate of turn, as the robot feels them.

Source: SwarmSimX, section 3.1 (a virtual unit with noise similar to that of the real one).
"""

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import IMU, columns
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.sequence import TICK, KernelCall

_COLUMN = columns(IMU)
# one column serves three axes: units have one figure for all
_NOISES = [_COLUMN.noise_acceleration] * 3 + [_COLUMN.noise_rate] * 3
_BIASES = [_COLUMN.bias_acceleration] * 3 + [_COLUMN.bias_rate] * 3  # one column serves three axes, as for noise
# far beyond all runs, so that the bias shares no random number with a measurement
_BEFORE_ALL = 1 << 50
"""A tick that never comes: its noise is the bias."""


class Imu(Sampled):
    """Specific force and rate of turn in the frame of the body, with noise, and with a bias that stays the same."""

    interface = IMU

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=6)
        self._bias: Floats = np.zeros((len(context.robots), 6))
        self._noise: Floats = np.zeros((len(context.robots), 6))
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Draw the bias, and note whether anything has noise."""
        super().refresh(world)
        self._noise[:] = self.table[_NOISES].T
        self._is_noisy = bool(self._noise.any())
        normal(self.keys, _BEFORE_ALL, self._bias)
        self._bias *= self.table[_BIASES].T

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what writes accelerations and rates of turn, shape (n, 6) [m/s2, rad/s]."""
        bodies, accelerations = world.bodies, np.zeros((len(world.bodies.names), 6))
        calls = world.motion_calls(accelerations)
        deviates = np.empty((self.rows.size, 6)) if self._is_noisy else self._bias
        noise = (KernelCall(normal, (self.keys, TICK, deviates)),) if self._is_noisy else ()
        motion = bodies.poses, bodies.twists, accelerations
        felt = motion, (self.rows, self.every), (self._bias, self._noise), deviates, out
        return calls and calls.followed_by(*noise, KernelCall(_feel, felt), source=self)


@compiled
def _feel(
    motion: tuple[Floats, Floats, Floats],
    robots: tuple[Ints, Ints],
    errors: tuple[Floats, Floats],
    deviates: Floats,
    out: Floats,
) -> None:
    """Write R^T (a - g) and R^T w of bodies, with bias and noise.

    Args:
        motion: Poses, twists and accelerations of all bodies.
        robots: Body of each robot, and which robots, shape (k,).
        errors: Bias and standard deviations, shape (n, 6).
        deviates: Normal numbers, shape (k, 6); without noise any numbers.
        out: Shape (k, 6).
    """
    (poses, twists, accelerations), (bodies, chosen), (bias, noise) = motion, robots, errors
    for i in range(chosen.size):
        row = bodies[chosen[i]]
        w, x, y, z = poses[row, 3], poses[row, 4], poses[row, 5], poses[row, 6]
        a, b, c = accelerations[row, 0], accelerations[row, 1], accelerations[row, 2] + GRAVITY
        for k in range(2):
            out[i, 3 * k] = (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b + 2.0 * (x * z - w * y) * c
            out[i, 3 * k + 1] = 2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b
            out[i, 3 * k + 1] += 2.0 * (y * z + w * x) * c
            out[i, 3 * k + 2] = 2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b
            out[i, 3 * k + 2] += (1.0 - 2.0 * (x * x + y * y)) * c
            a, b, c = twists[row, 3], twists[row, 4], twists[row, 5]
        for k in range(6):
            out[i, k] += bias[chosen[i], k] + noise[chosen[i], k] * deviates[i, k]
