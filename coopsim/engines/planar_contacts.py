"""What touches in a pymunk space, in a fixed order."""

import numpy as np
import pymunk
from numpy.typing import NDArray
from pymunk import batch

from coopsim.engines.contract import Contacts
from coopsim.geometry import Floats, Ints

_FIELDS = (
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


def touching(space: pymunk.Space, ids: NDArray[np.uintp], buffer: batch.Buffer) -> Contacts:
    """Return the touching pairs of the last step.

    Args:
        space: After a step.
        ids: pymunk's name of each row, shape (n,).
        buffer: Memory to work in.
    """
    buffer.clear()
    batch.get_space_arbiters(space, _FIELDS, buffer)
    names = np.frombuffer(buffer.int_buf(), np.uintp).reshape(-1, 3)
    values = np.frombuffer(buffer.float_buf(), np.float64).reshape(-1, 12)
    # pairs that parted stay listed for some steps, without points
    touch = names[:, 2] > 0
    names, values = names[touch], values[touch]
    return _ordered(_rows(ids, names[:, :2]), _points(names[:, 2], values))


def _rows(ids: NDArray[np.uintp], wanted: NDArray[np.uintp]) -> Ints:
    if not ids.size:
        return np.full(wanted.shape, -1, np.int64)
    order = np.argsort(ids)
    found = order[np.searchsorted(ids, wanted, sorter=order).clip(max=ids.size - 1)]
    return np.where(ids[found] == wanted, found, -1)


def _points(counts: NDArray[np.uintp], values: Floats) -> Floats:
    """Return middle of the contact, normal and size of the impulse, shape (k, 5)."""
    impulse, normal, ends = values[:, :2], values[:, 2:4], values[:, 4:].reshape(-1, 2, 2, 2)
    middles = ends.mean(axis=2)
    point = np.where(counts[:, np.newaxis] == 2, middles.mean(axis=1), middles[:, 0])
    return np.column_stack([point, normal, np.hypot(impulse[:, 0], impulse[:, 1])])


def _ordered(pairs: Ints, points: Floats) -> Contacts:
    """Put the moving body, or the lower row, first, and sort: pymunk's own order follows memory addresses."""
    first, second = pairs[:, 0], pairs[:, 1]
    swap = (first < 0) | ((second >= 0) & (second < first))
    pairs[swap] = pairs[swap, ::-1]
    points[swap, 2:4] *= -1.0
    order = np.lexsort((points[:, 1], points[:, 0], pairs[:, 1], pairs[:, 0]))
    return Contacts(pairs[order], points[order])
