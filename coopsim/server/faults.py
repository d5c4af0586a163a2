"""Exceptions that nobody foresaw: all are counted, each kind is logged once, and the run goes on."""

import logging
import threading
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from coopsim.errors import InternalError
from coopsim.suggest import printable

_log = logging.getLogger(__name__)
# kinds come from texts of requests, of which a stranger can send any number
MOST_KINDS = 100
"""Largest number of kinds that are told apart: each has a line in the log and a name in `/sim/info`."""
_REST = "others"
_LONGEST_TEXT = 300
"""Largest number of letters of an exception that a client gets."""


class FaultLog:
    """The faults of one run; any thread may add to them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def note(self, where: str, problem: Exception) -> InternalError:
        """Count an exception, and log the first of its kind with its trace.

        Args:
            where: What failed, `a connection by WebSocket`.
            problem: What it raised.

        Returns:
            The refusal for whoever waits for an answer.
        """
        kind = f"{where}: {type(problem).__name__} at {_line_of(problem)}"
        with self._lock:
            if kind not in self._counts and len(self._counts) >= MOST_KINDS:
                kind = _REST
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            # the trace quotes bytes of clients
            trace = printable("".join(traceback.format_exception(problem)))
            _log.error("bug in %s; the run goes on, /sim/info counts further ones\n%s", kind, trace)
        text = printable(f"{type(problem).__name__}: {problem}"[:_LONGEST_TEXT])
        return InternalError(f"{text}; the host's log has more")

    @property
    def counts(self) -> Mapping[str, int]:
        """Numbers of faults of each kind."""
        with self._lock:
            return dict(self._counts)

    @property
    def total(self) -> int:
        """Number of all faults."""
        with self._lock:
            return self._counts.total()


def _line_of(problem: Exception) -> str:
    """Return the line of our code, or of a library, that raised: `websocket.py:93`."""
    frames = traceback.extract_tb(problem.__traceback__, limit=-1)
    return f"{PurePath(frames[0].filename).name}:{frames[0].lineno}" if frames else "no line"
