"""The event channel: who listens to what, what waits for whom, and who is too slow. Pure logic, the clock passed in.

Specification: docs/protocol.md, section 4.5.  Source: swarm gaming, section 3 (publisher-subscriber hub).
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol, runtime_checkable

from coopsim.errors import BadArgument, CoopsimError, SimulationEnded, TooSlow
from coopsim.interfaces import EVENTS
from coopsim.message import ChannelEvent, Message, PackedEvent, TopicPattern, pack_events
from coopsim.server.faults import FaultLog
from coopsim.server.lockstep.sessions import Session, pack

EVENTS_MODULE = "/sim/events"
SUBSCRIBE = EVENTS.command("subscribe").number
# each event is compared with all patterns of all connections
MOST_PATTERNS = 64
"""Largest number of patterns of one connection."""
MOST_LISTENERS = 1000  # each event is sent to all of them
# a bound on memory: 10 000 events of the largest text are 40 MB
MOST_QUEUED = 10_000
"""Largest number of events that wait for one connection; beyond it the oldest are lost."""
MOST_QUEUED_BYTES = 4 << 20  # of one listener that does not read
STALLED = 10.0
"""Time after which a subscription ends whose connection takes nothing [s]."""
_MOST_TOGETHER, _MOST_BYTES = 256, 1 << 16  # events in a message, which stays far below its limit
_MOST_KNOWN_TOPICS = 4096  # a cache: topics are matched with patterns once each


@runtime_checkable
class TakesEvents(Protocol):
    """Owner of sockets that events are sent to."""

    def offer(self, session: Session, raw: bytes) -> bool:
        """Send a message if the connection has room for it; return whether it had."""
        ...


class _Listener:
    """A connection that listens.

    Attributes:
        next: Number of the event that comes after those in the queue.
        size: Bytes in the queue.
        stuck: Since when it has no room, None = it has some [s].
        word: What it is told before its subscription ends, b"" = the subscription goes on.
    """

    __slots__ = ("binary", "next", "patterns", "queue", "sender", "session", "size", "stuck", "word")

    def __init__(self, session: Session, sender: TakesEvents) -> None:
        self.session, self.sender, self.binary = session, sender, False
        self.patterns: dict[str, TopicPattern] = {}
        self.queue: deque[PackedEvent] = deque()
        self.next, self.size = 1, 0
        self.stuck: float | None = None
        self.word = b""

    def add(self, events: Sequence[PackedEvent], size: int) -> None:
        """Append events of so many bytes; the oldest go where there are too many."""
        self.queue.extend(events)
        self.next, self.size = self.next + len(events), self.size + size
        while len(self.queue) > MOST_QUEUED or self.size > MOST_QUEUED_BYTES:
            self.size -= self.queue.popleft().size

    def drop_oldest(self, number: int) -> None:
        """Remove the oldest events: they were sent."""
        for _ in range(number):
            self.size -= self.queue.popleft().size

    def oldest(self) -> list[PackedEvent]:
        """Return the oldest events, as many as fit one message."""
        events, size = list[PackedEvent](), 0
        for event in self.queue:
            size += event.size
            if events and (size > _MOST_BYTES or len(events) == _MOST_TOGETHER):
                break
            events.append(event)
        return events


class EventChannel:
    """Passes events to the connections that listen to their topics.

    All of it runs under the lock of `Modules`.

    Args:
        wake: Called when there is something to send, and nothing was before.
        clock: Monotonic seconds.
        faults: Exceptions that nobody foresaw; None = its own.

    Attributes:
        is_waiting: Whether there is something to send.
        is_stuck: Whether some of it has to wait for room.
        faults: Exceptions that nobody foresaw.
    """

    def __init__(
        self,
        wake: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        faults: FaultLog | None = None,
    ) -> None:
        self._wake, self._clock = wake, clock
        self.faults = faults or FaultLog()
        self._listeners: dict[Session, _Listener] = {}
        self._known: dict[str, tuple[_Listener, ...]] = {}
        self.is_waiting = self.is_stuck = False

    def subscribe(self, session: Session, patterns: Sequence[str], *, binary: bool) -> int:
        """Send events of these topics to a connection from now on; return the number of the next one.

        Raises:
            BadArgument: One is no pattern, or there are too many.
        """
        sender, new = session.sender, {text: TopicPattern(text) for text in patterns}
        if not isinstance(sender, TakesEvents):
            raise BadArgument("events are not sent to this kind of connection")
        listener = self._listeners.get(session) or _Listener(session, sender)
        if len({**listener.patterns, **new}) > MOST_PATTERNS or not (listener.patterns or new):
            raise BadArgument(f"a connection listens to 1 to {MOST_PATTERNS} patterns").bring("patterns")
        if session not in self._listeners and len(self._listeners) >= MOST_LISTENERS:
            self._forget_gone()
            if len(self._listeners) >= MOST_LISTENERS:
                raise BadArgument(f"{MOST_LISTENERS} connections listen already")
        listener.patterns.update(new)
        listener.binary, listener.word, session.hears_events = binary, b"", True
        self._listeners[session] = listener
        self._known.clear()
        return listener.next

    def unsubscribe(self, session: Session, patterns: Sequence[str]) -> None:
        """Send no more events of these patterns to a connection, () = of all."""
        listener = self._listeners.get(session)
        if listener is None:
            return
        for text in patterns or tuple(listener.patterns):
            listener.patterns.pop(text, None)
        if not listener.patterns:
            self._forget(listener)
        self._known.clear()

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def has_listeners_under(self, root: str) -> bool:
        """Return whether anybody may listen to topics whose first level is `root`."""
        return any(
            pattern.may_match_under(root)
            for listener in self._listeners.values()
            for pattern in listener.patterns.values()
        )

    def publish(self, events: Iterable[ChannelEvent]) -> None:
        """Queue events for all who listen to them."""
        for listeners, together in groupby(events, lambda event: self._listening_to(event.topic)):
            packed = list(map(PackedEvent, together)) if listeners else ()
            if packed and not self.is_waiting:
                self.is_waiting = True
                self._wake()
            size = sum(event.size for event in packed)
            for listener in listeners:
                listener.add(packed, size)

    def deliver(self, tick: int) -> None:
        """Send what waits to the connections that have room."""
        if not self.is_waiting and not self.is_stuck:
            return
        self.is_waiting = self.is_stuck = False
        for listener in list(self._listeners.values()):
            try:
                self._deliver_to(listener, tick)
            except Exception as problem:
                self._dismiss(listener, self.faults.note("the delivery of events", problem))
                self.is_stuck = True

    def _deliver_to(self, listener: _Listener, tick: int) -> None:
        if listener.session.is_gone:
            self._forget(listener)
        elif listener.word:
            self._say(listener)
        elif listener.queue:
            self._send(listener, tick)

    def end(self) -> None:
        """Tell all who listen that no more events come."""
        word = SimulationEnded("the simulation has ended")
        for listener in list(self._listeners.values()):
            if not listener.word:
                self._send(listener, 0)
                self._dismiss(listener, word)
                self._say(listener)

    def _listening_to(self, topic: str) -> tuple[_Listener, ...]:
        topic_known = self._known.get(topic)
        if topic_known is not None:
            return topic_known
        listeners = tuple(
            listener
            for listener in self._listeners.values()
            if not listener.word and any(pattern.matches(topic) for pattern in listener.patterns.values())
        )
        if len(self._known) >= _MOST_KNOWN_TOPICS:
            self._known.clear()
        self._known[topic] = listeners
        return listeners

    def _send(self, listener: _Listener, tick: int) -> None:
        while listener.queue:
            events = listener.oldest()
            first = listener.next - len(listener.queue)
            raw = pack_events(EVENTS_MODULE, SUBSCRIBE, tick, first, events, binary=listener.binary)
            if not listener.sender.offer(listener.session, raw):
                self._wait(listener)
                return
            listener.stuck = None
            listener.drop_oldest(len(events))

    def _wait(self, listener: _Listener) -> None:
        """Note that a connection has no room; end its subscription when it had none for long."""
        self.is_stuck, now = True, self._clock()
        if listener.stuck is None:
            listener.stuck = now
        elif now - listener.stuck > STALLED:
            self._dismiss(
                listener, TooSlow(f"nothing was taken for {STALLED:g} s while {len(listener.queue)} events waited")
            )

    def _dismiss(self, listener: _Listener, problem: CoopsimError) -> None:
        listener.word = pack(Message(EVENTS_MODULE, SUBSCRIBE).refusal(problem))
        listener.queue.clear()
        listener.size = 0
        self._known.clear()

    def _say(self, listener: _Listener) -> None:
        """Tell a connection why its subscription ends, as soon as it has room for that."""
        if listener.sender.offer(listener.session, listener.word):
            self._forget(listener)
        else:
            self.is_stuck = True

    def _forget_gone(self) -> None:
        for listener_gone in [listener for listener in self._listeners.values() if listener.session.is_gone]:
            self._forget(listener_gone)

    def _forget(self, listener: _Listener) -> None:
        self._listeners.pop(listener.session, None)
        listener.session.hears_events = False
        self._known.clear()
