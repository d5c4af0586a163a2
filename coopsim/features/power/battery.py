"""A battery on the board of a robot: charge, voltage under load, and what rotors and wheels can still do with it.

A cell without load has a voltage that falls with its charge in a straight line; under load its resistance takes more.
What turns at a speed that grows with the voltage lifts by the square of that, and drives by the first power.

Source: G. Leishman, "Principles of helicopter aerodynamics" (2006), section 2.3: the power that a rotor in hover takes
grows with its thrust to the power 1.5.
"""

import math
from collections.abc import Mapping

import numpy as np

from coopsim.devices.contract import DeviceContext
from coopsim.devices.program import OnBoardProgram
from coopsim.features.power.battery_interface import BATTERY
from coopsim.geometry import Bools, Floats
from coopsim.interfaces import columns, command_numbers
from coopsim.interfaces.drives import ROTOR_NAMES
from coopsim.state.layout import NUMBER, STAMP, VALUES

_COLUMN, _COMMAND = columns(BATTERY), command_numbers(BATTERY)
_HOUR = 3600.0  # s
_OMNI_WHEELS = (math.pi / 3.0, math.pi, 5.0 * math.pi / 3.0)
"""Where three omnidirectional wheels are around a robot [rad]."""
_LEAST = 1e-9  # of a speed or a thrust: what divides


