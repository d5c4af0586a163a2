"""A queue from threads of a middleware into the loop of a gateway: bounded, and the oldest goes first."""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from typing import TypeAlias

from coopsim.features.gateways.codec import GatewayCounts

Work: TypeAlias = Callable[[], Awaitable[None]]
"""What the loop does about something that came."""


class LoopInbox:
    """Work that threads put in and the loop does, one after the other.

    Args:
        loop: That does the work.
        counts: Where dropped messages are counted.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, counts: GatewayCounts) -> None:
        self._loop, self._counts = loop, counts
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Hashable, Work]] = deque()
        self._lengths: Counter[Hashable] = Counter()
        self._is_closed = False
        self._filled = asyncio.Event()
        self._working = loop.create_task(self._work())

    def put(self, key: Hashable, work: Work, most: int) -> None:
        """Add work; of that with the same key at most `most` waits. May be called from any thread."""
        with self._lock:
            if self._is_closed:
                return
            if self._lengths[key] >= most:
                place = next(place for place, (waiting, _) in enumerate(self._waiting) if waiting == key)
                del self._waiting[place]
                self._lengths[key] -= 1
                self._counts.dropped += 1
            is_idle = not self._waiting
            self._waiting.append((key, work))
            self._lengths[key] += 1
        if is_idle:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._filled.set)

    async def close(self) -> None:
        """Do no more work."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working

    async def _work(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            while (work := self._pop()) is not None:
                await work()

    def _pop(self) -> Work | None:
        with self._lock:
            if not self._waiting:
                return None
            key, work = self._waiting.popleft()
            self._lengths[key] -= 1
            return work
