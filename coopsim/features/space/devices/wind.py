"""Wind at a robot: a mean that grows with height, and a frozen field of gusts that it carries along.

Source: MIL-F-8785C, section 3.7 (Dryden's spectra of gusts, in their spatial form); G. I. Taylor, "The spectrum of
turbulence" (1938), for a field that moves with the mean wind.
"""

import math
from typing import Any

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import CallableWorld, DeviceCalls, motion_calls
from coopsim.devices.contract import Bodies, DeviceContext
from coopsim.devices.copying import copied
from coopsim.features.space.drag import mean_share
from coopsim.features.space.wind_interface import WIND
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, VALUES

MODES = 64
"""Waves of each component, all of one energy: with so many the correlation a length apart is right to 3e-4."""
_COLUMN, _COMMAND = columns(WIND), command_numbers(WIND)
_MEAN = _COLUMN.x  # and the two columns behind it
_ON_FLOOR = 1e-3  # m
_CALM = 1e-9  # m/s
_LOWEST = 0.01  # of the height of reference; nearer to the ground the mean falls no further


class Wind(ArrayDevice):
    """Wind that pushes robots by their speed through the air; put it below what drives them.

    Without a command the mean wind is that of the parameters; one that is no number counts as none.

    Gusts are a sum of waves in space whose variance and spectrum along the wind are Dryden's. They are carried along
    by the mean wind at the robot, and are the same for all robots with one number of a field.

    Attributes:
        memory: `carried`, how far the field was carried, shape (n, 3) [m]; `wind`, shape (n, 3) [m/s].
    """

    interface = WIND

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        count = len(context.robots)
        self.memory = {"carried": np.zeros((count, 3)), "wind": np.zeros((count, 3))}
        self._waves = waves(int(context.settings["field"]))

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls | None:
        """Return what pushes, None where the engine does not say how poses are brought up to date."""
        calls = motion_calls(bodies)
        return calls and calls.followed_by(KernelCall(_blow, self._blowing(commands, bodies, wrench, dt)), source=None)

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Push robots that move through the air."""
        _blow(*self._blowing(commands, bodies, wrench, dt))

    def _blowing(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> tuple[Any, ...]:
        """Return the arguments of the kernel."""
        motion = bodies.poses, bodies.twists, bodies.mass
        field = self._waves, self.memory["carried"], self.memory["wind"]
        return commands, motion, self.rows, self.table, field, wrench, dt

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls:
        """Return what writes the wind, shape (n, 3) [m/s]."""
        return copied(self.memory["wind"], out)


def waves(field: int) -> Floats:
    """Return wave vectors in scales of the gusts, and phases, shape (3, MODES, 4).

    The part of each wave vector along the wind is a quantile of Dryden's spectrum, so that all waves carry one energy;
    those across it are of the same sizes in another order, so that gusts differ from place to place there, too.

    Args:
        field: Number of the field: another one has other gusts.
    """
    generator = np.random.Generator(np.random.PCG64(field))
    shares = (np.arange(MODES) + 0.5) / MODES
    table = np.empty((3, MODES, 4))
    for axis in range(3):
        along = np.tan(0.5 * math.pi * shares) if axis == 0 else _across(shares)
        table[axis, :, 0] = along
        for side in (1, 2):
            # not `choice` or `permutation`, whose order is no promise of numpy's
            order, signs = np.argsort(generator.random(MODES)), np.where(generator.random(MODES) < 0.5, -1.0, 1.0)
            table[axis, :, side] = signs * along[order]
        table[axis, :, 3] = math.tau * generator.random(MODES)
    return table


def _across(shares: Floats) -> Floats:
    """Return quantiles of the spectrum (1 + 3 x^2) / (1 + x^2)^2, by halving.

    Its integral is 2 atan x - x / (1 + x^2).
    """
    low, high = np.zeros(shares.size), np.full(shares.size, 1e6)
    for _ in range(80):
        middle = 0.5 * (low + high)
        is_below = 2.0 * np.arctan(middle) - middle / (1.0 + middle * middle) < math.pi * shares
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    quantiles: Floats = 0.5 * (low + high)
    return quantiles


@compiled
def _blow(
    commands: Floats,
    motion: tuple[Floats, Floats, Floats],
    rows: Ints,
    table: Floats,
    field: tuple[Floats, Floats, Floats],
    wrench: Floats,
    dt: float,
) -> None:
    (poses, twists, masses), (waves, carried, wind) = motion, field
    for i in range(rows.size):
        row = rows[i]
        air, is_told = wind[i], commands[i, NUMBER] == _COMMAND.set_mean
        for axis in range(3):
            mean = commands[i, VALUES + axis] if is_told else table[_MEAN + axis, i]
            air[axis] = mean if math.isfinite(mean) else 0.0
        _wind_at(poses[row, :3], table, i, waves, carried[i], air, dt)
        drag, mass = table[_COLUMN.drag, i], masses[row]
        ahead_of = mean_share(drag, mass, dt)
        for axis in range(3):
            # what stands above this device has pushed already
            force = wrench[row, axis] - (mass * GRAVITY if axis == 2 else 0.0)
            if axis == 2 and force < 0.0 and poses[row, 2] < _ON_FLOOR:
                force = 0.0  # the floor holds it
            slip = air[axis] - twists[row, axis]
            wrench[row, axis] += drag * (slip - ahead_of * (force + drag * slip) / mass)


@compiled
def _wind_at(place: Floats, table: Floats, i: int, waves: Floats, carried: Floats, air: Floats, dt: float) -> None:
    """Write the wind at a place, and carry the field along.

    Args:
        place: Of the robot, shape (3,) [m].
        table: Parameters of all robots.
        i: Which robot.
        waves: See `waves`.
        carried: How far the field was carried, shape (3,) [m]; written.
        air: The mean wind at the height of reference, shape (3,) [m/s]; the wind is written.
        dt: Length of the tick [s].
    """
    grown = 1.0
    if table[_COLUMN.shear, i] > 0.0:
        grown = max(place[2] / table[_COLUMN.height, i], _LOWEST) ** table[_COLUMN.shear, i]
    air[0], air[1] = grown * air[0], grown * air[1]
    level = math.hypot(air[0], air[1])
    cos, sin = (air[0] / level, air[1] / level) if level > _CALM else (1.0, 0.0)
    x, y, z = place[0] - carried[0], place[1] - carried[1], place[2] - carried[2]
    for k in range(3):
        carried[k] += dt * air[k]
    gust, vertical = table[_COLUMN.gust, i], table[_COLUMN.gust_vertical, i]
    if gust <= 0.0 and vertical <= 0.0:
        return
    length = table[_COLUMN.length, i]
    along, across, up = (cos * x + sin * y) / length, (cos * y - sin * x) / length, z / length
    first, second = gust * wave_sum(waves[0], along, across, up), gust * wave_sum(waves[1], along, across, up)
    share = length / table[_COLUMN.length_vertical, i]
    air[0] += cos * first - sin * second
    air[1] += sin * first + cos * second
    air[2] += vertical * wave_sum(waves[2], share * along, share * across, share * up)


@compiled
def wave_sum(waves: Floats, x: float, y: float, z: float) -> float:
    """Return a sum of waves of variance 1 at a place."""
    total = 0.0
    for k in range(waves.shape[0]):
        total += math.cos(waves[k, 0] * x + waves[k, 1] * y + waves[k, 2] * z + waves[k, 3])
    return total * math.sqrt(2.0 / waves.shape[0])
