"""The intelligence on board of game robots: reflexes before commands, all robots of a type in one kernel.

Source: swarm gaming, section 4.4 (subsumption on the robot), section 4 (the share on board fits the hardware).
"""

import math

import numpy as np

from coopsim.devices import acting
from coopsim.devices.contract import DeviceContext
from coopsim.devices.program import OnBoardProgram
from coopsim.geometry import Floats
from coopsim.interfaces import INTELLIGENCE, STEP_WIDTH
from coopsim.interfaces.games import SHARES
from coopsim.kernels import compiled
from coopsim.state.layout import NUMBER, VALUES

_SENSED = {
    "touch_front": acting.FRONT,
    "touch_rear": acting.REAR,
    "border_front": acting.AHEAD,
    "border_left": acting.LEFT,
    "border_right": acting.RIGHT,
    "shots": acting.SHOT,
}
_DOING, _STEP, _FINISHED, _REFLEX, _HOLDING, _STUCK = range(6)
_ONE = VALUES + STEP_WIDTH


class Intelligence(OnBoardProgram):
    """Carries out commands, sequences and reflexes.

    The newest command is the only one there is: a sequence lies in the row of commands, and what comes later takes its
    place. Of a robot whose share is `commands` a sequence is its first step; one with `reflexes` carries out none.

    Attributes:
        memory: `acts`, see the columns in `acting`.
    """

    interface = INTELLIGENCE

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        n = len(context.robots)
        self._share = SHARES.index(str(context.settings["share"]))
        self.memory["acts"] = np.zeros((n, acting.MEMORY_WIDTH))
        self.memory["acts"][:, acting.HOLDING] = -1.0
        self.message_columns = {"acts": acting.STAMPED + 1}
        self._sensed, self._out = np.zeros((n, acting.SENSED_WIDTH)), np.zeros((n, acting.RESULT_WIDTH))

    def run(self, tick: int, dt: float) -> None:
        """Command motors, shooter and beeper."""
        acts, out = self.memory["acts"], self._out
        self._sense()
        own = self._on_board()
        decide(own, self._sensed, self.table, acts, out, dt)
        outputs = self.ports.outputs
        drives = out[:, acting.DRIVES] > 0.0
        if drives.any():
            outputs["motors"].give("set_velocity", out[drives, : acting.W + 1], robots=drives, tick=tick)
        if "shooter" in outputs and (shoots := out[:, acting.TARGET] >= 0.0).any():
            outputs["shooter"].give("shoot", out[shoots, acting.TARGET, np.newaxis], robots=shoots, tick=tick)
        if "beeper" in outputs and (beeps := out[:, acting.BEEPS] > 0.0).any():
            outputs["beeper"].give("beep", (), robots=beeps, tick=tick)
        readings = self.readings
        readings[:, _DOING] = out[:, acting.DOING]
        readings[:, _STEP] = np.maximum(acts[:, acting.STEP], 0.0)
        readings[:, _FINISHED:_STUCK] = acts[:, [acting.FINISHED, acting.REFLEX, acting.HOLDING]]
        readings[:, _STUCK] = acts[:, acting.STUCK]

    def _on_board(self) -> Floats:
        """Return the commands that this share of the intelligence carries out."""
        own = self.ports.own
        if self._share == 0:
            return own
        own = own.copy()
        if SHARES[self._share] == "reflexes":
            own[:, NUMBER] = 0.0
        else:
            own[:, _ONE:] = 0.0
        return own

    def _sense(self) -> None:
        inputs, sensed = self.ports.inputs, self._sensed
        sensed[:, : acting.Y + 1] = inputs["position"][:, :2]
        for name, column in _SENSED.items():
            if name in inputs:
                sensed[:, column] = inputs[name][:, 0]
        motors = self.ports.outputs["motors"]
        sensed[:, acting.SPEED] = np.where(motors.which("set_velocity"), motors.values("set_velocity")[:, 0], 0.0)
        ranges = inputs.get("ranges", np.zeros((len(sensed), 0)))
        bearings = inputs["bearings"] if "ranges" in inputs else np.zeros(0)
        look(inputs["orientation"], ranges, bearings, self.table, sensed)


@compiled
def look(orientation: Floats, ranges: Floats, bearings: Floats, table: Floats, sensed: Floats) -> None:
    """Write headings, and what the sonars see ahead and to both sides."""
    for i in range(sensed.shape[0]):
        w, x, y, z = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        sensed[i, acting.HEADING] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        ahead, left, right = math.inf, 0.0, 0.0
        for k in range(bearings.size):
            if abs(bearings[k]) <= table[acting.COLUMN.angle, i] + 1e-9:
                ahead = min(ahead, ranges[i, k])
            if bearings[k] > 0.0:
                left += ranges[i, k]
            elif bearings[k] < 0.0:
                right += ranges[i, k]
        sensed[i, acting.NEAR_AHEAD], sensed[i, acting.FREE_LEFT], sensed[i, acting.FREE_RIGHT] = ahead, left, right


@compiled
def decide(own: Floats, sensed: Floats, table: Floats, memory: Floats, out: Floats, dt: float) -> None:
    """Decide for all robots."""
    for i in range(sensed.shape[0]):
        acting.act(own[i], sensed[i], table, i, memory[i], out[i], dt)
