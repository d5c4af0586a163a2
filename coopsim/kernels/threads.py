"""Kernels over many rows, shared among cores: a row has the same bits whoever computes it."""

import itertools
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

from coopsim.kernels.sharing import MOST_HELPERS, CallBoard
from coopsim.processors import usable_cores

Part: TypeAlias = Callable[[int, int, int], float]
"""Does, as part number so-and-so, the rows from a first one up to a last one, which is not included."""
_Order: TypeAlias = tuple[list[tuple[int, int, int]], Part, "SimpleQueue[Any]"]
_PER_THREAD = 16
"""Parts for each thread: who is late leaves more to the others."""
_PER_LEAST = 4
"""Threads for as much work as makes two faster than one. On 16 idle cores 1000 robots need these; more gain nothing."""
_SMALLEST = 64  # rows; a smaller part takes less time than to hand it over


class KernelThreads:
    """Threads that share the rows of a kernel that gives up Python's lock; one means no threads.

    Attributes:
        count: How many take part, the caller included.
    """

    def __init__(self) -> None:
        self.count = 1
        self._orders: SimpleQueue[_Order] = SimpleQueue()
        self._started = 0
        self._board = CallBoard()
        self._helping = 0

    @property
    def board(self) -> int:
        """Address of the board where calls are opened to the helpers."""
        return self._board.address

    def sharing(self, work: int, least: int) -> int:
        """Return how many threads share some work, 1 = one does it alone.

        Args:
            work: How much there is, such as rays.
            least: Work from which on two threads are faster than one.
        """
        wanted = 1 + _PER_LEAST * work // least if work >= least else 1
        return min(self.count, wanted, 1 + MOST_HELPERS)

    def start_helpers(self, wanted: int) -> None:
        """Start threads that help with the calls of kernels that are made together, at most `MOST_HELPERS`."""
        while self._helping < wanted:
            self._board.admit(self._helping)
            threading.Thread(target=self._board.help, args=(self._helping,), name="kernels", daemon=True).start()
            self._helping += 1

    def use(self, count: int = 0) -> None:
        """Use so many threads from now on; 0 = as many as there are cores."""
        self.count = count or usable_cores()

    def forget(self) -> None:
        """Begin anew in a process that was forked: threads stay with the other one."""
        self._orders, self._started = SimpleQueue(), 0
        self._board.renew()
        self._helping = 0

    def run(self, rows: int, do: Part, most: int = 64) -> list[float]:
        """Have all rows done in parts, each by some thread; return what the parts return, in any order.

        What a part raises is raised here, after all parts are done.

        Args:
            rows: How many there are.
            do: Does a part.
            most: Largest number of parts.
        """
        parts = parts_of(rows, min(self.count, most // _PER_THREAD))
        while self._started < self.count - 1:
            threading.Thread(target=self._help, args=(self._orders,), name="kernels", daemon=True).start()
            self._started += 1
        left, done = list(parts), SimpleQueue[Any]()
        for _ in range(min(self.count, len(parts)) - 1):
            self._orders.put((left, do, done))
        _work(left, do, done)
        outcomes = [done.get() for _ in parts]
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return outcomes

    @staticmethod
    def _help(orders: "SimpleQueue[_Order]") -> None:
        while True:
            _work(*orders.get())


def parts_of(rows: int, threads: int) -> list[tuple[int, int, int]]:
    """Return number, first and last row of each part, all of about the same length."""
    # parts do not depend on which thread does them, nor do results: bits are those of one thread
    count = max(min(_PER_THREAD * threads, rows // _SMALLEST), 1)
    ends = [rows * part // count for part in range(count + 1)]
    return [(number, first, last) for number, (first, last) in enumerate(itertools.pairwise(ends))]


def _work(left: list[tuple[int, int, int]], do: Part, done: "SimpleQueue[Any]") -> None:
    """Do parts while some are left; taking one from the list is a single step for all threads."""
    while True:
        try:
            part = left.pop()
        except IndexError:
            return
        try:
            done.put(do(*part))
        except BaseException as problem:  # whoever waits for the part must hear of it
            done.put(problem)


THREADS = KernelThreads()
"""Those of this process. Physics of a run uses all cores; who simulates in a program says so."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=THREADS.forget)