class Battery(OnBoardProgram):
    """A battery that feeds the rotors and the wheels of its robot; it stands below what commands them.

    Attributes:
        memory: `charge`, shape (n, 1) [A h]; `voltage` under load, shape (n, 1) [V]; `stamps` of its commands.
    """

    interface = BATTERY
    message_columns: Mapping[str, int] = {"stamps": 1}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        charge = self.table[_COLUMN.capacity] * self.table[_COLUMN.start]
        self.memory["charge"], self.memory["stamps"] = charge.reshape(n, 1).copy(), np.zeros((n, 1))
        self.memory["voltage"] = self._at_rest(charge).reshape(n, 1)

    def run(self, tick: int, dt: float) -> None:  # noqa: ARG002 - every program is told
        """Take the charge of the load of the last tick, and hold commands to what the voltage allows."""
        charge, own = self.memory["charge"][:, 0], self.ports.own
        self._swap(charge, own)
        charging = np.where(own[:, NUMBER] == _COMMAND.charge, np.nan_to_num(own[:, VALUES], nan=0.0), 0.0)
        power = self._power()
        voltage, current = self._under_load(charge, power)
        # no more goes in or out in a tick than there is room, or charge
        room, rest = (self.table[_COLUMN.capacity] - charge) * _HOUR / dt, charge * _HOUR / dt
        current = np.minimum(current, rest) - np.clip(charging, 0.0, np.maximum(room, 0.0))
        charge -= current * dt / _HOUR
        self.memory["voltage"][:, 0] = voltage
        self._limit(np.where(charge > 0.0, voltage / self.table[_COLUMN.full], 0.0))
        self.readings[:] = np.column_stack([voltage, current, charge / self.table[_COLUMN.capacity], power])

    def _swap(self, charge: Floats, own: Floats) -> None:
        """Fill the batteries that a new message swaps."""
        stamps = self.memory["stamps"][:, 0]
        is_swapped = (own[:, STAMP] != stamps) & (own[:, NUMBER] == _COMMAND.swap)
        charge[is_swapped] = self.table[_COLUMN.capacity][is_swapped]
        stamps[:] = own[:, STAMP]

    def _power(self) -> Floats:
        """Return the power that robots take, shape (n,) [W]."""
        inputs = self.ports.inputs
        power: Floats = self.table[_COLUMN.idle].copy()
        for name in ROTOR_NAMES:
            if name in inputs:
                power += self.table[_COLUMN.hover_power] * np.maximum(inputs[name].reshape(power.size), 0.0) ** 1.5
        for name in ("left_wheel", "right_wheel"):
            if name in inputs:
                power += self.table[_COLUMN.drive_power] * np.abs(inputs[name].reshape(power.size))
        if "sideways" in inputs:
            power += self.table[_COLUMN.drive_power] * self._omni_wheels().sum(axis=0)
        if "rear_axle" in inputs:  # of its two wheels the outer one is faster by what the inner one is slower
            power += 2.0 * self.table[_COLUMN.drive_power] * np.abs(inputs["rear_axle"].reshape(power.size))
        return power

    def _omni_wheels(self) -> Floats:
        """Return the speeds of three omnidirectional wheels, 120 degrees apart, without signs, shape (3, n) [m/s]."""
        names = ("forward", "sideways", "turn", "arm")
        forward, sideways, turn, arm = (self.ports.inputs[name].ravel() for name in names)
        speeds = (math.cos(at) * sideways - math.sin(at) * forward + arm * turn for at in _OMNI_WHEELS)
        return np.abs(np.stack([*speeds]))

    def _at_rest(self, charge: Floats) -> Floats:
        """Return the voltage without load, shape (n,) [V]."""
        full = self.table[_COLUMN.full]
        empty = np.minimum(self.table[_COLUMN.empty], full)
        voltage: Floats = empty + (full - empty) * charge / self.table[_COLUMN.capacity]
        return voltage

    def _under_load(self, charge: Floats, power: Floats) -> tuple[Floats, Floats]:
        """Return voltage and current, shape (n,) each: V = V0 - R I with V I = P; the most that V0 and R give."""
        rest, resistance = self._at_rest(charge), self.table[_COLUMN.resistance]
        voltage = 0.5 * (rest + np.sqrt(np.maximum(rest * rest - 4.0 * resistance * power, 0.0)))
        return voltage, np.where(charge > 0.0, power / voltage, 0.0)

    def _limit(self, share: Floats) -> None:
        """Hold commands to what a share of the full voltage allows, shape (n,)."""
        inputs, outputs = self.ports.inputs, self.ports.outputs
        if "rotors" in outputs and "max_thrust" in inputs:
            thrusts, most = outputs["rotors"].values("set_thrusts"), inputs["max_thrust"].reshape(-1, 1)
            chosen = outputs["rotors"].which("set_thrusts")
            thrusts[chosen] = np.minimum(thrusts, (share * share)[:, np.newaxis] * most)[chosen]
        if "motors" in outputs:
            fastest = share * self.table[_COLUMN.top_speed]
            for command in ("set_velocity", "set_wheel_speeds"):
                speeds, chosen = outputs["motors"].values(command), outputs["motors"].which(command)
                asked = np.abs(speeds).max(axis=1)
                if command == "set_velocity":
                    asked = np.abs(speeds[:, 0]) + np.abs(speeds[:, 1]) * inputs["half_track"].reshape(asked.size)
                _slow_down(speeds, chosen, asked, fastest)
        if "omni" in outputs:
            speeds, chosen = outputs["omni"].values("set_velocity"), outputs["omni"].which("set_velocity")
            asked = np.hypot(speeds[:, 0], speeds[:, 2]) + np.abs(speeds[:, 1]) * inputs["arm"].ravel()
            _slow_down(speeds, chosen, asked, share * self.table[_COLUMN.top_speed])
        if "car" in outputs:
            for command, moving in (("set_velocity", slice(None)), ("set_steering", slice(1))):
                speeds, chosen = outputs["car"].values(command), outputs["car"].which(command)
                # a slower car drives the same curve: its rate of turn falls with its speed, its steering stays
                _slow_down(speeds[:, moving], chosen, np.abs(speeds[:, 0]), share * self.table[_COLUMN.top_speed])


def _slow_down(speeds: Floats, chosen: Bools, asked: Floats, fastest: Floats) -> None:
    """Scale speeds down to what the battery allows.

    Args:
        speeds: Changed, shape (n, k).
        chosen: Whose command it is, shape (n,).
        asked: Speed of the fastest wheel, shape (n,) [m/s].
        fastest: That the voltage allows, shape (n,) [m/s].
    """
    scale = np.minimum(1.0, fastest / np.maximum(asked, _LEAST))
    speeds[chosen] *= scale[chosen, np.newaxis]
