"""The state stream by TCP: connections that asked for states get them between their replies, as messages with id 0.

Specification: docs/protocol.md, section 4.4.  Source: SwarmSimX, section 2 (viewers never hold up the simulation).
"""

import math
import time
from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from coopsim.errors import BadArgument, CoopsimError, MessageTooLarge, NoSuchName, SimulationEnded
from coopsim.geometry import Floats
from coopsim.interfaces import INFO
from coopsim.message import (
    EVERYTHING,
    MAX_DATA,
    MAX_PARAMS,
    Message,
    Param,
    encode,
    split_topic,
    state_message,
    state_names,
)
from coopsim.server.faults import FaultLog
from coopsim.server.listener import SOON, Listener
from coopsim.server.lockstep.sessions import Session, pack
from coopsim.server.states import head_of
from coopsim.state import Layout, Record
from coopsim.transport import Source

# a state is packed for each topic: a stranger must not ask for a thousand of them
MOST_TOPICS = 64
"""Largest number of topics of one connection."""
BUDGET = 0.002
"""Time spent on states at once [s]; who is left gets the newest one a moment later."""
_SUBSCRIBE = INFO.command("subscribe").number
_HEAD = 8  # params before the names
_Form: TypeAlias = tuple[str, bool]


@runtime_checkable
class TakesStates(Protocol):
    """Owner of sockets that states are sent to.

    Attributes:
        takes_states: Whether they are: who speaks ZeroMQ has a socket for them.
    """

    takes_states: bool

    def post(self, session: Session, raw: bytes) -> None:
        """Send a message."""

    def has_room(self, session: Session) -> bool:
        """Return whether nothing waits to be sent on this connection, so that the newest state may follow."""
        ...


class _Subscriber:
    """A topic of one connection.

    Attributes:
        last: Number of its last record divided by `every`; -1 = send the next one.
    """

    __slots__ = ("binary", "every", "last", "name", "sender", "session", "topic")

    def __init__(
        self, session: Session, sender: TakesStates, topic: str, name: str, every: int, *, binary: bool
    ) -> None:
        self.session, self.sender = session, sender
        self.topic, self.name, self.every, self.binary = topic, name, every, binary
        self.last = -1


