"""An inertial measurement unit: acceleration and rate of turn, as the robot feels them.

Source: SwarmSimX, section 3.1 (a virtual unit with noise similar to that of the real one); IEEE Std 952-1997,
appendix B (white noise by its density, bias instability, random walk).
"""

import math

import numpy as np

from coopsim.devices.calls import AnsweringWorld, CallableWorld, DeviceCalls, perform
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal, normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadArgument
from coopsim.features.sensors.imu_interface import IMU
from coopsim.features.sensors.wandering import PEAK, pass_time, walk, wander
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.sequence import TICK, KernelCall

_COLUMN = columns(IMU)


def _axes(acceleration: int, rate: int) -> list[int]:
    """Return the rows of the table for six axes: units have one figure for three."""
    return [acceleration] * 3 + [rate] * 3


_NOISES = _axes(_COLUMN.noise_acceleration, _COLUMN.noise_rate)
_BIASES = _axes(_COLUMN.bias_acceleration, _COLUMN.bias_rate)
_WALKS = _axes(_COLUMN.walk_acceleration, _COLUMN.walk_rate)
_RANGES = _axes(_COLUMN.range_acceleration, _COLUMN.range_rate)
_ALLAN = tuple(
    f"{term}_{quantity}" for term in ("density", "instability", "walk") for quantity in ("acceleration", "rate")
)
"""Parameters that need memory."""
# far beyond all runs, so that the bias shares no random number with a measurement
_BEFORE_ALL = 1 << 50
"""A tick that never comes: its noise is the bias."""


class Imu(Sampled):
    """Specific force and rate of turn in the frame of the body, with the noise terms that an Allan variance shows.

    Attributes:
        memory: Where the `.robot` file has one of these terms, `clock`: time of the last measurement [ns] and time
            between two [s]; `instability` and `walk`: biases of six axes, the former of
            variance 1.
    """

    interface = IMU

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=6)
        n = len(context.robots)
        self._constant, self._bias, self._noise = (np.zeros((n, 6)) for _ in range(3))
        self._limits, self._growths = np.zeros((n, 6)), np.zeros((n, 6))
        self._is_noisy = False
        self._has_terms = any(float(context.settings[name]) > 0.0 for name in _ALLAN)
        if self._has_terms:
            self.memory |= {"clock": np.zeros((n, 2)), "instability": np.zeros((n, 6)), "walk": np.zeros((n, 6))}

    def changed(self, row: int, name: str) -> None:
        """Note that a parameter of one robot has changed.

        Raises:
            BadArgument: There is no memory for terms of an Allan variance, and now there would be one.
        """
        if name in _ALLAN and not self._has_terms and self.parameters[name][row]:
            cure = "give the device one of these in its .robot file, however small"
            raise BadArgument(f"{name} needs memory that this device has not: {cure}: {', '.join(_ALLAN)}").bring(name)
        super().changed(row, name)

    def refresh(self, world: SensingWorld) -> None:
        """Draw the constant bias, and note what has noise."""
        super().refresh(world)
        table = self.table
        self._noise[:] = table[_NOISES].T
        self._is_noisy = bool(self._noise.any()) or self._has_terms
        normal(self.keys, _BEFORE_ALL, self._constant)
        self._constant *= table[_BIASES].T
        self._bias[:] = self._constant
        self._limits[:] = np.where(table[_RANGES] > 0.0, table[_RANGES], np.inf).T
        self._growths[:] = table[_WALKS].T

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write accelerations and rates of turn of some robots, shape (k, 6) [m/s2, rad/s]."""
        perform(self._calls(AnsweringWorld(world), self.every if rows is None else rows, out), tick)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what writes accelerations and rates of turn, shape (n, 6) [m/s2, rad/s]."""
        return self._calls(world, self.every, out)

    def _calls(self, world: CallableWorld, rows: Ints, out: Floats) -> DeviceCalls | None:
        """Return what writes accelerations and rates of turn of some robots."""
        bodies, accelerations = world.bodies, np.zeros((len(world.bodies.names), 6))
        calls = world.motion_calls(accelerations)
        deviates = np.empty((rows.size, 6)) if self._is_noisy else self._bias
        noise = normal_calls(self.keys[rows], deviates) if self._is_noisy else ()
        motion = bodies.poses, bodies.twists, accelerations
        felt = motion, (self.rows, rows), (self._bias, self._noise, self._limits), deviates, out
        terms = self._term_calls(rows, world.dt) if self._has_terms else ()
        return calls and calls.followed_by(*terms, *noise, KernelCall(_feel, felt), source=self)

    def _term_calls(self, rows: Ints, dt: float) -> tuple[KernelCall, ...]:
        """Return what brings biases and noise of some robots up to now; a tick lasts `dt` [s]."""
        clock, instability, walked = (self.memory[name] for name in ("clock", "instability", "walk"))
        now = self.memory["fix"] if self.is_timed else np.zeros((self.rows.size, 0))
        elapsed, correlations = np.zeros(self.rows.size), self.column("correlation")
        robots = rows, self.keys, TICK, elapsed
        return (
            KernelCall(pass_time, (rows, now, dt, clock, elapsed)),
            KernelCall(wander, (*robots, correlations, instability)),
            KernelCall(walk, (*robots, self._growths, walked)),
            KernelCall(
                _err, (rows, self.table, dt, clock, (self._constant, instability, walked), self._bias, self._noise)
            ),
        )


@compiled
def _err(
    rows: Ints,
    table: Floats,
    dt: float,
    clock: Floats,
    biases: tuple[Floats, Floats, Floats],
    bias: Floats,
    noise: Floats,
) -> None:
    """Write the sum of the biases of some robots, and the standard deviations of their noise, shape (n, 6) each.

    White noise of a density is averaged over the time between two measurements, which is known from the first tick on.
    """
    constant, instability, walked = biases
    for i in rows:
        rate = table[_COLUMN.rate, i]
        if dt > 0.0:
            clock[i, 1] = max(dt, 1.0 / rate) if rate > 0.0 else dt
        often = 1.0 / clock[i, 1] if clock[i, 1] > 0.0 else 1.0
        for k in range(6):
            wide = table[_COLUMN.instability_acceleration if k < 3 else _COLUMN.instability_rate, i] / PEAK
            bias[i, k] = constant[i, k] + wide * instability[i, k] + walked[i, k]
            white = table[_COLUMN.noise_acceleration if k < 3 else _COLUMN.noise_rate, i]
            density = table[_COLUMN.density_acceleration if k < 3 else _COLUMN.density_rate, i]
            noise[i, k] = math.sqrt(white * white + density * density * often)


@compiled
def _feel(
    motion: tuple[Floats, Floats, Floats],
    robots: tuple[Ints, Ints],
    errors: tuple[Floats, Floats, Floats],
    deviates: Floats,
    out: Floats,
) -> None:
    """Write R^T (a - g) and R^T w of bodies, with bias and noise, within limits.

    Args:
        motion: Poses, twists and accelerations of all bodies.
        robots: Body of each robot, and which robots, shape (k,).
        errors: Bias, standard deviations and limits, shape (n, 6).
        deviates: Normal numbers, shape (k, 6); without noise any numbers.
        out: Shape (k, 6).
    """
    (poses, twists, accelerations), (bodies, chosen), (bias, noise, limits) = motion, robots, errors
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
            limit = limits[chosen[i], k]
            out[i, k] = min(max(out[i, k], -limit), limit)
