"""`/sim/events`: publish and subscribe by topic."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coopsim.errors import BadArgument, NotAllowed, NotInThisMode
from coopsim.interfaces import EVENTS, Command
from coopsim.message import ChannelEvent, Message, Param, check_event
from coopsim.server.event_channel import EventChannel
from coopsim.server.event_log import EventLog
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import params_of, shown, text, texts, whole
from coopsim.transport import Source

OWN_ROOT = "sim"
"""First level of the topics that the simulation alone publishes."""
# far above what programs tell each other, below what keeps the host from answering others
MOST_RATE, MOST_BYTES = 50_000, 16 << 20
"""Events and bytes of one connection in a second; so many may come at once, too."""

_OVERHEAD = 64  # bytes that msgpack and the message add, at most


@dataclass(slots=True)
class Allowance:
    """Number of events that a connection may publish at once; it grows with time."""

    events: float = MOST_RATE
    size: float = MOST_BYTES
    at: float = 0.0

    def spend(self, events: int, size: int, now: float) -> None:
        """Take something of it.

        Raises:
            BadArgument: There is too little left.
        """
        grown = now - self.at
        self.events, self.size = (
            min(MOST_RATE, self.events + grown * MOST_RATE),
            min(MOST_BYTES, self.size + grown * MOST_BYTES),
        )
        self.at = now
        if events > self.events or size > self.size:
            raise BadArgument(
                f"a connection publishes at most {MOST_RATE} events and {MOST_BYTES >> 20} MiB in a second"
            )
        self.events, self.size = self.events - events, self.size - size


class EventsModule(SimModule):
    """Publishes events and sends them to those who listen.

    Args:
        link: The source.
        channel: Who listens.
        log: Keeps events in the recording.
        is_recording: Whether a recording is shown: what was told in it cannot be changed.
        clock: Monotonic seconds.
    """

    interface = EVENTS

    def __init__(
        self,
        link: Source,
        channel: EventChannel,
        log: EventLog,
        *,
        is_recording: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._link, self._channel, self._log = link, channel, log
        self._is_recording, self._clock = is_recording, clock

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {
            "publish": self._publish,
            "publish_all": self._publish_all,
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
        }

    def _publish(self, command: Command, request: Message, session: Session) -> Message:
        topic, words = params_of(command, request)
        return self._publish_events([(topic, words, list(map(float, request.data)))], request, session)

    def _publish_all(self, command: Command, request: Message, session: Session) -> Message:
        params, data = params_of(command, request), list(map(float, request.data))
        if not params or len(params) % 3:
            raise BadArgument(f"topic, text and number of values of each event; got {len(params)} params")
        events, start = [], 0
        for topic, words, count in zip(params[::3], params[1::3], params[2::3], strict=True):
            end = start + whole(count, "number of values", 0, len(data))
            events.append((topic, words, data[start:end]))
            start = end
        if start != len(data):
            raise BadArgument(f"the events have {start} values in all, got {len(data)}")
        return self._publish_events(events, request, session)

    def _publish_events(
        self, new_events: Sequence[tuple[Param, Param, Sequence[float]]], request: Message, session: Session
    ) -> Message:
        if self._is_recording:
            raise NotInThisMode("this is a recording; programs cannot publish in it").bring("recording")
        self._log.check()
        tick, source = self._link.record.tick, session.label
        events = [_event(topic, words, data, source, tick) for topic, words, data in new_events]
        size = sum(len(topic) + 4 * len(words) + 9 * len(data) + _OVERHEAD for topic, words, data, *_ in events)
        allowance = session.memory.get("events")
        if allowance is None:
            allowance = session.memory["events"] = Allowance(at=self._clock())
        allowance.spend(len(events), size, self._clock())
        self._channel.publish(events)
        self._log.keep(events, size)
        return request.reply(tick=tick)

    def _subscribe(self, command: Command, request: Message, session: Session) -> Message:
        patterns = texts(params_of(command, request), "patterns")
        number = self._channel.subscribe(session, patterns, binary=request.binary)
        return request.reply((number,), tick=self._link.record.tick)

    def _unsubscribe(self, command: Command, request: Message, session: Session) -> Message:
        self._channel.unsubscribe(session, texts(params_of(command, request), "patterns"))
        return request.reply(tick=self._link.record.tick)


def _event(topic: Param, words: Param, data: Sequence[float], source: str, tick: int) -> ChannelEvent:
    """Return what a program tells.

    Raises:
        BadArgument: It is no event.
        NotAllowed: Only the simulation publishes it.
    """
    event = ChannelEvent(text(topic, "topic"), text(words, "text"), tuple(data), source, tick)
    check_event(event.topic, event.text, event.data)
    if event.topic.split("/")[1] == OWN_ROOT:
        raise NotAllowed(f"topics under /{OWN_ROOT} are the simulation's own, got {shown(topic)}").bring("all")
    return event
