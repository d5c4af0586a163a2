"""Beepers: a short beep, for shooting at enemies and for testing.

Source: swarm gaming, section 4.4, table 2.
"""

from collections.abc import Mapping

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.features.games.interfaces.games import BEEPER
from coopsim.geometry import Floats
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, STAMP

_COLUMN, _COMMAND = columns(BEEPER), command_numbers(BEEPER)
_STAMP, _LEFT, _COUNT = range(3)


class Beeper(ArrayDevice):
    """Beeps once for each command.

    Attributes:
        memory: `beeps`: stamp of the last command, time left of the beep [s], beeps so far.
        message_columns: How many of its columns tell of messages alone.
    """

    interface = BEEPER
    message_columns: Mapping[str, int] = {"beeps": 1}

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.memory["beeps"] = np.zeros((len(context.robots), 3))

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what begins the beeps that were commanded."""
        return DeviceCalls((KernelCall(_begin, (commands, self.table, self.memory["beeps"], dt)),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes whether each beeps, and how often it has, shape (n, 2)."""
        return DeviceCalls((KernelCall(_write, (self.memory["beeps"], out)),))


@compiled
def _begin(commands: Floats, table: Floats, beeps: Floats, dt: float) -> None:
    for i in range(beeps.shape[0]):
        beeps[i, _LEFT] = max(beeps[i, _LEFT] - dt, 0.0)
        stamp = commands[i, STAMP]
        is_new = stamp != beeps[i, _STAMP] and commands[i, NUMBER] == _COMMAND.beep
        if not stamp < 0.0:  # those of programs are gone a tick later
            beeps[i, _STAMP] = stamp
        if is_new:
            beeps[i, _LEFT] = table[_COLUMN.length, i]
            beeps[i, _COUNT] += 1.0


@compiled
def _write(beeps: Floats, out: Floats) -> None:
    for i in range(beeps.shape[0]):
        out[i, 0] = 1.0 if beeps[i, _LEFT] > 0.0 else 0.0
        out[i, 1] = beeps[i, _COUNT]