class Subscriptions(Listener):
    """Subscriptions to states over TCP; all of it belongs to the thread of the connections.

    A connection that still has something to take in is passed over; it gets the newest state when it has taken that.

    Args:
        link: The source.
        run: Number of the run.
        clock: Monotonic seconds.
        faults: Exceptions that nobody foresaw; None = its own.

    Attributes:
        is_behind: Whether a subscriber lacks the newest record: `publish` soon, also without a newer one.
    """

    def __init__(
        self,
        link: Source,
        run: int = 0,
        clock: Callable[[], float] = time.monotonic,
        faults: FaultLog | None = None,
    ) -> None:
        self._link, self._run, self._clock = link, run, clock
        self._faults = faults or FaultLog()
        self._subscribers: dict[tuple[Session, str], _Subscriber] = {}
        self._layout: Layout | None = None
        self._names: dict[str, tuple[Param, ...]] = {}
        self._revision, self._is_due = -1, False
        self.is_behind = False

    @property
    def needs_each_record(self) -> bool:
        """Whether there are subscribers."""
        return bool(self._subscribers)

    def serve(self) -> bool:
        """Send the newest record while there are subscribers."""
        if self._subscribers:
            self.publish()
        return False

    def due(self, now: float, /) -> float:
        """Return when those who are behind get the newest record."""
        return now + SOON if self.is_behind else math.inf

    def subscribe(self, session: Session, topic: str, *, binary: bool) -> None:
        """Send states of a topic to a connection from now on, the newest one at once.

        Raises:
            BadArgument: It is no topic, or there are too many, or the connection is none of plain TCP.
            NoSuchName: There is no such robot.
            MessageTooLarge: Its states do not fit a message.
        """
        sender = session.sender
        if not isinstance(sender, TakesStates) or not sender.takes_states:
            raise BadArgument(
                "only TCP connections take states; by ZeroMQ subscribe at the port of the stream, see INFO"
            )
        wanted = split_topic(topic)
        if wanted is None:
            raise BadArgument(f"topic must be {EVERYTHING} or a robot, then @ and a number; got {topic[:80]!r}").bring(
                "topic"
            )
        name, every = wanted
        layout = self._link.now[0]
        if name != EVERYTHING and name[1:] not in layout.robot:
            raise NoSuchName(f"there is no robot {name[:80]!r}").bring(name)
        _check_size(name, layout)
        mine = sum(subscriber is session for subscriber, _ in self._subscribers)
        if mine >= MOST_TOPICS and (session, topic) not in self._subscribers:
            raise BadArgument(f"a connection has at most {MOST_TOPICS} topics")
        session.is_listening = True
        self._is_due = True
        self._subscribers[session, topic] = _Subscriber(session, sender, topic, name, every, binary=binary)

    def unsubscribe(self, session: Session, topic: str) -> None:
        """Send no more states of a topic to a connection, "" = of all."""
        for key in [key for key in self._subscribers if key[0] is session and topic in {"", key[1]}]:
            del self._subscribers[key]
        session.is_listening = any(subscriber is session for subscriber, _ in self._subscribers)

    def publish(self) -> None:
        """Send the newest record to subscribers that lack it and have room for it."""
        try:
            layout, record = self._link.now
            record.complete()
        except SimulationEnded:
            return
        if layout is not self._layout:
            self._layout, self._names = layout, {}
        if record.header.revision != self._revision or self._is_due:
            self._revision = record.header.revision
            self._send_all(layout, record)

    def _send_all(self, layout: Layout, record: Record) -> None:
        revision, is_last = record.header.revision, record.header.ended
        deadline, packed, seen = self._clock() + BUDGET, dict[_Form, bytes](), []
        self.is_behind = self._is_due = False
        for key, subscriber in list(self._subscribers.items()):
            turn = revision // subscriber.every
            seen.append(key)
            if subscriber.session.is_gone:
                del self._subscribers[key]
            elif turn != subscriber.last or is_last:
                if subscriber.sender.has_room(subscriber.session):
                    subscriber.last = turn
                    self._send(subscriber, layout, record, packed)
                else:
                    self._is_due = True
            if self._clock() > deadline and not is_last:
                self.is_behind = self._is_due = True
                break
        for key in seen if self.is_behind else ():  # those who were not looked at are first next time
            if key in self._subscribers:
                self._subscribers[key] = self._subscribers.pop(key)

    def _send(self, subscriber: _Subscriber, layout: Layout, record: Record, packed: dict[_Form, bytes]) -> None:
        """Send a state, packed once for all who want the same; nothing for a robot that has left."""
        form = subscriber.topic, subscriber.binary
        if subscriber.name != EVERYTHING and subscriber.name[1:] not in layout.robot:
            return
        try:
            _check_size(subscriber.name, layout)
            if form not in packed:
                packed[form] = encode(self._message(subscriber, layout, record))
            raw = packed[form]
        except Exception as problem:
            refusal = problem if isinstance(problem, CoopsimError) else self._faults.note("states by TCP", problem)
            raw = pack(Message(subscriber.topic, _SUBSCRIBE).refusal(refusal, tick=record.tick))
            self.unsubscribe(subscriber.session, subscriber.topic)
        subscriber.sender.post(subscriber.session, raw)

    def _message(self, subscriber: _Subscriber, layout: Layout, record: Record) -> Message:
        names, values = self._described(subscriber.name, layout), _values(subscriber.name, layout, record)
        return state_message(
            subscriber.topic, _SUBSCRIBE, head_of(record, self._run), names, values, binary=subscriber.binary
        )

    def _described(self, name: str, layout: Layout) -> tuple[Param, ...]:
        """Return the names in a state, made once per generation."""
        if name not in self._names:
            places = layout.robots if name == EVERYTHING else (layout.robot[name[1:]],)
            robots = [place.name for place in places]
            bodies = layout.bodies if name == EVERYTHING else robots
            self._names[name] = state_names(bodies, robots, [place.type.reading_width for place in places])
        return self._names[name]


def _values(name: str, layout: Layout, record: Record) -> Floats:
    if name == EVERYTHING:
        return np.concatenate((record.poses.ravel(), record.readings))
    place = layout.robot[name[1:]]
    first, width = place.reading_offset, place.type.reading_width
    return np.concatenate((record.poses[place.body], record.readings[first : first + width]))


def _check_size(name: str, layout: Layout) -> None:
    """Refuse a topic whose states do not fit a message.

    Raises:
        MessageTooLarge: They do not.
    """
    if name != EVERYTHING:
        return
    params, data = _HEAD + len(layout.bodies) + 2 * len(layout.robots), 1 + 7 * len(layout.bodies) + layout.reading_size
    if params > MAX_PARAMS or data > MAX_DATA:
        raise MessageTooLarge(
            f"a state of {len(layout.robots)} robots has {params} params and {data} values, a message at most "
            f"{MAX_PARAMS} and {MAX_DATA}; subscribe to robots, or by ZeroMQ"
        )
