"""Order of edits on their way to the source: one of each connection at a time, in rotation."""

from collections import deque
from collections.abc import Callable, Hashable

MOST_UNDER_WAY = 4
"""Largest number of edits that the source has at once: a tick waits for no more of them."""

Start = Callable[[], None]


class FairQueue:
    """A fair queue: a thousand edits of one connection do not delay those of others.

    Pure logic without a lock; one thread at a time may use it.

    Args:
        most: How many may be under way at once.
    """

    def __init__(self, most: int = MOST_UNDER_WAY) -> None:
        self._most = most
        self._waiting: dict[Hashable, deque[tuple[Start, bool]]] = {}
        self._under_way: set[Hashable] = set()
        self._is_pumping = False

    def enter(self, who: Hashable, start: Start, *, occupies: bool = True) -> None:
        """Call `start` when it is the turn of `who`, at once if it can be.

        Args:
            who: A connection.
            start: Sends the edit.
            occupies: Whether it is under way until `leave`; what lasts for long must not keep `who` from ending it.
        """
        self._waiting.setdefault(who, deque()).append((start, occupies))
        self._pump()

    def leave(self, who: Hashable) -> None:
        """Note that the edit of `who` that was under way is answered."""
        self._under_way.discard(who)
        self._pump()

    def is_waiting(self, who: Hashable) -> bool:
        """Return whether something of `who` was not started yet."""
        return who in self._waiting

    def forget(self, who: Hashable) -> None:
        """Drop the edits of a closed connection that were not started yet."""
        self._waiting.pop(who, None)

    def _pump(self) -> None:
        if self._is_pumping:  # a start that is answered at once comes back here
            return
        self._is_pumping = True
        try:
            while (who := self._next()) is not None:
                self._start(who)
        finally:
            self._is_pumping = False

    def _next(self) -> Hashable | None:
        if len(self._under_way) >= self._most:
            return None
        return next((who for who in self._waiting if who not in self._under_way), None)

    def _start(self, who: Hashable) -> None:
        queue = self._waiting.pop(who)
        start, occupies = queue.popleft()
        if queue:
            self._waiting[who] = queue  # behind the others
        if occupies:
            self._under_way.add(who)
        start()
