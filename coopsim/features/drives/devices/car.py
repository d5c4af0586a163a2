"""The drive of a car: driven wheels behind, steered ones in front.

Source: S. LaValle, "Planning Algorithms" (2006), section 13.1.2.1 (a simple car).
"""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.devices import ArrayDevice, DeviceContext, SensingWorld
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies
from coopsim.features.drives.devices import pulling
from coopsim.features.drives.devices.pulling import course, is_abandoned, motion_of
from coopsim.features.drives.interfaces import CAR
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.numbers import bounded, finite
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COLUMN, _COMMAND = columns(CAR), command_numbers(CAR)
_SLOW = 1e-6  # m/s; at rest any rate of turn asks for the largest angle


class CarDrive(ArrayDevice):
    """Wheels of a car, whose middle of the rear axle rolls straight on; its path is never sharper than steering allows.

    Tyres hold the car on its path as far as they grip; then it slides.

    Attributes:
        memory: `motion`, see `pulling`, and `moved`: ways and turns of the middle since the start, shape (n, 3).
    """

    interface = CAR
    message_columns: Mapping[str, int] = {"motion": pulling.SILENCE + 1}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self.memory = {"motion": np.zeros((n, pulling.WIDTH)), "moved": np.zeros((n, 3))}
        self.signals = {"moved": self.memory["moved"]}

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what turns commands into forces, shape (n, 4): stamp, number, two values."""
        of_bodies = bodies.planar, bodies.mass, bodies.inertia
        of_drives = self.rows, self.table, self.memory["motion"]
        return DeviceCalls((KernelCall(_push, (commands, of_bodies, of_drives, wrench, dt, bodies.position_lag)),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes v, w and the steering, shape (n, 3) [m/s, rad/s, rad]."""
        memory, bodies = self.memory, world.bodies
        counted = self.rows, memory["motion"], memory["moved"], out, bodies.position_lag
        steering = KernelCall(_write_steering, (memory["motion"], out))
        return DeviceCalls((KernelCall(pulling.roll, (bodies.planar, *counted)), steering))


@compiled
def _write_steering(motion: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        out[i, 2] = motion[i, pulling.STEERING]


@compiled
def _wanted(
    commands: Floats, i: int, steering: float, wheelbase: float, limits: tuple[float, float]
) -> tuple[float, float]:
    """Return speed and angle of the front wheels that a command asks for, within the largest of both."""
    number, first, second = commands[i, NUMBER], finite(commands[i, VALUES]), finite(commands[i, VALUES + 1])
    fastest, sharpest = limits
    if number == _COMMAND.set_steering:
        return bounded(first, fastest), bounded(second, sharpest)
    if number != _COMMAND.set_velocity:
        return 0.0, steering
    speed = bounded(first, fastest)
    if abs(speed) > _SLOW:
        # a car that is slower than asked turns on the path that was asked for
        return speed, bounded(math.atan(second * wheelbase / first), sharpest)
    return speed, math.copysign(sharpest, second) if second != 0.0 else steering


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
        row, angle = rows[i], motion[i, pulling.STEERING]
        mass, inertia, wheelbase = masses[row], inertias[row], table[_COLUMN.wheelbase, i]
        limits = table[_COLUMN.max_speed, i], table[_COLUMN.max_steering, i]
        speed, wanted = _wanted(commands, i, angle, wheelbase, limits)
        if is_abandoned(commands[i, STAMP], motion, i, table[_COLUMN.watchdog, i], dt):
            speed, wanted = 0.0, angle
        angle += bounded(wanted - angle, table[_COLUMN.steering_rate, i] * dt)
        motion[i, pulling.STEERING], motion[i, pulling.ELAPSED] = angle, dt
        forward, _, turning = motion_of(planar, row, dt, lag)
        grip = table[_COLUMN.grip, i] * mass * GRAVITY
        push = bounded(mass / dt * (speed - forward), min(table[_COLUMN.max_force, i], grip))
        # what the wheels reach, not what is asked, says how fast the car turns
        turn = (forward + push * dt / mass) * math.tan(angle) / wheelbase
        torque = bounded(inertia / dt * (turn - turning), 0.5 * grip * wheelbase)
        turn = turning + torque * dt / inertia
        c, s = course(planar, row, turn, dt, lag)
        left = turn * table[_COLUMN.axle, i]
        ahead = forward + push * dt / mass
        x, y = mass / dt * (c * ahead - s * left - planar[row, 3]), mass / dt * (s * ahead + c * left - planar[row, 4])
        along = bounded(c * x + s * y, grip)
        aside = bounded(c * y - s * x, math.sqrt(grip * grip - along * along))
        wrench[row, 0] += c * along - s * aside
        wrench[row, 1] += s * along + c * aside
        wrench[row, 5] += torque
