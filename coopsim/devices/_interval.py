"""Sensors that measure at an interval of ticks and hold their readings between."""

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled


def due(next_tick: Floats, interval: Floats, tick: int) -> Ints:
    """Return the rows whose reading is due now, and note when their next one is.

    Args:
        next_tick: When each row is due, shape (n,), changed in place; 0 = now.
        interval: Ticks between two readings, shape (n,).
        tick: Number of this tick. One far before `next_tick` is due too: the interval was shortened.
    """
    rows = np.empty(next_tick.shape[0], np.int64)
    return rows[: _collect(next_tick, interval, tick, rows)]


@compiled
def _collect(next_tick: Floats, interval: Floats, tick: int, rows: Ints) -> int:
    count = 0
    for i in range(next_tick.shape[0]):
        if tick >= next_tick[i] or tick < next_tick[i] - interval[i]:
            next_tick[i] = tick + interval[i]
            rows[count] = i
            count += 1
    return count
