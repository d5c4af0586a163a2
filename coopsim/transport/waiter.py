"""Waiting for messages on several channels, and for room to send what did not fit at once."""

import select
from typing import Any

from coopsim.transport.channel import Channel


class ChannelWaiter:
    """Wait of a process until one of its channels has something for it.

    Args:
        channels: What to wait for.
    """

    def __init__(self, *channels: Channel[Any, Any]) -> None:
        self._messages = select.poll()
        self._events = dict.fromkeys(channels, 0)
        self._update()

    def wait(self, timeout_ns: int | None) -> bool:
        """Wait for a message, or for room to send one.

        Args:
            timeout_ns: For at most this long, rounded down to milliseconds; None = without end.
        """
        self._update()
        return bool(self._messages.poll(None if timeout_ns is None else timeout_ns // 1_000_000))

    def _update(self) -> None:
        """Wait for room wherever something large could not be sent at once."""
        for channel, event in self._events.items():
            events = select.POLLIN | (select.POLLOUT if channel.pending else 0)
            if events != event:
                self._events[channel] = events
                self._register(channel, events)

    def _register(self, channel: Channel[Any, Any], events: int) -> None:
        self._messages.register(channel, events)
