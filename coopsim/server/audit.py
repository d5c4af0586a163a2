"""Audit: a line for each edit and claim, with a limit for each key.

Specification: docs/protocol.md, "Security". Lines go to the launcher, which prints them and keeps them in a file.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from coopsim.errors import CoopsimError
from coopsim.interfaces.rights import ChangingCommand, Right
from coopsim.message import Message
from coopsim.server.lockstep.sessions import Session

Line: TypeAlias = tuple[float, str]
MOST_LINES, WINDOW = 30, 10.0
"""Largest number of lines of one key within a window [s]; further ones are counted."""
_SECRETS = {"claim_with"}
_LONGEST_VALUE, _LONGEST_LINE = 60, 240


class Audit:
    """Collects lines; any thread may tell.

    Args:
        is_complete: Whether claims and parameters of robots are recorded, too, and not only edits of the simulation.
        is_silent: Whether nothing is recorded.
        anybody: What a client without a key is called.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        *,
        is_complete: bool = True,
        is_silent: bool = False,
        anybody: str = "someone on loopback",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._is_complete, self._is_silent = is_complete, is_silent
        self._anybody, self._clock = anybody, clock
        self._lock = threading.Lock()
        self._lines: deque[Line] = deque()
        self._windows: dict[str, list[float]] = {}

    def did(self, session: Session, request: Message, deed: ChangingCommand, problem: CoopsimError | None) -> None:
        """Record a request, and the reason of an immediate refusal."""
        if self._is_silent or not deed.is_audited or not (self._is_complete or deed.right is Right.ALL):
            return
        refusal = f": refused, {problem.code} {type(problem).__name__}" if problem is not None else ""
        self.record(session.label if session.keyed is not None else self._anybody, f"{_shown(request, deed)}{refusal}")

    def record(self, who: str, what: str) -> None:
        """Note a line; beyond the limit it is only counted."""
        now = self._clock()
        with self._lock:
            window = self._windows.get(who)
            if window is None or now - window[0] >= WINDOW:
                self._close(who, now)
                window = self._windows[who] = [now, 0.0]
            window[1] += 1
            if window[1] <= MOST_LINES:
                self._lines.append((now, f"{who}: {what}"))

    def take(self, *, is_last: bool = False) -> list[Line]:
        """Return, and forget, the lines since the last time.

        Args:
            is_last: Whether there will be no more, so that also what was left out just now is counted.
        """
        now = self._clock()
        with self._lock:
            for who in [who for who, (begun, _) in self._windows.items() if is_last or now - begun >= WINDOW]:
                self._close(who, now)
            lines = list(self._lines)
            self._lines.clear()
        return lines

    def _close(self, who: str, now: float) -> None:
        _, count = self._windows.pop(who, (now, 0.0))
        if count > MOST_LINES:
            self._lines.append((now, f"{who}: {count - MOST_LINES:.0f} more lines left out"))


def _shown(request: Message, deed: ChangingCommand) -> str:
    values = () if deed.name in _SECRETS else (*request.params, *request.data)
    words = [f"{request.target} {deed.name}"]
    for value in values:
        words.append(_readable(value if isinstance(value, str) else f"{value:g}"))
        if sum(map(len, words)) > _LONGEST_LINE:
            words.append("…")
            break
    return " ".join(words)


def _readable(text: str) -> str:
    """Return foreign text in one line, without control characters."""
    line = "; ".join(text.split("\n"))
    safe = "".join(letter if letter.isprintable() else "?" for letter in line[: _LONGEST_VALUE + 1])
    return safe if len(safe) <= _LONGEST_VALUE else f"{safe[:_LONGEST_VALUE]}…"
