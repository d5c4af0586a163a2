"""Readings that lie ready: sensing them is a copy."""

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.calls import DeviceCalls
from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall
from coopsim.state.layout import NUMBER, STAMP, VALUES


def copied(readings: Floats, out: Floats) -> DeviceCalls:
    """Return what copies readings, shape (n, width), to where they are shown."""
    return DeviceCalls((KernelCall(_write, (readings, out)),))


@compiled
def give_rows(slots: Floats, robots: NDArray[np.bool_], stamp: float, number: float, values: Floats) -> None:
    """Write a command of each robot that is chosen: stamp, number and values, the rest 0.

    Args:
        slots: Written, shape (n, 2 + width).
        robots: Which, shape (n,).
        stamp: Of the command.
        number: Of the command.
        values: Of each robot, shape (n, k).
    """
    for i in range(slots.shape[0]):
        if robots[i]:
            slots[i, STAMP], slots[i, NUMBER] = stamp, number
            for k in range(slots.shape[1] - VALUES):
                slots[i, VALUES + k] = values[i, k] if k < values.shape[1] else 0.0


@compiled
def _write(readings: Floats, out: Floats) -> None:
    for i in range(readings.shape[0]):
        for k in range(readings.shape[1]):
            out[i, k] = readings[i, k]
