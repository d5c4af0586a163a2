"""Lobby of a match: robots stand until those who play are ready, then a countdown begins."""

import math
import os
from collections.abc import Collection, Mapping
from typing import Any

from coopsim.errors import BadArgument
from coopsim.features.games.logic.seats import LOBBY_PATIENCE, PATIENCE
from coopsim.features.matches.events import BEGINS
from coopsim.suggest import listed

_REPEATED = 2.0
"""Time after which everything is told again, for those who join a lobby late [s]."""
COUNTDOWN = 5.0
"""Time from the last player's word to the beginning of the match [s]: a hand finds the mouse in it."""

VARIABLE = "COOPSIM_LOBBY"
"""Environment variable: longest wait for players of a match whose scenario names none [s]."""


def longest_wait(game: Mapping[str, Any]) -> float:
    """Return how long the players of a match are waited for at most [s], 0 = there is no lobby.

    A window sets the variable for the matches that it starts: who opens one has to find the mouse first.

    Args:
        game: What its scenario says of it.

    Raises:
        BadArgument: The variable names no time.
    """
    if "lobby" in game:
        return float(game["lobby"])
    text = os.environ.get(VARIABLE) or "0"
    try:
        wait = float(text)
    except ValueError:
        wait = math.nan
    if not 0.0 <= wait < math.inf:
        raise BadArgument(
            f"the variable {VARIABLE}: expected seconds from 0 on, got {text!r}; unset it, or set another"
        )
    return wait


class Lobby:
    """Time before a match. Computer players wait with everybody else.

    The countdown begins when all who hold a seat are ready, or when the longest wait is over.

    Args:
        longest: Simulated time that players are waited for at most [s], 0 = there is no lobby.

    Attributes:
        is_open: Whether the match has not begun.
        text: Why not, for people.
    """

    def __init__(self, longest: float) -> None:
        self.is_open = longest > 0.0
        self._longest, self._opened, self._begins = longest, math.nan, math.inf
        self._began, self._due, self.text = 0.0, 0.0, ""

    def match_time(self, time: float) -> float:
        """Return the time of the match at a simulated time [s]; it begins at 0 when the lobby closes."""
        if self.is_open:
            self._began = time
        return time - self._began

    def patience(self, time: float) -> float:
        """Return how long who holds a seat may be silent at a time of the match [s]: less before and soon after it."""
        is_early = self._longest > 0.0 and (self.is_open or time < LOBBY_PATIENCE)
        return LOBBY_PATIENCE if is_early else PATIENCE

    def is_repeat_due(self, time: float) -> bool:
        """Return whether everything is to be told again at a simulated time [s], for those who came meanwhile."""
        is_due = time >= self._due
        self._due = time + _REPEATED if is_due else self._due
        return is_due

    def update(self, time: float, seats: Mapping[str, str], ready: Collection[str]) -> list[str]:
        """Count down, or wait; return what players are told.

        Args:
            time: Simulated time [s].
            seats: Who holds the seat of each player, "" = nobody.
            ready: Players that are ready.
        """
        if math.isnan(self._opened):
            self._opened = time
        awaited = [player for player, holder in seats.items() if holder and player not in ready]
        is_anybody = any(seats.values())
        if math.isinf(self._begins) and ((is_anybody and not awaited) or time >= self._opened + self._longest):
            self._begins = time + COUNTDOWN
        elif self.is_open and not is_anybody and time < self._opened + self._longest:
            self._begins = math.inf  # all who were ready have gone
        # a fast simulation passes the instant of the beginning between two updates
        left = max(0, math.ceil(self._begins - time - 1e-9)) if math.isfinite(self._begins) else -1
        if left == 0:
            self.is_open = False
        return self._news(left, awaited, seats)

    def _news(self, left: int, awaited: list[str], seats: Mapping[str, str]) -> list[str]:
        """Return what is new since it was told last."""
        if left == 0:
            text = BEGINS
        elif left > 0:
            text = f"the match begins in {left} s"
        elif awaited:
            text = f"waits until {listed(awaited)} {'is' if len(awaited) == 1 else 'are'} ready"
        else:
            text = f"waits for players: {listed(seats)}"
        is_new, self.text = text != self.text, text
        return [text] if is_new else []
