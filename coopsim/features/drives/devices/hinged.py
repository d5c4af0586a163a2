"""Motors of two wheels that are bodies of their own, on hinges: the tyres drive the robot by friction alone.

Source: CoopDynSim, section III-A (motor wheels: two cylinders joined to the chassis by a hinge joint).
"""

from collections.abc import Mapping

import numpy as np

from coopsim.devices import ArrayDevice, DeviceContext, SensingWorld
from coopsim.devices.contract import Bodies
from coopsim.features.drives.interfaces import HINGED_WHEELS
from coopsim.geometry import Floats
from coopsim.interfaces import command_numbers
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COMMAND = command_numbers(HINGED_WHEELS)
# 1 would take the error away at once, and swing in the air; the weight on the wheels makes them slower than that
_PROPORTIONAL, _INTEGRAL = 0.5, 0.1
"""Shares of a speed error that a motor takes away in one tick from a wheel that touches nothing."""
# columns of memory["heard"]: stamp of the last command, and for how long there was none [s]
_LAST_STAMP, _SILENCE = range(2)


class HingedWheels(ArrayDevice):
    """Servos in the hinges of two wheels.

    Attributes:
        memory: `heard`, see the columns at the top of this file; `sums`, the integral part of each wheel's torque,
            shape (n, 2) [N m]; `travel`, the way of each tyre, shape (n, 2) [m].
    """

    interface = HINGED_WHEELS
    message_columns: Mapping[str, int] = {"heard": 2}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        names = str(context.settings["left_joint"]), str(context.settings["right_joint"])
        self._joints = np.column_stack([context.joints[name] for name in names]).astype(np.int64)
        n = len(context.robots)
        self.memory = {"heard": np.zeros((n, 2)), "sums": np.zeros((n, 2)), "travel": np.zeros((n, 2))}
        self.signals = {"travel": self.memory["travel"], "half_track": self.column("half_track")}

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Turn commands, shape (n, 4): stamp, number, two values, into torques of the wheels."""
        radius, sums = self.column("radius")[:, np.newaxis], self.memory["sums"]
        most = self.column("max_force")[:, np.newaxis] * radius
        stiffness = bodies.joint_inertia[self._joints] / dt
        error = self._wanted(commands, dt) / radius - bodies.joint_velocity[self._joints]
        total = np.clip(sums + _INTEGRAL * stiffness * error, -most, most)
        torque = _PROPORTIONAL * stiffness * error + total
        # what a motor cannot give must not add up
        sums[:] = np.where(np.abs(torque) < most, total, sums)
        bodies.joint_effort[self._joints] += np.clip(torque, -most, most)

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write v, w and the speeds of both tyres, shape (n, 4) [m/s, rad/s, m/s, m/s], and count their ways."""
        radius, bodies = self.column("radius")[:, np.newaxis], world.bodies
        self.memory["travel"][:] = bodies.joint_position[self._joints] * radius
        speeds = bodies.joint_velocity[self._joints] * radius
        out[:, 0] = speeds.mean(axis=1)
        out[:, 1] = 0.5 * (speeds[:, 1] - speeds[:, 0]) / self.column("half_track")
        out[:, 2:4] = speeds

    def _wanted(self, commands: Floats, dt: float) -> Floats:
        """Return the speeds of both tyres that are asked for, shape (n, 2); a too fast arc keeps its curvature."""
        number, values = commands[:, NUMBER], np.nan_to_num(commands[:, VALUES : VALUES + 2])
        turning = values[:, 1] * self.column("half_track")
        arcs = np.column_stack((values[:, 0] - turning, values[:, 0] + turning))
        speeds = np.where((number == _COMMAND.set_wheel_speeds)[:, np.newaxis], values, arcs)
        is_driven = (number == _COMMAND.set_velocity) | (number == _COMMAND.set_wheel_speeds)
        speeds[~is_driven | self._is_abandoned(commands[:, STAMP], dt)] = 0.0
        fastest = np.maximum(np.abs(speeds).max(axis=1), 1e-9)  # of who stands no speed is scaled
        scaled: Floats = speeds * np.minimum(self.column("max_speed") / fastest, 1.0)[:, np.newaxis]
        return scaled

    def _is_abandoned(self, stamps: Floats, dt: float) -> Floats:
        """Return for whom no command came for `watchdog` seconds, shape (n,)."""
        heard, watchdog = self.memory["heard"], self.column("watchdog")
        heard[:, _SILENCE] = np.where(stamps == heard[:, _LAST_STAMP], heard[:, _SILENCE] + dt, 0.0)
        heard[:, _LAST_STAMP] = stamps
        abandoned: Floats = (watchdog > 0.0) & (heard[:, _SILENCE] > watchdog - 1e-9)
        return abandoned
