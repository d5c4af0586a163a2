"""The state hash: equal hashes mean equal states, bit by bit.

It covers bodies, device memory and readings in name order, so that the order of insertion does not matter. What
devices remember of messages alone (how many came, how long ago) is no physics and left out: a run and its
continuation, or one that gets every command twice, have equal hashes as long as they do the same.
"""

from collections.abc import Sequence
from operator import is_
from typing import Any, Final, NamedTuple, Self

import numpy as np
import xxhash

from coopsim.engines import PhysicsEngine
from coopsim.geometry import Floats, Ints
from coopsim.scene import rows_in_order
from coopsim.simulation.tables import RobotTables

_BODY_ARRAYS = 2  # arrays that are sorted by name before they are hashed
RULE: Final = 3
"""What is hashed: 1 = all that devices remember, 2 = without what they remember of messages.

3 hashes as 2; snapshots then hold what the solver of an engine goes on from, which older ones left out. And ticks
differ: who commands a program of another robot runs before it, listeners are called when a sensor measured, and bodies
that go astray are put back on every engine. Recordings of older rules are done again as they were.
"""
_EXACT_SINCE = 3  # recordings before rule 3 tick as the programs that wrote them


class HashedRows(NamedTuple):
    """Rows that a state hash covers, for `kernels.xxh3.hash_rows`.

    Attributes:
        table: Where it is.
        order: Of the bodies.
        kept: The arrays.
        lasts: Whether it is the same as long as the arrays are: none of them had to be copied.
    """

    table: Ints
    order: Ints
    kept: Sequence[Any]
    lasts: bool

    @classmethod
    def none(cls) -> Self:
        """Return nothing."""
        return cls(np.zeros((0, 5), np.int64), np.zeros(0, np.int64), (), lasts=True)


class StateHash:
    """Hashes the state of one generation.

    Args:
        engine: Its `planar` and `height` are hashed, of one in three dimensions its `poses` and `twists`.
        tables: Device memory and readings; their rows are in name order already.
        rule: `RULE`, or that of an older recording.
    """

    def __init__(self, engine: PhysicsEngine, tables: RobotTables, rule: int = RULE) -> None:
        self._engine, self._tables = engine, tables
        self._is_flat = "height" not in engine.abilities
        order = list(rows_in_order(tuple(engine.names)))
        # mostly so: then nothing is copied for the hash
        in_order = order == list(range(len(order)))
        self._order: Ints | None = None if in_order else np.array(order, np.int64)
        self._memory = [
            (device, key, hashed_from(device, key, rule))
            for block in tables.blocks
            for device in block.devices.values()
            for key in sorted(device.memory)
        ]

    def arrays(self) -> Sequence[Any]:
        """Return what is hashed, whole: two arrays of bodies, the readings, then memories of devices."""
        memories = [device.memory[key] for device, key, _ in self._memory]
        return (*self._bodies(), self._tables.readings, *memories)

    def rows(self, arrays: Sequence[Any]) -> "HashedRows":
        """Return what `digest` hashes as a table for a kernel.

        Args:
            arrays: As `arrays` returns them.
        """
        begins = [0] * (len(arrays) - len(self._memory)) + [begin for _, _, begin in self._memory]
        ordered = 0 if self._order is None else _BODY_ARRAYS
        dense = [np.ascontiguousarray(array) for array in arrays]
        table = [_row(array, begins[k], is_ordered=k < ordered) for k, array in enumerate(dense)]
        order = np.zeros(0, np.int64) if self._order is None else self._order
        lasts = all(map(is_, arrays, dense))
        return HashedRows(np.array(table, np.int64), order, dense, lasts)

    def digest(self) -> bytes:
        """Return 16 bytes, xxh3-128."""
        state = xxhash.xxh3_128()
        for array in self._bodies():
            state.update((array if self._order is None else array[self._order]).data)
        state.update(self._tables.readings.data)
        for device, key, begin in self._memory:
            memory = device.memory[key]
            state.update(np.ascontiguousarray(memory[:, begin:] if begin else memory).data)
        return state.digest()

    def _bodies(self) -> tuple[Floats, Floats]:
        engine = self._engine
        if self._is_flat:
            return engine.planar, engine.height
        return engine.poses, engine.twists


def _row(array: Any, begin: int, *, is_ordered: bool) -> tuple[int, int, int, int, int]:
    """Return the row of an array in one piece, whose columns are hashed from one on, in the table of a kernel."""
    address = array.ctypes.data
    if not array.size or not (begin or is_ordered):
        return address, 1, array.nbytes, 0, 0
    length, skipped = array.strides[0], begin * array.strides[1] if begin else 0
    return address + skipped, len(array), length - skipped, length, int(is_ordered)


def is_exact(rule: int) -> bool:
    """Return whether snapshots of a rule hold what the solver of an engine goes on from, bit by bit."""
    return rule >= _EXACT_SINCE


def ticks_as_before(rule: int) -> bool:
    """Return whether ticks are those of a recording made before rule 3, see `RULE`."""
    return rule < _EXACT_SINCE


def hashed_from(device: Any, key: str, rule: int = RULE) -> int:
    """Return the first column of an array of a device's memory that is hashed."""
    return getattr(device, "message_columns", {}).get(key, 0) if rule > 1 else 0
