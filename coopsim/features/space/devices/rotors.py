"""Four rotors: thrust with the lag of their motors, torque of the blades, gyroscopic moments, drag, ground effect.

Source: SwarmSimX, section 3.1 (a quadrotor whose inner loop acts on the propeller speeds); ground effect by
I. Cheeseman and W. Bennett, "The effect of the ground on a helicopter rotor in forward flight" (1955).
"""

import math
from typing import Any

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import DeviceCalls, motion_calls
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.devices.copying import copied
from coopsim.features.space.devices.gyroscope import along, gyroscopic_moment
from coopsim.features.space.drag import mean_share
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import ROTORS, columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, VALUES

_COLUMN, _COMMAND = columns(ROTORS), command_numbers(ROTORS)
_ON_FLOOR = 1e-3  # m
_LOWEST = 0.5
"""Height above the floor, in radii of a rotor, below which the ground effect grows no further."""


class Rotors(ArrayDevice):
    """Four rotors in a cross, at the front, the left, the rear and the right.

    Without a command they stand still. They never push downward; a thrust that is no number counts as none.

    Attributes:
        memory: `thrusts`, shape (n, 4) [N].
    """

    interface = ROTORS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.memory = {"thrusts": np.zeros((len(context.robots), 4))}
        self.signals = {name: self.column(name) for name in ("arm", "torque", "max_thrust")}

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Turn the commands into forces, shape (n, 6): stamp, number, four thrusts."""
        _push(*self._pushing(commands, bodies, wrench, dt))

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls | None:
        """Return what `act` comes to, None where the engine does not say how poses are brought up to date."""
        calls = motion_calls(bodies)
        return calls and calls.followed_by(KernelCall(_push, self._pushing(commands, bodies, wrench, dt)), source=None)

    def _pushing(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> tuple[Any, ...]:
        """Return the arguments of the kernel."""
        # engines in the plane have no tensors, and their bodies do not tilt
        tensors = getattr(bodies, "tensors", np.zeros((len(bodies.mass), 3, 3)))
        motion = bodies.poses, bodies.twists, bodies.mass, tensors
        return commands, motion, self.rows, self.table, self.memory["thrusts"], wrench, dt

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes the thrusts, shape (n, 4) [N]."""
        return copied(self.memory["thrusts"], out)


@compiled
def _push(
    commands: Floats,
    motion: tuple[Floats, Floats, Floats, Floats],
    rows: Ints,
    table: Floats,
    thrusts: Floats,
    wrench: Floats,
    dt: float,
) -> None:
    (poses, twists, masses, tensors), acting, before = motion, np.zeros(4), np.zeros(4)
    for i in range(rows.size):
        row, total = rows[i], 0.0
        before[:] = thrusts[i]
        share, mean = _lagging(table[_COLUMN.lag, i], dt)
        for k in range(4):
            wanted = commands[i, VALUES + k] if commands[i, NUMBER] == _COMMAND.set_thrusts else 0.0
            wanted = min(max(wanted, 0.0), table[_COLUMN.max_thrust, i]) if math.isfinite(wanted) else 0.0
            # what acts is the mean over the tick, what is told the thrust at its end
            acting[k] = wanted + mean * (thrusts[i, k] - wanted)
            thrusts[i, k] += share * (wanted - thrusts[i, k])
            total += acting[k]
        w, x, y, z = poses[row, 3], poses[row, 4], poses[row, 5], poses[row, 6]
        if table[_COLUMN.ground_effect, i] > 0.0:
            total *= _near_the_floor(table[_COLUMN.radius, i], poses[row, 2])
        up = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)
        ahead = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
        aside = 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
        arm = table[_COLUMN.arm, i]
        roll, pitch = arm * (acting[1] - acting[3]), arm * (acting[2] - acting[0])
        yaw = table[_COLUMN.torque, i] * (acting[0] - acting[1] + acting[2] - acting[3])
        if table[_COLUMN.rotor_inertia, i] > 0.0:
            constants = table[_COLUMN.thrust_constant, i], table[_COLUMN.rotor_inertia, i]
            rates = along(twists[row, 3:], ahead), along(twists[row, 3:], aside)
            moment = gyroscopic_moment((before, thrusts[i]), constants, rates, tensors[row], dt)
            roll, pitch, yaw = roll + moment[0], pitch + moment[1], yaw + moment[2]
        drag, mass = table[_COLUMN.drag, i], masses[row]
        ahead_of = mean_share(drag, mass, dt)
        for axis in range(3):
            force = total * up[axis]
            falling = force - (mass * GRAVITY if axis == 2 else 0.0)
            if axis == 2 and falling < 0.0 and poses[row, 2] < _ON_FLOOR:
                falling = 0.0  # the floor holds it
            speed = twists[row, axis]
            wrench[row, axis] += force - drag * (speed + ahead_of * (falling - drag * speed) / mass)
            wrench[row, 3 + axis] += roll * ahead[axis] + pitch * aside[axis] + yaw * up[axis]


@compiled
def _lagging(lag: float, dt: float) -> tuple[float, float]:
    """Return what part of its way a thrust goes in a tick, and what part of it is left in the mean over the tick.

    In closed form: T(t) = T_w + (T_0 - T_w) exp(-t / lag).
    """
    if lag <= 0.0:
        return 1.0, 0.0
    gone = 1.0 - math.exp(-dt / lag)
    return gone, lag / dt * gone


@compiled
def _near_the_floor(radius: float, height: float) -> float:
    """Return by how much rotors lift more at a height: 1 / (1 - (r / 4 z)^2)."""
    if radius <= 0.0:
        return 1.0
    ratio = radius / (4.0 * max(height, _LOWEST * radius))
    return 1.0 / (1.0 - ratio * ratio)
