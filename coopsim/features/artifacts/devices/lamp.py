"""Lamps: what they were commanded to be, as readings that pictures and sensors of light go by."""

import numpy as np

from coopsim.devices import ArrayDevice, DeviceContext, SensingWorld
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies
from coopsim.features.artifacts.interfaces import LAMP
from coopsim.geometry import Floats
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.numbers import bounded, finite
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, VALUES

_COLUMN, _COMMAND = columns(LAMP), command_numbers(LAMP)
_WIDTH = 4  # brightness, red, green, blue


class Lamp(ArrayDevice):
    """A light that is switched, dimmed and coloured; it keeps what it was commanded last.

    Attributes:
        memory: `light`: brightness and shares of red, green and blue, shape (n, 4).
    """

    interface = LAMP

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        first = self.table[[_COLUMN.start, _COLUMN.red, _COLUMN.green, _COLUMN.blue]]
        self.memory["light"] = np.ascontiguousarray(first.T)

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls:
        """Return what switches the lamps that were commanded."""
        return DeviceCalls((KernelCall(_switch, (commands, self.memory["light"])),))

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes brightness and colour, shape (n, 4)."""
        return DeviceCalls((KernelCall(_write, (self.memory["light"], self.table, out)),))


@compiled
def _share(value: float) -> float:
    """Return a value within 0 and 1."""
    return max(0.0, bounded(finite(value), 1.0))


@compiled
def _switch(commands: Floats, light: Floats) -> None:
    for i in range(light.shape[0]):
        number = commands[i, NUMBER]
        if number == _COMMAND.switch_on:
            light[i, 0] = 1.0
        elif number == _COMMAND.switch_off:
            light[i, 0] = 0.0
        elif number in (_COMMAND.dim, _COMMAND.shine):
            for k in range(_WIDTH if number == _COMMAND.shine else 1):
                light[i, k] = _share(commands[i, VALUES + k])


@compiled
def _write(light: Floats, table: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        out[i, 0] = table[_COLUMN.power, i] * light[i, 0]
        for k in range(1, _WIDTH):
            out[i, k] = light[i, k]
