"""Sleep of the physics process: messages of host and launcher wake it, and permissions of the barrier."""

import select
import time
from typing import Any

from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.waiter import ChannelWaiter
from coopsim.transport.watching import BriefPoll

_WATCH = 0.001
"""Time for which a source polls for the next permission before it sleeps [s].

A wake-up costs 20 to 50 us."""
_SECOND_LOOK_MS, _LONG_SLEEP_MS = 1, 60_000  # soon once, for a permission between look and sleep; then signals do
_LOOK_AROUND = 16
"""Number of ticks between two looks at the launcher's messages: each look is a call of the system."""


class MessageWakeup(ChannelWaiter):
    """Wake-up of the pacers: by messages of host and launcher, and permissions of the barrier.

    Attributes:
        edits: How many edits were taken in; those sent before a permission go before its tick.
    """

    def __init__(self, host: Channel[Any, Any], launcher: Channel[Any, Any], permit: Notifier, ring: Ring) -> None:
        self._permit, self._ring = permit, ring
        self._used = ring.permits
        self._is_brisk = False
        self._watch = BriefPoll()
        self._brisk_ticks = 0
        self.edits = ring.edits
        self._all = select.poll()
        super().__init__(host, launcher)
        self._all.register(permit.reader, select.POLLIN)

    def _register(self, channel: Channel[Any, Any], events: int) -> None:
        super()._register(channel, events)
        self._all.register(channel, events)

    def permitted(self) -> bool:
        """Wait for a message or a permission; True when there was a permission, which is used up."""
        began = time.perf_counter()
        # only while permissions come fast and other processes leave a core free: polling takes one
        if self._is_brisk and not self._ring.is_crowded:
            self._watch.until(lambda: self._ring.permits != self._used, _WATCH)
        self._brisk_ticks += 1
        # edits sent before the permission go before its tick: they are counted in shared memory, so no call is made
        if self._ring.edits != self.edits or (self._brisk_ticks % _LOOK_AROUND == 0 and self.wait(0)):
            return False
        is_free = self._use_permissions() or self._sleep()
        self._is_brisk = is_free and time.perf_counter() - began < _WATCH
        return is_free

    def _use_permissions(self) -> bool:
        """Use up the permissions there are; several are one."""
        before, self._used = self._used, self._ring.permits
        return self._used != before

    def _sleep(self) -> bool:
        self._update()
        self._ring.sleep(is_asleep=True)
        try:
            timeout = _SECOND_LOOK_MS
            while not self._use_permissions():
                ready = [descriptor for descriptor, _ in self._all.poll(timeout)]
                if self._permit.reader in ready and self._permit.drain()[1]:
                    return False  # the host is gone; its channel says so too
                if any(descriptor != self._permit.reader for descriptor in ready):
                    return False
                timeout = _LONG_SLEEP_MS
        finally:
            self._ring.sleep(is_asleep=False)
        return True

    def forget_permits(self) -> None:
        """Drop permissions that were given in an earlier mode."""
        self._use_permissions()
