"""Bumpers in a batch: what touched in a space is collected, sorted and felt in one compiled call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.planar.contacts import COLLECT, EACH_ARBITER, FIELDS, arrange, collected, rows_by_name, sort
from coopsim.features.sensors.bumpers import Bumpers, touch
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

SPACE = 1
"""Word of the addresses that a call of bumpers begins with where that of the space stands."""


class ContactBuffers:
    """Memory in which pymunk collects the contacts of one world after the other, of its own for each world."""

    def __init__(self, worlds: int) -> None:
        self._whole = [ffi.gc(lib.pmIntArrayNew(0), lib.pmIntArrayFree) for _ in range(worlds)]
        self._floating = [ffi.gc(lib.pmFloatArrayNew(0), lib.pmFloatArrayFree) for _ in range(worlds)]
        self._batches = ffi.new("pmBatchedData[]", worlds)
        for batch, whole, floating in zip(self._batches, self._whole, self._floating, strict=True):
            batch.intArray, batch.floatArray, batch.fields = whole, floating, FIELDS.value
        heads = [self._whole, self._floating, [ffi.addressof(self._batches, k) for k in range(worlds)]]
        self.addresses: Ints = np.array([[_address(head) for head in column] for column in heads], np.int64).T
        """Where whole and floating numbers and what collects them are, shape (worlds, 3)."""


def touch_call(device: Bumpers, planar: Floats, out: Floats) -> tuple[KernelCall, Ints]:
    """Return the call that has bumpers feel, and the addresses that each world has of its own.

    Args:
        device: The bumpers of one type of robots.
        planar: Where the bodies are, shape (n, 6).
        out: Gets the readings.
    """
    addresses = np.array([_address(EACH_ARBITER), 0, _address(COLLECT), 0, 0, 0], np.int64)
    count = planar.shape[0]
    table = rows_by_name(np.arange(1, count + 1).astype(np.uintp))  # as `build_space` calls them
    return KernelCall(_feel, (addresses, table, planar, *device.touched_by(count), out)), addresses


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


@compiled
def _feel(
    addresses: Ints,
    table: NDArray[np.uintp],
    planar: Floats,
    robot_of: Ints,
    threshold: Floats,
    out: Floats,
) -> None:
    names, values = collected(addresses)
    pairs, points = np.empty((names.shape[0], 2), np.int64), np.empty((names.shape[0], 5))
    count = arrange(names, values, table, pairs, points)
    pairs, points = pairs[:count], points[:count]
    sort(pairs, points)
    touch(pairs, points, planar, robot_of, threshold, out)
