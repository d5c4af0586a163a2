"""Turns of host, source and recorder: a system call wakes a sleeper in 20 us, a look at a word costs nothing."""

from coopsim.transport.ring_words import (
    W_CROWDED,
    W_CURSOR,
    W_EDITS,
    W_HOST_WATCHES,
    W_PERMITS,
    W_READER,
    W_SOURCE_SLEEPS,
)


class Turns:
    """Turns of the two processes, in words of memory that both see.

    Args:
        words: Control words of the shared memory.
    """

    def __init__(self, words: memoryview) -> None:
        self._turns = words

    @property
    def permits(self) -> int:
        """Number of lockstep ticks that the host has allowed since the start."""
        return self._turns[W_PERMITS]

    def grant_tick(self) -> bool:
        """Allow one lockstep tick; True when the source sleeps and must be woken."""
        self._turns[W_PERMITS] += 1
        return self._turns[W_SOURCE_SLEEPS] != 0

    @property
    def edits(self) -> int:
        """Number of edits that the host has sent: those sent before a permission are carried out before its tick."""
        return self._turns[W_EDITS]

    def count_edit(self) -> None:
        """For the host: count an edit that is on its way."""
        self._turns[W_EDITS] += 1

    def sleep(self, *, is_asleep: bool) -> None:
        """For the source: set whether a permission must wake it.

        Before it sleeps it looks once more for a permission, and again after a moment: the words of two processes
        may pass each other.
        """
        self._turns[W_SOURCE_SLEEPS] = is_asleep

    def watch(self, *, is_watching: bool) -> None:
        """For the host: set whether it polls for the next record by itself, or must be woken."""
        self._turns[W_HOST_WATCHES] = is_watching

    @property
    def is_crowded(self) -> bool:
        """Whether more clients drive robots than there are processors, so that who polls keeps one of them waiting."""
        return self._turns[W_CROWDED] != 0

    @property
    def is_watched(self) -> bool:
        """Whether the host looks for the next record by itself."""
        return self._turns[W_HOST_WATCHES] != 0

    # the recorder, a reader that must miss nothing

    @property
    def recorder_cursor(self) -> int:
        """Up to where the recorder has read, in bytes since the start of the run; -1 = there is no recorder."""
        return self._turns[W_CURSOR] if self._turns[W_READER] else -1

    def acknowledge(self, cursor: int) -> None:
        """For the recorder: everything before `cursor` is read."""
        self._turns[W_CURSOR] = cursor
        self._turns[W_READER] = 1

    def detach_reader(self) -> None:
        """Note that there is no recorder any more: the source does not wait for it."""
        self._turns[W_READER] = 0
