"""A motor in a joint: a servo for position or velocity whose effort has limits, or the effort alone.

Source: CoopDynSim, section V (manipulators); a discrete velocity servo with proportional and integral parts.
"""

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.geometry import Floats
from coopsim.interfaces import HINGE, SLIDE, command_numbers
from coopsim.state.layout import NUMBER, VALUES

_COMMAND = command_numbers(HINGE)  # a slide has the same
# 1 would take the error away at once, and swing where other bodies hang on the joint
_PROPORTIONAL, _INTEGRAL = 0.5, 0.05
"""Shares of a speed error that the motor takes away in one tick, where nothing but the joint's own bodies moves."""
# columns of memory["motor"]: sum of the integral part, effort of the last tick
_SUM, _EFFORT = range(2)


class JointMotor(ArrayDevice):
    """A motor in a joint of the robot.

    Without a command it brakes the joint to rest. It never exceeds `max_effort`, and a position beyond the joint's
    limits is taken as the nearest one within them.

    Attributes:
        memory: `motor`, see the columns at the top of this file, shape (n, 2).
    """

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self._joints = context.joints[str(context.settings["joint"])]
        self.memory = {"motor": np.zeros((len(context.robots), 2))}

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Turn the commands into efforts, shape (n, 3): stamp, number, one value."""
        number, value = commands[:, NUMBER], np.nan_to_num(commands[:, VALUES])
        velocity = bodies.joint_velocity[self._joints]
        wanted = self._wanted(number, value, bodies) - velocity
        servo = self._servo(wanted, bodies.joint_inertia[self._joints] / dt)
        effort = np.where(number == _COMMAND.set_effort, value, servo)
        effort[number == _COMMAND.release] = 0.0
        most, motor = self.column("max_effort"), self.memory["motor"]
        motor[number >= _COMMAND.set_effort, _SUM] = 0.0
        motor[:, _EFFORT] = np.clip(effort, -most, most)
        bodies.joint_effort[self._joints] += motor[:, _EFFORT]

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write position, velocity and effort, shape (n, 3) [rad, rad/s, N m or m, m/s, N]."""
        bodies = world.bodies
        out[:, 0], out[:, 1] = bodies.joint_position[self._joints], bodies.joint_velocity[self._joints]
        out[:, 2] = self.memory["motor"][:, _EFFORT]

    def _wanted(self, number: Floats, value: Floats, bodies: Bodies) -> Floats:
        """Return the velocity that each joint should have, shape (n,)."""
        low, high = bodies.joint_limits[self._joints].T
        away = np.clip(value, low, high) - bodies.joint_position[self._joints]
        velocity = np.where(number == _COMMAND.set_position, self.column("gain") * away, value)
        velocity[number == 0.0] = 0.0
        fastest = self.column("max_velocity")
        return np.clip(velocity, -fastest, fastest)

    def _servo(self, error: Floats, stiffness: Floats) -> Floats:
        """Return the effort against errors of velocity, shape (n,), and keep count of what they add up to."""
        most, motor = self.column("max_effort"), self.memory["motor"]
        total = np.clip(motor[:, _SUM] + _INTEGRAL * stiffness * error, -most, most)
        effort: Floats = _PROPORTIONAL * stiffness * error + total
        # what the motor cannot give must not add up
        motor[:, _SUM] = np.where(np.abs(effort) < most, total, motor[:, _SUM])
        return effort


class Hinge(JointMotor):
    """A motor in a hinge."""

    interface = HINGE


class Slide(JointMotor):
    """A motor in a slide."""

    interface = SLIDE
