"""Contacts in a pymunk space, in a fixed order."""

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.contract import Contacts
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.sequence import KernelCall

FIELDS = (
    batch.ArbiterFields.BODY_A_ID
    | batch.ArbiterFields.BODY_B_ID
    | batch.ArbiterFields.CONTACT_COUNT
    | batch.ArbiterFields.TOTAL_IMPULSE
    | batch.ArbiterFields.NORMAL
    | batch.ArbiterFields.POINT_A_1
    | batch.ArbiterFields.POINT_B_1
    | batch.ArbiterFields.POINT_A_2
    | batch.ArbiterFields.POINT_B_2
)
EACH_ARBITER = ffi.addressof(lib, "cpSpaceEachCachedArbiter")
COLLECT = ffi.addressof(lib, "pmSpaceArbiterIteratorFuncBatched")


_NONE = Contacts(np.empty((0, 2), np.int64), np.empty((0, 5)))


class ContactReader:
    """Reads the contacts of a space out of pymunk, into memory that serves every tick."""

    def __init__(self) -> None:
        self._buffer = batch.Buffer()  # pymunk never frees the memory behind one
        self._batch = ffi.new("pmBatchedData *")
        self._batch.fields = FIELDS.value
        self._batch.floatArray, self._batch.intArray = self._buffer._float_arr, self._buffer._int_arr  # noqa: SLF001

    def asking(self, space: pymunk.Space) -> KernelCall:
        """Return the call that asks whether anything touched, and expects that nothing did."""
        pointers = (EACH_ARBITER, space._space, COLLECT, self._batch)  # noqa: SLF001 - as above
        calls = np.array([int(ffi.cast("uintptr_t", pointer)) for pointer in pointers], np.int64)
        heads = self._batch.intArray, self._batch.floatArray
        counts = tuple(np.frombuffer(ffi.buffer(head), np.int32) for head in heads)
        return KernelCall(_count, (calls, counts), expects=0)

    def read(self, space: pymunk.Space, ids: NDArray[np.uintp], rows: Ints) -> Contacts:
        """Return the touching pairs of the last step, a fixed body or else the higher row second, sorted by rows.

        Args:
            space: After a step.
            ids: pymunk's names of the moving bodies, sorted, shape (n,).
            rows: Our row of each of them, shape (n,).
        """
        self._buffer.clear()
        lib.cpSpaceEachCachedArbiter(space._space, COLLECT, self._batch)  # noqa: SLF001 - `batch` makes objects each time
        if not self._batch.intArray.num:
            return _NONE
        names = np.frombuffer(self._buffer.int_buf(), np.uintp).reshape(-1, 3)
        values = np.frombuffer(self._buffer.float_buf(), np.float64).reshape(-1, 12)
        pairs, points = np.empty((len(names), 2), np.int64), np.empty((len(names), 5))
        count = arrange(names, values, ids, rows, pairs, points)
        pairs, points = pairs[:count], points[:count]
        if count > 1:
            # pymunk's own order follows memory addresses
            order = np.lexsort((points[:, 1], points[:, 0], pairs[:, 1], pairs[:, 0]))
            pairs, points = pairs[order], points[order]
        return Contacts(pairs, points)


@compiled
def _count(calls: Ints, heads: tuple[NDArray[np.int32], NDArray[np.int32]]) -> int:
    """Collect what touched in the last step; return how many numbers that are."""
    whole, floating = heads
    whole[0] = floating[0] = 0  # the first number of each array's head
    call_c(calls[0], (calls[1], calls[2], calls[3]))
    return int(np.int64(whole[0]))


@compiled
def arrange(
    names: NDArray[np.uintp], values: Floats, ids: NDArray[np.uintp], rows: Ints, pairs: Ints, points: Floats
) -> int:
    """Write rows, middle of the contact, normal and size of the impulse of each touching pair; return their number.

    Args:
        names: Names of both bodies and number of contact points, shape (k, 3).
        values: Impulse, normal, and both ends of the first and second contact point, shape (k, 12).
        ids: Names of the moving bodies, sorted, shape (n,).
        rows: Row of each of them, shape (n,).
        pairs: Shape (k, 2).
        points: Shape (k, 5).
    """
    count = 0
    for k in range(names.shape[0]):
        if names[k, 2] == 0:
            continue  # pairs that parted stay listed for some steps, without points
        first, second, side = _row(names[k, 0], ids, rows), _row(names[k, 1], ids, rows), 1.0
        if first < 0 or 0 <= second < first:
            first, second, side = second, first, -1.0
        pairs[count, 0], pairs[count, 1] = first, second
        for axis in range(2):
            middle = (values[k, 4 + axis] + values[k, 6 + axis]) / 2.0
            # two points where sides lie on each other: the middle between both
            if names[k, 2] == 2:
                middle = (middle + (values[k, 8 + axis] + values[k, 10 + axis]) / 2.0) / 2.0
            points[count, axis], points[count, 2 + axis] = middle, side * values[k, 2 + axis]
        points[count, 4] = np.hypot(values[k, 0], values[k, 1])
        count += 1
    return count


@compiled
def _row(name: int, ids: NDArray[np.uintp], rows: Ints) -> int:
    """Return the row of a body, -1 for a fixed one."""
    # bisection: pymunk's names of bodies are large numbers in an order of their own
    low, high = 0, ids.size
    while low < high:
        middle = (low + high) // 2
        if ids[middle] < name:
            low = middle + 1
        else:
            high = middle
    return int(rows[low]) if low < ids.size and ids[low] == name else -1
