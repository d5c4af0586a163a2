"""Contacts in a space of Chipmunk, in a fixed order."""

import numpy as np
from numpy.typing import NDArray
from pymunk import batch
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.calls import ContactCalls
from coopsim.engines.contract import Contacts
from coopsim.engines.planar.space import PlanarSpace
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled, inlined
from coopsim.kernels.foreign import floats_at, ints_at, words_at
from coopsim.kernels.grid import sort_by_cell
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


_NAMES, _VALUES = 3, 12
"""What pymunk collects of each pair: whole numbers, floating ones."""
_LOW_WORD = 0xFFFFFFFF
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_FEW = 16  # contacts that are sorted by exchanging neighbours alone
_PER_BODY, _ROOM = 4, 64
"""Contacts for which there is room: in a dense crowd of discs there are three for each body."""
_NONE = Contacts(np.empty((0, 2), np.int64), np.empty((0, 5)))


class ContactReader:
    """Reads the contacts of a space out of pymunk, into memory that serves every tick."""

    def __init__(self) -> None:
        self._buffer = batch.Buffer()  # pymunk never frees the memory behind one
        self._batch = ffi.new("pmBatchedData *")
        self._batch.fields = FIELDS.value
        self._batch.floatArray, self._batch.intArray = self._buffer._float_arr, self._buffer._int_arr  # noqa: SLF001

    def calls(self, space: PlanarSpace, table: NDArray[np.uintp]) -> ContactCalls:
        """Return the call that reads what `read` returns, and expects that there is room for it."""
        heads = self._batch.intArray, self._batch.floatArray
        pointers = EACH_ARBITER, space.pointer, COLLECT, self._batch, *heads
        addresses = np.array([int(ffi.cast("uintptr_t", pointer)) for pointer in pointers], np.int64)
        room = _ROOM + _PER_BODY * len(table) // 2
        count, contacts = np.zeros(1, np.int64), Contacts(np.empty((room, 2), np.int64), np.empty((room, 5)))
        call = KernelCall(_read, (addresses, table, count, contacts.pairs, contacts.points), expects=0)
        return ContactCalls((call,), count, contacts)

    def read(self, space: PlanarSpace, table: NDArray[np.uintp]) -> Contacts:
        """Return the touching pairs of the last step, a fixed body or else the higher row second, sorted by rows.

        Args:
            space: After a step.
            table: Rows of the moving bodies, as `rows_by_name` has them.
        """
        self._buffer.clear()
        lib.cpSpaceEachCachedArbiter(space.pointer, COLLECT, self._batch)  # `batch` makes objects each time
        if not self._batch.intArray.num:
            return _NONE
        names = np.frombuffer(self._buffer.int_buf(), np.uintp).reshape(-1, 3)
        values = np.frombuffer(self._buffer.float_buf(), np.float64).reshape(-1, 12)
        pairs, points = np.empty((len(names), 2), np.int64), np.empty((len(names), 5))
        count = arrange(names, values, table, pairs, points)
        pairs, points = pairs[:count], points[:count]
        sort(pairs, points)
        return Contacts(pairs, points)


@compiled
def _read(addresses: Ints, table: NDArray[np.uintp], count: Ints, pairs: Ints, points: Floats) -> int:
    """Write the sorted contacts of the last step and their number; return for how many there is no room, or 0."""
    names, values = collected(addresses)
    count[0] = 0
    if names.shape[0] > pairs.shape[0]:
        return int(names.shape[0])
    count[0] = arrange(names, values, table, pairs, points)
    sort(pairs[: count[0]], points[: count[0]])
    return 0


@compiled
def collected(addresses: Ints) -> tuple[NDArray[np.uintp], Floats]:
    """Return what pymunk collects of each pair of the last step, views of its memory, shape (k, 3) and (k, 12).

    Args:
        addresses: Of the function for each pair, the space, what collects it, its batch, and the heads of its arrays.
    """
    # a head: how many numbers are filled, and for how many there is room, in one word; then where they are
    whole, floating = ints_at(addresses[4], 2), ints_at(addresses[5], 2)
    whole[0], floating[0] = whole[0] & ~_LOW_WORD, floating[0] & ~_LOW_WORD
    call_c(addresses[0], (addresses[1], addresses[2], addresses[3]))
    count = (whole[0] & _LOW_WORD) // _NAMES
    names = words_at(whole[1], count * _NAMES).reshape((count, _NAMES))
    return names, floats_at(floating[1], count * _VALUES).reshape((count, _VALUES))


@compiled
def sort(pairs: Ints, points: Floats) -> None:
    """Sort contacts by rows, then by place: the order of pymunk follows addresses in memory."""
    count = pairs.shape[0]
    if count > _FEW:
        # by the first row at once; what is left to be exchanged then lies side by side
        order, firsts = np.empty(count, np.int64), pairs[:, 0] + 1
        sort_by_cell(firsts, np.empty(firsts.max() + 2, np.int64), order)
        as_listed, places = pairs.copy(), points.copy()
        for k in range(count):
            pairs[k], points[k] = as_listed[order[k]], places[order[k]]
    for k in range(1, count):
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


@compiled
def arrange(names: NDArray[np.uintp], values: Floats, table: NDArray[np.uintp], pairs: Ints, points: Floats) -> int:
    """Write rows, middle of the contact, normal and size of the impulse of each touching pair; return their number.

    Args:
        names: Names of both bodies and number of contact points, shape (k, 3).
        values: Impulse, normal, and both ends of the first and second contact point, shape (k, 12).
        table: Rows of the moving bodies, as `rows_by_name` has them.
        pairs: Shape (k, 2).
        points: Shape (k, 5).
    """
    count = 0
    for k in range(names.shape[0]):
        if names[k, 2] == 0:
            continue  # pairs that parted stay listed for some steps, without points
        first, second, side = _row(names[k, 0], table), _row(names[k, 1], table), 1.0
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
def rows_by_name(ids: NDArray[np.uintp]) -> NDArray[np.uintp]:
    """Return a table in which kernels find the rows of bodies by pymunk's names of them, shape (a power of 2, 2).

    Source: D. Knuth, The Art of Computer Programming 3, section 6.4 (Fibonacci hashing, linear probing).
    """
    size = 2
    while size < 2 * ids.size:
        size *= 2
    table = np.zeros((size, 2), np.uintp)
    for row in range(ids.size):
        place = _slot_of(ids[row], size)
        while table[place, 0] != 0:
            place = (place + 1) & (size - 1)
        table[place, 0], table[place, 1] = ids[row], row
    return table


@inlined
def _slot_of(name: int, size: int) -> int:
    """Return where in a table of `size` places a name is looked for first."""
    # names are addresses at equal distances: the product spreads them, and its high bits are the best
    return int((np.uint64(name) * _GOLDEN) >> np.uint64(32)) & (size - 1)


@compiled
def _row(name: int, table: NDArray[np.uintp]) -> int:
    """Return the row of a body, -1 for a fixed one."""
    size = table.shape[0]
    place = _slot_of(name, size)
    while table[place, 0] != 0:
        if table[place, 0] == name:
            return int(table[place, 1])
        place = (place + 1) & (size - 1)
    return -1
