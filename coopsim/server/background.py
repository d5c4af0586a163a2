"""A thread for slow work, such as reading and writing files; no other request waits for it."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from coopsim.errors import CoopsimError, InternalError

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class BackgroundWorker:
    """Does one piece of work after the other, in the order in which they came.

    Args:
        lock: Held while results are handed over; None = one of its own.
    """

    def __init__(self, lock: AbstractContextManager[bool] | None = None) -> None:
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
        except CoopsimError as problem:
            with self._lock:
                failed(problem)
        except Exception as problem:
            _log.exception("bug in the background worker")
            with self._lock:
                failed(InternalError(f"{type(problem).__name__}: {problem}; the host's log has more"))
        else:
            with self._lock:
                done(result)
