"""Omnidirectional wheels as a force-limited servo."""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.devices import ArrayDevice, DeviceContext, SensingWorld
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies
from coopsim.features.drives.devices import pulling
from coopsim.features.drives.devices.pulling import course, is_abandoned
from coopsim.features.drives.interfaces import OMNI
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.numbers import bounded, finite
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COLUMN, _COMMAND = columns(OMNI), command_numbers(OMNI)


class OmniDrive(ArrayDevice):
    """Wheels that hold no direction, as three Swedish or four Mecanum wheels.

    A robot without a load follows its command exactly, within the limits of speed, force and grip.

    Attributes:
        memory: `motion`, see `pulling`, and `moved`: ways and turns since the start, shape (n, 3) [m, m, rad].
    """

    interface = OMNI
    message_columns: Mapping[str, int] = {"motion": pulling.SILENCE + 1}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self.memory = {"motion": np.zeros((n, pulling.WIDTH)), "moved": np.zeros((n, 3))}
        self.signals = {"moved": self.memory["moved"], "arm": self.column("arm")}

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what turns commands into forces, shape (n, 5): stamp, number, v, w, u."""
        of_bodies = bodies.planar, bodies.mass, bodies.inertia
        of_drives = self.rows, self.table, self.memory["motion"]
        return DeviceCalls((KernelCall(_push, (commands, of_bodies, of_drives, wrench, dt, bodies.position_lag)),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes v, w and u, shape (n, 3) [m/s, rad/s, m/s]."""
        memory, bodies = self.memory, world.bodies
        counted = self.rows, memory["motion"], memory["moved"], out, bodies.position_lag
        return DeviceCalls((KernelCall(pulling.roll, (bodies.planar, *counted)),))


@compiled
def _push(
    commands: Floats,
    bodies: tuple[Floats, Floats, Floats],
    drives: tuple[Ints, Floats, Floats],
    wrench: Floats,
    dt: float,
    lag: int,
) -> None:
    (planar, masses, inertias), (rows, table, motion) = bodies, drives
    for i in range(rows.size):
        row, forward, turn, left = rows[i], 0.0, 0.0, 0.0
        is_left_alone = is_abandoned(commands[i, STAMP], motion, i, table[_COLUMN.watchdog, i], dt)
        if commands[i, NUMBER] == _COMMAND.set_velocity and not is_left_alone:
            forward, turn = finite(commands[i, VALUES]), finite(commands[i, VALUES + 1])
            left = finite(commands[i, VALUES + 2])
        speed, fastest = math.hypot(forward, left), table[_COLUMN.max_speed, i]
        if speed > fastest:
            forward, left = forward / speed * fastest, left / speed * fastest
        turn = bounded(turn, table[_COLUMN.max_turn, i])
        motion[i, pulling.ELAPSED] = dt
        mass, inertia = masses[row], inertias[row]
        force = min(table[_COLUMN.max_force, i], table[_COLUMN.grip, i] * mass * GRAVITY)
        torque = bounded(inertia / dt * (turn - planar[row, 5]), force * table[_COLUMN.arm, i])
        c, s = course(planar, row, planar[row, 5] + torque * dt / inertia, dt, lag)
        x = mass / dt * (c * forward - s * left - planar[row, 3])
        y = mass / dt * (s * forward + c * left - planar[row, 4])
        asked = math.hypot(x, y)
        share = force / asked if asked > force else 1.0
        wrench[row, 0] += share * x
        wrench[row, 1] += share * y
        wrench[row, 5] += torque
