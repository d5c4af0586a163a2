"""Bumpers in a batch: what touched in a space is collected, sorted and felt in one compiled call."""

from typing import Any, cast

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic
from numpy.typing import NDArray
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.devices.bumpers import Bumpers, touch
from coopsim.engines.planar.contacts import COLLECT, EACH_ARBITER, FIELDS, arrange
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.foreign import floats_at, ints_at
from coopsim.kernels.sequence import KernelCall

SPACE = 1
"""Word of the addresses that a call of bumpers begins with where that of the space stands."""
_NUMBERS, _POINTS = 3, 12  # what pymunk collects of each pair: whole numbers, floating ones
_LOW_WORD = 0xFFFFFFFF


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
    rows = np.arange(count, dtype=np.int64)
    names = (rows + 1).astype(np.uintp)  # as `build_space` calls them
    return KernelCall(_feel, (addresses, names, rows, planar, *device.touched_by(count), out)), addresses


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _to_names(_: Any, address: Any) -> Any:
    """Return how an address becomes a pointer to names of bodies."""

    def point(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.inttoptr(given[0], context.get_value_type(signature.return_type))

    return cast("Any", types).CPointer(types.uint64)(address), point


_names_pointer: Any = intrinsic(_to_names)
_array = cast("Any", carray)


@compiled
def _feel(
    addresses: Ints,
    names: NDArray[np.uintp],
    rows: Ints,
    planar: Floats,
    robot_of: Ints,
    threshold: Floats,
    out: Floats,
) -> None:
    whole, floating = ints_at(addresses[4], 2), ints_at(addresses[5], 2)
    whole[0], floating[0] = whole[0] & ~_LOW_WORD, floating[0] & ~_LOW_WORD  # how many are filled
    call_c(addresses[0], (addresses[1], addresses[2], addresses[3]))
    count = (whole[0] & _LOW_WORD) // _NUMBERS
    pairs, points = np.empty((count, 2), np.int64), np.empty((count, 5))
    if count > 0:
        listed = _array(_names_pointer(whole[1]), count * _NUMBERS).reshape((count, _NUMBERS))
        values = floats_at(floating[1], count * _POINTS).reshape((count, _POINTS))
        count = arrange(listed, values, names, rows, pairs, points)
        _sort(pairs[:count], points[:count])
    touch(pairs[:count], points[:count], planar, robot_of, threshold, out)


@compiled
def _sort(pairs: Ints, points: Floats) -> None:
    """Sort contacts by rows, then by place: the order of pymunk follows addresses in memory."""
    for k in range(1, pairs.shape[0]):
        j = k
        while j > 0 and _is_before(pairs, points, j, j - 1):
            for axis in range(2):
                pairs[j, axis], pairs[j - 1, axis] = pairs[j - 1, axis], pairs[j, axis]
            for axis in range(5):
                points[j, axis], points[j - 1, axis] = points[j - 1, axis], points[j, axis]
            j -= 1


@compiled
def _is_before(pairs: Ints, points: Floats, j: int, i: int) -> bool:
    for axis in range(2):
        if pairs[j, axis] != pairs[i, axis]:
            return bool(pairs[j, axis] < pairs[i, axis])
    if points[j, 0] != points[i, 0]:
        return bool(points[j, 0] < points[i, 0])
    return bool(points[j, 1] < points[i, 1])
