"""Readings that lie ready: sensing them is a copy."""

from coopsim.devices.calls import DeviceCalls
from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall


def copied(readings: Floats, out: Floats) -> DeviceCalls:
    """Return what copies readings, shape (n, width), to where they are shown."""
    return DeviceCalls((KernelCall(_write, (readings, out)),))


@compiled
def _write(readings: Floats, out: Floats) -> None:
    for i in range(readings.shape[0]):
        for k in range(readings.shape[1]):
            out[i, k] = readings[i, k]
