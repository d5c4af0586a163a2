"""A thread for slow work, such as reading and writing files; no other request waits for it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from coopsim.errors import CoopsimError
from coopsim.server.faults import FaultLog

_T = TypeVar("_T")


class BackgroundWorker:
    """Does one piece of work after the other, in the order in which they came.

    Args:
        lock: Held while results are handed over; None = one of its own.
        faults: Exceptions that nobody foresaw; None = its own.
    """

    def __init__(self, lock: AbstractContextManager[bool] | None = None, faults: FaultLog | None = None) -> None:
        self._faults = faults or FaultLog()
        self._lock: AbstractContextManager[bool] = lock or threading.RLock()
        self._thread = ThreadPoolExecutor(1, "background")

    def do(self, work: Callable[[], _T], done: Callable[[_T], None], failed: Callable[[CoopsimError], None]) -> None:
        """Do `work` in the thread; hand what it returns to `done`, or what it raises to `failed`."""
        self._thread.submit(self._do, work, done, failed)

    def wait(self) -> None:
        """Wait until everything that was asked for is done."""
        rest: Future[None] = self._thread.submit(lambda: None)
        rest.result()

    def close(self) -> None:
        """Finish the present work and forget the rest."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _do(self, work: Callable[[], _T], done: Callable[[_T], None], failed: Callable[[CoopsimError], None]) -> None:
        try:
            result = work()
        except Exception as problem:
            refusal = self._refusal("work in the background", problem)
            with self._lock:
                failed(refusal)
            return
        with self._lock:
            try:
                done(result)
            except Exception as problem:
                failed(self._refusal("the end of work in the background", problem))

    def _refusal(self, where: str, problem: Exception) -> CoopsimError:
        return problem if isinstance(problem, CoopsimError) else self._faults.note(where, problem)
