"""Beepers: a short beep, for shooting at enemies and for testing.

Source: swarm gaming, section 4.4, table 2.
"""

from collections.abc import Mapping

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.geometry import Floats
from coopsim.interfaces import BEEPER, command_numbers
from coopsim.state.layout import NUMBER, STAMP

_COMMAND = command_numbers(BEEPER)
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

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Begin the beeps that were commanded."""
        beeps = self.memory["beeps"]
        np.maximum(beeps[:, _LEFT] - dt, 0.0, out=beeps[:, _LEFT])
        stamps = commands[:, STAMP]
        is_new = (stamps != beeps[:, _STAMP]) & (commands[:, NUMBER] == _COMMAND.beep)
        beeps[:, _STAMP] = np.where(stamps < 0.0, beeps[:, _STAMP], stamps)  # those of programs are gone a tick later
        beeps[is_new, _LEFT] = self.column("length")[is_new]
        beeps[is_new, _COUNT] += 1.0

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write whether each beeps, and how often it has, shape (n, 2)."""
        beeps = self.memory["beeps"]
        out[:, 0], out[:, 1] = beeps[:, _LEFT] > 0.0, beeps[:, _COUNT]
