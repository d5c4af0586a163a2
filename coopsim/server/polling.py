"""Poll for everything a thread waits for, and the handlers of it."""

import select
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from coopsim.transport import Notifier

Handle: TypeAlias = Callable[[int, int], object]
"""Called with a descriptor and what happened there (`select.EPOLLIN`, ...)."""


class HasDescriptor(Protocol):
    """A socket, a pipe, a channel."""

    def fileno(self) -> int:
        """Return its descriptor."""
        ...


End: TypeAlias = int | HasDescriptor


class Poller:
    """Descriptors, and who handles each; while it is entered, other threads may wake the one that polls.

    Attributes:
        poll: Waits up to a time limit [s]; returns descriptors and their events.
        handlers: Who handles each descriptor.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._woken, self._waker = Notifier(), Notifier()
        self.poll = self._epoll.poll
        self.handlers: dict[int, Handle] = {}

    def register(self, end: End, events: int, handle: Handle) -> None:
        """Call `handle` when one of `events` happens."""
        self._epoll.register(end, events)
        self.handlers[_descriptor(end)] = handle

    def modify(self, end: End, events: int) -> None:
        """Wait for other events from now on."""
        self._epoll.modify(end, events)

    def unregister(self, end: End) -> None:
        """Wait for an end no longer, which must still be open."""
        self._epoll.unregister(end)
        self.handlers.pop(_descriptor(end), None)

    def fileno(self) -> int:
        """Return the descriptor of the poll itself."""
        return self._epoll.fileno()

    def wake(self) -> None:
        """Wake the thread that polls, from any thread."""
        self._waker.notify()

    def on_wake(self, do: Callable[[], object]) -> None:
        """Call `do` after `wake`."""

        def woken(_descriptor: int, _events: int) -> None:
            self._woken.drain()
            do()

        self.register(self._woken.reader, select.EPOLLIN, woken)

    def __enter__(self) -> Self:
        self._woken, self._waker = Notifier.pair()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its own descriptors; the registered ones belong to their owners."""
        self._epoll.close()
        self._woken.close()
        self._waker.close()


def _descriptor(end: End) -> int:
    return end if isinstance(end, int) else end.fileno()
