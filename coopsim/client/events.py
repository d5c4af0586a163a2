"""The event channel: tell everybody who listens to a topic, and listen."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Self

from coopsim.client.connection import BaseConnection, refusal
from coopsim.client.flows import Ask, Flow, Steps
from coopsim.client.link import Link
from coopsim.client.pool import ConnectionPool
from coopsim.client.routing import RequestRouter
from coopsim.errors import NoReply, SimulationEnded
from coopsim.interfaces import EVENTS
from coopsim.message import ChannelEvent, Message, decode, events_of, params_of_events

MODULE = "/sim/events"
# the server drops what was subscribed by a connection that broke, and tells nobody
RENEWED = 5.0
"""Silence after which a subscription is renewed, in case the connection broke meanwhile [s]."""
_PUBLISH, _PUBLISH_ALL, _SUBSCRIBE = (EVENTS.command(name).number for name in ("publish", "publish_all", "subscribe"))
_MOST_TOGETHER = 256  # as many as the server takes in one message


def publishing(topic: str, text: str, data: Sequence[float]) -> Flow[None]:
    """Publish one event."""
    yield Ask(Message(MODULE, _PUBLISH, (topic, text), tuple(data)))


def publishing_all(events: Iterable[tuple[str, str, Sequence[float]]]) -> Flow[None]:
    """Publish several events, as many together as fit one message."""
    event_list = list(events)
    for first in range(0, len(event_list), _MOST_TOGETHER):
        params, data = params_of_events(event_list[first : first + _MOST_TOGETHER])
        yield Ask(Message(MODULE, _PUBLISH_ALL, params, data))


class BaseEventStream:
    """The part that both streams of events share.

    Args:
        pool: The client.
        patterns: What to listen to.

    Attributes:
        lost: How many events were lost so far because they were not taken in time.
    """

    _connection: BaseConnection

    def __init__(self, pool: RequestRouter, patterns: Sequence[str]) -> None:
        self._pool, self.patterns = pool, tuple(patterns)
        self._came: deque[ChannelEvent] = deque()
        self._next, self.lost, self._sign = 0, 0, -math.inf
        self._is_over = False

    def __repr__(self) -> str:
        return f"<events of {', '.join(self.patterns)} at {self._pool.endpoint}>"

    @property
    def is_over(self) -> bool:
        """Whether no more events will come: the run has ended, or this was closed."""
        return self._is_over and not self._came

    def close(self) -> None:
        """Stop listening."""
        self._is_over = True
        self._connection.close()

    @property
    def _patience(self) -> float:
        """For how long the server may stay silent before it is asked whether it still knows us [s]; 0 = no longer."""
        return max(self._sign + RENEWED - time.monotonic(), 0.0)

    def _subscribing(self) -> Steps[None]:
        """Subscribe, or renew that; a server that had forgotten us counts anew.

        Raises:
            NoReply: No server answers.
            CoopsimError: The server refuses a pattern.
        """
        request, before = Message(MODULE, _SUBSCRIBE, self.patterns, binary=True), self._next
        reply = yield from self._connection.asking(request, self._pool.timeout)
        if reply.error:
            raise refusal(reply, MODULE)
        first = int(reply.params[0])
        if self._next == before and (not before or first < before):
            self._next = first
        self._sign = time.monotonic()

    def _accept(self, raw: bytes) -> bool:
        """Take in what came; return whether it was events, or the word that there will be no more.

        Raises:
            TooSlow: The server sends no more, since too much was not taken.
        """
        message = decode(raw)
        if message.id or message.target != MODULE or message.command != _SUBSCRIBE:
            return False
        if message.error:
            self._is_over = True
            if message.error != SimulationEnded.code:
                raise refusal(message, MODULE)
            return True
        events = events_of(message)
        if events:
            self.lost += max(0, events[0].number - self._next) if self._next else 0
            self._next = events[-1].number + 1
            self._came.extend(events)
            self._sign = time.monotonic()
        return True


class _SortingLink:
    """A connection that keeps events from whoever waits for a reply.

    Args:
        link: Carries the messages.
        take: Takes in a message; returns whether it was meant for it.
    """

    def __init__(self, link: Link, take: Callable[[bytes], bool]) -> None:
        self._link, self._take_event = link, take
        self.send, self.reset, self.close = link.send, link.reset, link.close

    def receive(self, timeout: float) -> bytes | None:
        """Return the next message that is no event, None if none came within `timeout` [s]."""
        deadline = time.monotonic() + timeout
        while (raw := self._link.receive(timeout)) is not None:
            if not raw or not self._take_event(raw):
                return raw
            timeout = max(deadline - time.monotonic(), 0.0)
        return None


class EventStream(BaseEventStream):
    """An iterator of events, and a context manager; the end of the run ends it. Made by `Client.listen`."""

    _pool: ConnectionPool

    def __init__(self, pool: ConnectionPool, patterns: Sequence[str]) -> None:
        super().__init__(pool, patterns)
        self._link = pool.open_link()
        self._connection = pool.connection_over(_SortingLink(self._link, self._accept))
        try:
            pool.run(self._subscribing())
        except BaseException:
            self.close()
            raise

    def hear(self, timeout: float = math.inf) -> ChannelEvent | None:
        """Return the next event; None if none came within `timeout` [s], or the run has ended.

        After 5 s without any, whatever the timeout, the server is asked whether it still knows us, and the reply
        is waited for.

        Raises:
            TooSlow: The server sends no more, since too much was not taken.
            NoReply: The server is gone.
            WrongRun: The simulation was restarted.
        """
        if not self._came and not self._is_over:
            self._wait(time.monotonic() + timeout)
        return self._came.popleft() if self._came else None

    def _wait(self, deadline: float) -> None:
        """Wait for events; when there are none for long, ask whether the server still knows us.

        Who never waits asks it, too: nothing else would tell that the server was started again.
        """
        while not self._came and not self._is_over:
            raw = self._receive(min(max(deadline - time.monotonic(), 0.0), self._patience))
            if raw:
                self._accept(raw)
            elif raw is None and not self._patience:
                self._pool.run(self._subscribing())
            elif raw is None and time.monotonic() >= deadline:
                return

    def _receive(self, timeout: float) -> bytes | None:
        try:
            return self._link.receive(timeout)
        except NoReply:
            self._pool.run(self._subscribing())
            return b""

    def __iter__(self) -> Iterator[ChannelEvent]:
        """Return the events, one after the other."""
        return self

    def __next__(self) -> ChannelEvent:
        """Return the next event."""
        event = self.hear()
        if event is None:
            raise StopIteration
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
