"""An autopilot on the board of a quadrotor: a position loop around an attitude loop in whole numbers.

Source: SwarmSimX, section 3.1 (a cascaded flight controller, the same code in simulation and on the real robot).
"""

from typing import TypeAlias

import numpy as np

from coopsim.devices.contract import DeviceContext, Notice
from coopsim.devices.program import OnBoardProgram
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.devices import flying
from coopsim.features.space.devices import inner_loop as inner
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import command_numbers
from coopsim.kernels import compiled

_COMMAND = command_numbers(AUTOPILOT)
_IDLE = (0.0, float(_COMMAND.stop))  # a slot that was never written holds 0
_CURES = {
    flying.UPSIDE_DOWN: "upside down, its rotors are off: put it upright with update of /sim/world, or reset",
    flying.NOT_FINITE: "commanded with what is no finite number, it stays where it is: give it another command",
}
_Rotors: TypeAlias = tuple[Floats, Floats, Floats]
_Memory: TypeAlias = tuple[Floats, Ints]


class Autopilot(OnBoardProgram):
    """Flies quadrotors by commands such as `go_to`; without a command the rotors stand still.

    Attributes:
        memory: `flight`, see the columns in `flying`, and `inner`, the state of the inner loop.
    """

    interface = AUTOPILOT

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self._robots = context.robots
        self.memory["flight"] = np.zeros((n, flying.FLIGHT_WIDTH))
        self.memory["inner"] = np.zeros((n, inner.STATES), np.int64)
        self._thrusts: Floats = np.zeros((n, 4))

    def run(self, tick: int, dt: float) -> None:
        """Write the thrusts of this tick.

        Raises:
            Notice: Something keeps a robot from flying that did not in the tick before.
        """
        inputs, memory = self.ports.inputs, self.memory
        moved, placed = (inputs["acceleration"], inputs["turning"]), (inputs["position"], inputs["orientation"])
        sensors = *moved, *placed, inputs["velocity"]
        rotors = inputs["arm"], inputs["torque"], inputs["max_thrust"]
        arrays = memory["flight"], memory["inner"]
        worse = fly(self.ports.own, sensors, rotors, self.table, arrays, self._thrusts, dt)
        flies = memory["flight"][:, flying.FLIES] > 0.0
        port = self.ports.outputs["rotors"]
        port.give_each("set_thrusts", self._thrusts, robots=flies, tick=tick)
        self.readings[:, :3] = memory["flight"][:, flying.X : flying.X + 3]
        self.readings[:, 3] = memory["flight"][:, flying.YAW]
        self.readings[:, 4], self.readings[:, 5] = flies, memory["flight"][:, flying.FAULT]
        if worse >= 0:
            raise Notice(self._said(worse))

    def _said(self, first: int) -> str:
        """Return what is to be said of robots that a fault keeps from flying, `first` is a new one."""
        fault = float(self.readings[first, 5])
        faults_of_others = int((self.readings[:, 5] == fault).sum()) - 1
        more = f" and {faults_of_others} more" if faults_of_others else ""
        return f"{self._robots[first]}{more}: {_CURES[fault]}; the others fly on"


@compiled
def fly(
    own: Floats,
    sensors: flying.Sensors,
    rotors: _Rotors,
    table: Floats,
    memory: _Memory,
    thrusts: Floats,
    dt: float,
) -> int:
    """Write the thrusts of all robots [N]; return the last one that a new fault keeps from flying, -1 = none."""
    (force, turning, position, _, _), (arm, torque, most), (flight, state) = sensors, rotors, memory
    gyro, felt, pushes = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(4, np.int64)
    command, settings = np.empty(inner.COMMANDS, np.int64), np.empty(inner.SETTINGS, np.int64)
    worse = -1
    for i in range(thrusts.shape[0]):
        if flying.begin(own[i], sensors, i, flight[i]):
            worse = i
        flying.measured(turning[i], inner.GYRO_BITS, gyro)
        flying.measured(force[i], inner.FORCE_BITS, felt)
        flying.set_up(table, i, (arm[i], torque[i], most[i]), dt, settings)
        inner.estimate_up(gyro, felt, settings, state[i])
        doing = flight[i, flying.DOING]
        if doing in _IDLE:
            flight[i, flying.FLIES] = 0.0
        elif flight[i, flying.FLIES] > 0.0 or doing != _COMMAND.land:
            flight[i, flying.FLIES] = 1.0
            flying.wanted(own[i], table, i, position[i], flight[i], dt)
        thrusts[i] = 0.0
        if flight[i, flying.FLIES] > 0.0:
            flying.outer_loop(table, i, sensors, flight[i], command, dt)
            inner.inner_loop(gyro, command, settings, state[i], pushes)
            for k in range(4):
                thrusts[i, k] = pushes[k] / float(1 << inner.THRUST_BITS)
    return worse
