"""Audit: a line for each edit, claim and refusal; printed ones are limited for each key, kept ones are not.

Specification: docs/protocol.md, "Security". Lines go to the launcher, which prints them and keeps them in a file.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from coopsim.errors import CoopsimError, NotAllowed, OwnedByAnother
from coopsim.interfaces.rights import ChangingCommand, Right
from coopsim.message import Message
from coopsim.server.lockstep.sessions import Session

Line: TypeAlias = tuple[float, str]
# a stolen key that is tried by the thousand must not fill the terminal
MOST_LINES, WINDOW = 30, 10.0
"""Largest number of printed lines of one key within a window [s]; further ones are counted."""
MOST_KEPT = 200_000
"""Largest number of lines for the file that wait for a launcher that takes none: 20 to 60 MB."""
# each try as a line would let strangers fill the disk
STRANGER_EVERY = 60.0
"""Interval at which a stranger who tries again and again is recorded, with how often [s]."""
_MOST_STRANGERS = 1000  # who knocks with ever new keys is counted, not listed
_SECRETS = {"claim_with"}
_LONGEST_VALUE, _LONGEST_LINE = 60, 240  # letters; a stranger writes what it likes into a log


class Audit:
    """Collects lines; any thread may tell.

    Args:
        is_complete: Whether claims and parameters of robots are recorded, too, and not only edits of the simulation.
        is_silent: Whether nothing is recorded.
        is_kept: Whether all lines are collected for a file, too.
        anybody: What a client without a key is called.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        *,
        is_complete: bool = True,
        is_silent: bool = False,
        is_kept: bool = False,
        anybody: str = "someone on loopback",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._is_complete, self._is_silent, self._is_kept = is_complete, is_silent, is_kept
        self._anybody, self._clock = anybody, clock
        self._lock = threading.Lock()
        self._lines: deque[Line] = deque()
        self._kept: deque[Line] = deque()
        self._lost = 0
        self._windows: dict[str, list[float]] = {}
        self._strangers: dict[tuple[str, str], list[float]] = {}

    def did(self, session: Session, request: Message, change: ChangingCommand, problem: CoopsimError | None) -> None:
        """Record a request, and the reason of an immediate refusal.

        Commands of every tick are recorded only where they are refused because of who sent them.
        """
        is_forbidden = isinstance(problem, NotAllowed | OwnedByAnother)
        if self._is_silent or not (change.is_audited or is_forbidden):
            return
        if not (self._is_complete or change.right is Right.ALL):
            return
        refusal = f": refused, {problem.code} {type(problem).__name__}" if problem is not None else ""
        self.record(
            session.label if session.keyed is not None else self._anybody,
            f"{_shown(request, change)}{refusal}",
        )

    def record(self, who: str, what: str) -> None:
        """Note a line; beyond the limit it is kept for the file, and counted for the screen."""
        with self._lock:
            self._record(who, what, self._clock())

    def record_stranger(self, address: str, why: str) -> None:
        """Note a connection that was not let in: at once, and again after a minute, with how often it tried."""
        if self._is_silent:
            return
        now = self._clock()
        with self._lock:
            seen = self._strangers.get((address, why))
            if seen is None:
                if len(self._strangers) >= _MOST_STRANGERS:
                    self._forget_stranger(next(iter(self._strangers)), now)
                self._strangers[address, why] = [now, 0.0]
                self._record("stranger", f"refused at {address}: {why}", now)
                return
            seen[1] += 1
            if now - seen[0] >= STRANGER_EVERY:
                self._forget_stranger((address, why), now)
                self._strangers[address, why] = [now, 0.0]

    def drain(self, *, is_last: bool = False) -> list[Line]:
        """Return, and forget, the lines to be printed since the last time.

        Args:
            is_last: Whether there will be no more, so that also what was left out just now is counted.
        """
        now = self._clock()
        with self._lock:
            if is_last:
                for stranger in list(self._strangers):
                    self._forget_stranger(stranger, now)
            for who in [who for who, (begun, _) in self._windows.items() if is_last or now - begun >= WINDOW]:
                self._close(who, now)
            lines = list(self._lines)
            self._lines.clear()
        return lines

    def drain_kept(self) -> list[Line]:
        """Return, and forget, the lines for the file since the last time."""
        with self._lock:
            lines = list(self._kept)
            self._kept.clear()
            if self._lost:
                lines.append((self._clock(), f"the audit: {self._lost} lines lost, {MOST_KEPT} waited to be written"))
                self._lost = 0
        return lines

    def _record(self, who: str, what: str, now: float) -> None:
        window = self._windows.get(who)
        if window is None or now - window[0] >= WINDOW:
            self._close(who, now)
            window = self._windows[who] = [now, 0.0]
        window[1] += 1
        line = now, f"{who}: {what}"
        if window[1] <= MOST_LINES:
            self._lines.append(line)
        if self._is_kept and len(self._kept) < MOST_KEPT:
            self._kept.append(line)
        elif self._is_kept:
            self._lost += 1

    def _close(self, who: str, now: float) -> None:
        _, count = self._windows.pop(who, (now, 0.0))
        if count > MOST_LINES:
            where = "are in the file alone" if self._is_kept else "left out"
            self._lines.append((now, f"{who}: {count - MOST_LINES:.0f} more lines {where}"))

    def _forget_stranger(self, stranger: tuple[str, str], now: float) -> None:
        """Record how often a stranger tried again since it was recorded last."""
        address, why = stranger
        _, count = self._strangers.pop(stranger)
        if count:
            self._record("stranger", f"refused at {address}, {count:.0f} times more: {why}", now)


def _shown(request: Message, change: ChangingCommand) -> str:
    values = () if change.name in _SECRETS else (*request.params, *request.data)
    words = [f"{request.target} {change.name}"]
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
