"""Round trips to a robot whose processor is busy: processes beside its own multiply matrices all the time.

python -m coopsim.testkit.own_bench.measuring.overloaded ENDPOINT THREADS

The robot is a process of its own that answers by the event channel, as a real one would. What the paper calls
overloading threads are processes here: threads of one Python process share a lock, and would load one core only.

Source: swarm gaming, section 5, table 5.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from coopsim.client import Client, connect
from coopsim.client.events import EventStream
from coopsim.errors import InternalError
from coopsim.interpreter import module_command

_PING, _PONG, _READY = "/swarm/ping", "/swarm/pong", "/swarm/ready"
_SIZE = 10  # a small product that stays in the cache: pure load
_TIMEOUT = 60.0  # s; on purpose the machine is slow


class OverloadedRobot:
    """The process of a robot with busy ones beside it; a context manager.

    Args:
        sim: The run whose event channel it uses.
        busy: How many processes multiply.
    """

    def __init__(self, sim: Client, busy: int) -> None:
        self._sim, self._busy = sim, busy
        self._heard: EventStream | None = None

    def __enter__(self) -> Callable[[int], float]:
        """Start it; return what measures a round trip of so many bytes [ms]."""
        with self._sim.listen(_READY) as ready:
            words = module_command(__name__, self._sim.endpoint, str(self._busy))
            self._process = subprocess.Popen(words)
            if ready.hear(_TIMEOUT) is None:
                self.__exit__()
                raise InternalError("the busy robot does not begin")
        self._heard = self._sim.listen(_PONG)
        return self._round_trip

    def __exit__(self, *_: object) -> None:
        """End it."""
        if self._heard is not None:
            self._heard.close()
        self._process.terminate()
        self._process.wait()

    def _round_trip(self, size: int) -> float:
        begun = time.perf_counter()
        self._sim.publish(_PING, "x" * size)
        event = self._heard.hear(_TIMEOUT) if self._heard is not None else None
        if event is None or len(event.text) != size:
            raise InternalError("the busy robot does not answer")
        return 1e3 * (time.perf_counter() - begun)


def main(endpoint: str, busy: int) -> None:
    """Be the robot."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # which ends those beside it, too
    forked = multiprocessing.get_context("fork")
    for number in range(busy):
        forked.Process(target=_multiply, args=(number, os.getpid()), daemon=True).start()
    with connect(endpoint) as sim, sim.listen(_PING) as heard:
        sim.publish(_READY, "")
        for event in heard:
            sim.publish(_PONG, event.text)


def _multiply(seed: int, robot: int) -> None:
    """Multiply two matrices by chance while the robot is there, number by number as a small robot does."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    noise = np.random.default_rng(seed)
    while os.getppid() == robot:
        first, second = noise.random((2, _SIZE, _SIZE)).tolist()
        columns = list(zip(*second, strict=True))
        [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in first]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
