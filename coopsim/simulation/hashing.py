"""The state hash: equal hashes mean equal states, bit by bit.

It covers bodies, device memory and readings in name order, so that the order of insertion does not matter. What
devices remember of messages alone (how many came, how long ago) is no physics and left out: a run and its
continuation, or one that gets every command twice, have equal hashes as long as they do the same.
"""

from typing import Any, Final

import numpy as np
import xxhash

from coopsim.engines import PhysicsEngine
from coopsim.geometry import Floats, Ints
from coopsim.scene import by_name
from coopsim.simulation.tables import RobotTables

RULE: Final = 2
"""What is hashed: 1 = all that devices remember, 2 = without what they remember of messages."""


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
        order = sorted(range(len(engine.names)), key=lambda row: by_name(engine.names[row]))
        in_order = order == list(range(len(order)))
        self._order: Ints | None = None if in_order else np.array(order, np.int64)
        self._memory = [
            (device, key, hashed_from(device, key, rule))
            for block in tables.blocks
            for device in block.devices.values()
            for key in sorted(device.memory)
        ]

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


def hashed_from(device: Any, key: str, rule: int = RULE) -> int:
    """Return the first column of an array of a device's memory that is hashed."""
    return getattr(device, "message_columns", {}).get(key, 0) if rule > 1 else 0
