"""The intelligence on board of game robots: reflexes before commands, all robots of a type in a few kernels.

Source: swarm gaming, section 4.4 (subsumption on the robot), section 4 (the share on board fits the hardware).
"""

import math
from typing import TypeAlias

import numpy as np

from coopsim.devices.contract import DeviceContext
from coopsim.devices.program import OnBoardProgram, Ports
from coopsim.features.games.devices import acting
from coopsim.features.games.interfaces.games import INTELLIGENCE, SHARES, STEP_WIDTH
from coopsim.geometry import Floats
from coopsim.interfaces import reading_columns
from coopsim.kernels import compiled
from coopsim.kernels.sequence import TICK, KernelCall, KernelSequence, call_each
from coopsim.state.layout import NUMBER, STAMP, VALUES

_FELT = ("touch_front", "touch_rear", "border_front", "border_left", "border_right", "shots")
_READING = reading_columns(INTELLIGENCE)
_ONE = VALUES + STEP_WIDTH
_FULL, _FIRST, _NONE = range(len(SHARES))
_NOBODY = np.zeros((0, VALUES + 1))

Slots: TypeAlias = tuple[Floats, int]
"""Commands of a sibling, shape (n, 2 + width), none where there is no such sibling; and the number of the one given."""


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
        self._calls: tuple[KernelCall, ...] = ()
        self._sequence: KernelSequence | None = None
        self._dt = 0.0

    def connect(self, ports: Ports) -> None:
        """Note what it is connected to."""
        super().connect(ports)
        self._dt = 0.0

    def run(self, tick: int, dt: float) -> None:
        """Command motors, shooter and beeper."""
        if dt != self._dt:
            self._dt, self._calls = dt, self._listed(dt)
            self._sequence = KernelSequence.of(self._calls)
        if self._sequence is None:
            call_each(self._calls, tick)
        elif self._sequence.run(tick) < self._sequence.length:
            raise MemoryError("not enough memory for the decisions of the robots; use fewer robots, or free some")

    def _listed(self, dt: float) -> tuple[KernelCall, ...]:
        """Return what a tick of `dt` [s] comes to."""
        inputs, own, sensed, acts = self.ports.inputs, self.ports.own, self._sensed, self.memory["acts"]
        n = len(sensed)
        seen = inputs.get("ranges", np.zeros((n, 0))), inputs["bearings"] if "ranges" in inputs else np.zeros(0)
        felt = tuple(inputs.get(name, np.zeros((n, 1))) for name in _FELT)
        motors = self._slots("motors", "set_velocity")
        other_slots = self._slots("shooter", "shoot"), self._slots("beeper", "beep")
        calls = [
            KernelCall(estimate_state, (inputs["position"], inputs["orientation"], *seen, motors, self.table, sensed)),
            KernelCall(feel, (felt, sensed)),
        ]
        if self._share != _FULL:
            own, given = np.zeros(own.shape), own
            calls.append(KernelCall(share_out, (given, self._share, own)))
        calls += [
            KernelCall(decide, (own, sensed, self.table, acts, self._out, dt)),
            KernelCall(command, (self._out, motors, *other_slots, TICK)),
            KernelCall(write_readings, (self._out, acts, self.readings)),
        ]
        return tuple(calls)

    def _slots(self, name: str, given: str) -> Slots:
        port = self.ports.outputs.get(name)
        return (_NOBODY, 0) if port is None else (port.slots, port.number(given)[0])


@compiled
def estimate_state(
    position: Floats,
    orientation: Floats,
    ranges: Floats,
    bearings: Floats,
    motors: Slots,
    table: Floats,
    sensed: Floats,
) -> None:
    """Write places, headings, speeds, and what the sonars see ahead and to both sides."""
    slots, driving = motors
    for i in range(sensed.shape[0]):
        sensed[i, acting.X], sensed[i, acting.Y] = position[i, 0], position[i, 1]
        w, x, y, z = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        sensed[i, acting.HEADING] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        sensed[i, acting.SPEED] = slots[i, VALUES] if slots[i, NUMBER] == driving else 0.0
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
def feel(felt: tuple[Floats, Floats, Floats, Floats, Floats, Floats], sensed: Floats) -> None:
    """Write touches, borders and shots."""
    front, rear, ahead, left, right, shots = felt
    for i in range(sensed.shape[0]):
        sensed[i, acting.FRONT], sensed[i, acting.REAR] = front[i, 0], rear[i, 0]
        sensed[i, acting.AHEAD], sensed[i, acting.LEFT], sensed[i, acting.RIGHT] = ahead[i, 0], left[i, 0], right[i, 0]
        sensed[i, acting.SHOT] = shots[i, 0]


@compiled
def share_out(given: Floats, share: int, own: Floats) -> None:
    """Write the part of the commands that is carried out on board: the first step of a sequence, or none at all."""
    for i in range(own.shape[0]):
        for k in range(own.shape[1]):
            own[i, k] = given[i, k] if k < _ONE or share == _NONE else 0.0
        if share == _NONE:
            own[i, NUMBER] = 0.0


@compiled
def decide(own: Floats, sensed: Floats, table: Floats, memory: Floats, out: Floats, dt: float) -> None:
    """Decide for all robots."""
    for i in range(sensed.shape[0]):
        acting.act(own[i], sensed[i], table, i, memory[i], out[i], dt)


@compiled
def command(out: Floats, motors: Slots, shooter: Slots, beeper: Slots, tick: int) -> None:
    """Command the siblings as `CommandPort.give` does."""
    for i in range(out.shape[0]):
        if out[i, acting.DRIVES] > 0.0:
            _give(motors, i, out[i, acting.V], out[i, acting.W], tick)
        if out[i, acting.TARGET] >= 0.0:
            _give(shooter, i, out[i, acting.TARGET], 0.0, tick)
        if out[i, acting.BEEPS] > 0.0:
            _give(beeper, i, 0.0, 0.0, tick)


@compiled
def _give(port: Slots, i: int, first: float, second: float, tick: int) -> None:
    slots, number = port
    if i < slots.shape[0]:
        slots[i, STAMP], slots[i, NUMBER] = -1.0 - tick, number
        for k in range(VALUES, slots.shape[1]):
            slots[i, k] = first if k == VALUES else (second if k == VALUES + 1 else 0.0)


@compiled
def write_readings(out: Floats, acts: Floats, readings: Floats) -> None:
    """Write what clients read."""
    for i in range(out.shape[0]):
        readings[i, _READING.doing] = out[i, acting.DOING]
        readings[i, _READING.step] = max(acts[i, acting.STEP], 0.0)
        readings[i, _READING.finished], readings[i, _READING.reflex] = acts[i, acting.FINISHED], acts[i, acting.REFLEX]
        readings[i, _READING.holding], readings[i, _READING.stuck] = acts[i, acting.HOLDING], acts[i, acting.STUCK]
