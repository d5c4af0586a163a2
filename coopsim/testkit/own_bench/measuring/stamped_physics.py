"""Physics process that notes when parts of a tick begin; it is run as a module.

It is the same code with a clock around some methods; each costs 0.3 us more for it. The times are written in the end.
"""

import os
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.geometry import Ints
from coopsim.launch import physics_process
from coopsim.simulation import compiled_tick
from coopsim.simulation.plain_records import PlainRecords
from coopsim.simulation.process import PhysicsProcess

FILE = "COOPSIM_TICK_TIMES"
"""Environment variable that names the file for the times."""
PERMITTED, KERNELS, MOVED, SHOWN, RECORDED, POINTS = range(6)
"""Columns: the wait is over, the first kernel begins, the last one ends, readings are shown, the record is whole."""


class TickTimes:
    """Times of ticks.

    Attributes:
        rows: Those of the ticks that are over, one after the other [ns].
    """

    def __init__(self) -> None:
        self._now = [0] * POINTS
        self.rows = array("q")

    def around(
        self, owner: object, name: str, before: int = -1, after: int = -1, then: Callable[[], object] | None = None
    ) -> None:
        """Note when a method or function is called, and when it returns: the first call of a tick, the last return.

        Args:
            owner: The class, or the module.
            name: Of its method or function.
            before: Column for the call; -1 = none.
            after: Column for the return.
            then: Called in the end.
        """
        method: Callable[..., Any] = getattr(owner, name)
        now, clock = self._now, time.monotonic_ns

        def noting(*arguments: Any, **settings: Any) -> Any:
            if before >= 0 and not now[before]:
                now[before] = clock()
            result = method(*arguments, **settings)
            if after >= 0:
                now[after] = clock()
            if then is not None:
                then()
            return result

        setattr(owner, name, noting)

    def end_tick(self) -> None:
        """Keep the times of a tick."""
        self.rows.extend(self._now)
        self._now[:] = [0] * POINTS


def main(arguments: list[str]) -> int:
    """Run as the physics process does; return its exit code."""
    times = TickTimes()
    times.around(compiled_tick, "run_plan", KERNELS, MOVED)
    times.around(PlainRecords, "begin", after=SHOWN)
    times.around(PlainRecords, "finish", after=RECORDED)
    times.around(PhysicsProcess, "_do_tick", PERMITTED, then=times.end_tick)
    try:
        return physics_process.main(arguments)
    finally:
        np.save(Path(os.environ[FILE]), np.array(times.rows, np.int64).reshape(-1, POINTS))


def read(file: Path) -> Ints:
    """Return the times of all ticks that consisted of compiled calls, shape (n, 5) [ns]."""
    times: Ints = np.load(file)
    return times[(times > 0).all(axis=1)]


if __name__ == "__main__":
    physics_process.end(main(sys.argv[1:]))
