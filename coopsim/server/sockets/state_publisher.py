"""The state stream: bodies and readings of every tick for subscribers; encoded only while there are any.

Specification: docs/protocol.md, section 4.4.  Source: SwarmSimX, section 2 (viewers never hold up the simulation).
"""

import math
import select
import time
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import zmq

from coopsim.errors import SimulationEnded
from coopsim.message import EVERYTHING, pack_names, pack_state, split_topic
from coopsim.server.faults import FaultLog
from coopsim.server.listener import SOON, Listener
from coopsim.server.polling import Poller
from coopsim.server.sockets.authenticator import who_sent
from coopsim.server.sockets.listening import LINGER_MS, LOCAL, ListenOptions
from coopsim.server.states import head_of
from coopsim.state import Layout, Record
from coopsim.transport import Source

MOST_TOPICS = 20_000  # each is built in each tick
# the thread answers requests, too: no request waits longer than this for states
BUDGET = 0.002
"""Time limit for encoding one record [s]; the remaining topics get the newest record a moment later."""
_BURST = 64  # subscriptions in a row before the next tick gets its turn
_FIRST_QUIET, _LAST_QUIET = 0.02, 5.0
"""Time without a newer record after which the newest is sent again to who had no room for it, doubled each time [s]."""
_EVENTS, _POLLIN = int(zmq.EVENTS), int(zmq.POLLIN)


class _Topic:
    """A subscribed topic.

    Attributes:
        last: Number of its last record divided by `every`; -1 = send the next one.
        forms: How it was subscribed: with NUL, or without.
    """

    __slots__ = ("every", "forms", "last", "name")

    def __init__(self, name: str, every: int) -> None:
        self.name, self.every = name, every
        self.last = -1
        self.forms: set[bytes] = set()


class StatePublisher(Listener):
    """An XPUB socket; everything but `is_wanted` belongs to one thread.

    Args:
        context: Where the socket is made.
        port: TCP port, 0 = a free one.
        link: The source.
        listen: Where to listen, and who gets in.
        run: Number of the run.
        listens: Called for each subscriber with a key: public half and the descriptor of its connection.

    Raises:
        PortTaken: The port is in use.

    Attributes:
        port: The TCP port.
        faults: Exceptions that nobody foresaw.
    """

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        port: int,
        link: Source,
        listen: ListenOptions = LOCAL,
        clock: Callable[[], float] = time.monotonic,
        run: int = 0,
        listens: Callable[[str, int], object] = lambda *_: None,
    ) -> None:
        self.faults = FaultLog()
        self._guarded_by = listens if listen.keys is not None else None
        self._socket = context.socket(zmq.XPUB)
        _set_options(self._socket)
        self.port = listen.open(self._socket, port, "the state stream")
        self._link, self._clock, self._run = link, clock, run
        self._topics: dict[bytes, _Topic] = {}
        self._absent: dict[bytes, _Topic] = {}
        self._names: dict[str, bytes] = {}
        self._layout: Layout | None = None
        self._revision = -1
        self._is_behind = False
        self._quiet, self._again_at = math.inf, math.inf

    @property
    def is_wanted(self) -> bool:
        """Whether anybody listens, also to a robot that may still come."""
        return bool(self._topics or self._absent)

    @property
    def ports(self) -> Mapping[str, int]:
        """The TCP port."""
        return {"stream": self.port}

    @property
    def needs_each_record(self) -> bool:
        """Whether there are subscribers."""
        return self.is_wanted

    def register(self, poller: Poller) -> None:
        """Register for subscriptions, edge-triggered: so `turn` checks for them, too."""
        poller.register(self._socket.FD, select.EPOLLIN | select.EPOLLET, lambda *_: self.listen())

    def turn(self, _now: float, /) -> None:
        """Check for subscriptions."""
        self.listen()

    def due(self, now: float, /) -> float:
        """Return when the newest record is sent to subscribers that lack it, also without a newer one."""
        if not self.is_wanted:
            return math.inf
        return min(now + SOON, self._again_at) if self._is_behind else self._again_at

    def serve(self) -> bool:
        """Send the newest record while there are subscribers."""
        if self._topics or self._absent:
            self.publish()
        return False

    def listen(self) -> None:
        """Read subscriptions and their ends; new ones get the newest record at once."""
        self._receive_subscriptions()
        self.publish()

    def publish(self) -> None:
        """Send the newest record to the subscribers that lack it."""
        if not self.is_wanted:
            return
        try:
            layout, record = self._link.now
            record.complete()
        except SimulationEnded:
            return
        if layout is not self._layout:
            self._sort(layout)
        if self._is_behind or record.header.revision != self._revision or self._is_sent_again():
            self._revision = record.header.revision
            self._send_all(layout, record)
            self._again_at = self._clock() + self._quiet if self._quiet <= _LAST_QUIET else math.inf
            # sends eat the edge of the descriptor
            self._receive_subscriptions()

    def close(self, linger_ms: int = LINGER_MS) -> None:
        """Send what is left within `linger_ms` and close."""
        self._socket.close(linger_ms)

    def _receive_subscriptions(self) -> None:
        for _ in range(_BURST):
            if not self._socket.getsockopt(_EVENTS) & _POLLIN:  # type: ignore[operator]  # an int for this option
                return
            raw = self._receive()
            prefix = raw[1:].removesuffix(b"\0") + b"\0"
            if raw[:1] == b"\1":
                self._begin(prefix, raw[1:])
            elif raw[:1] == b"\0":
                self._end(self._topics, prefix, raw[1:])
                self._end(self._absent, prefix, raw[1:])

    def _end(self, topics: dict[bytes, _Topic], prefix: bytes, form: bytes) -> None:
        """Remove a topic whose last subscription ended."""
        topic = topics.get(prefix)
        if topic is not None:
            topic.forms.discard(form)
            if not topic.forms:
                del topics[prefix]

    def _receive(self) -> bytes:
        if self._guarded_by is None:
            return self._socket.recv()
        frame = self._socket.recv(copy=False)
        self._guarded_by(*who_sent(frame))
        return frame.bytes

    def _begin(self, prefix: bytes, form: bytes) -> None:
        """Add a subscription, unless nothing is ever sent for it."""
        topic = self._topics.get(prefix) or self._absent.get(prefix)
        if topic is None:
            wanted = split_topic(prefix[:-1].decode(errors="replace"))
            if wanted is None:
                return
            topic = _Topic(*wanted)
        topic.forms.add(form)
        topic.last = -1
        if self._is_there(topic):
            self._keep(self._topics, prefix, topic)
            self._revision = -1
        else:  # unknown robots must not use up the limit
            self._keep(self._absent, prefix, topic)

    def _is_there(self, topic: _Topic) -> bool:
        return self._layout is None or topic.name == EVERYTHING or topic.name[1:] in self._layout.robot

    def _keep(self, topics: dict[bytes, _Topic], prefix: bytes, topic: _Topic) -> None:
        """Remember a topic; the one that was asked for longest ago makes room where there are too many."""
        topics[prefix] = topic
        if len(topics) > MOST_TOPICS:
            del topics[next(iter(topics))]

    def _sort(self, layout: Layout) -> None:
        """Separate the topics of existing robots from the others."""
        self._layout, self._names = layout, {}
        every = {**self._absent, **self._topics}
        self._topics = {prefix: topic for prefix, topic in every.items() if self._is_there(topic)}
        self._absent = {prefix: topic for prefix, topic in every.items() if prefix not in self._topics}

    def _send_all(self, layout: Layout, record: Record) -> None:
        revision, is_last = record.header.revision, record.header.ended
        deadline = self._clock() + BUDGET
        self._is_behind = False
        seen: list[bytes] = []
        for prefix, topic in self._topics.items():
            seen.append(prefix)
            turn = revision // topic.every
            is_due = turn != topic.last or is_last
            if is_due:
                topic.last = turn
                self._send_state(prefix, topic.name, layout, record)
            if (is_due or not len(seen) % _BURST) and self._clock() > deadline and not is_last:
                self._is_behind = True
                break
        if self._is_behind:
            self._send_to_the_back(seen)

    def _send_state(self, prefix: bytes, name: str, layout: Layout, record: Record) -> None:
        try:
            self._send(prefix + self._encode(name, layout, record))
        except zmq.ZMQError:
            raise
        except Exception as problem:  # the other topics have subscribers, too
            self.faults.note("the state stream", problem)

    def _is_sent_again(self) -> bool:
        """Return whether the newest record is due again, and see that all topics get it.

        libzmq leaves a subscriber without room out silently, until it has taken what waits for it: so the newest record
        is sent until it must have arrived, each time after a longer silence.
        """
        if self._clock() < self._again_at:
            return False
        self._quiet *= 2.0
        for topic in self._topics.values():
            topic.last = -1
        return True

    def _send(self, message: bytes) -> None:
        """Send to who has room."""
        try:
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.Again:
            self._quiet = _FIRST_QUIET
            self._socket.setsockopt(zmq.XPUB_NODROP, 0)
            self._socket.send(message, zmq.NOBLOCK)
            self._socket.setsockopt(zmq.XPUB_NODROP, 1)

    def _send_to_the_back(self, seen: Iterable[bytes]) -> None:
        """Begin with the remaining topics next time."""
        for prefix in seen:
            self._topics[prefix] = self._topics.pop(prefix)

    def _encode(self, name: str, layout: Layout, record: Record) -> bytes:
        head = head_of(record, self._run)
        if name == EVERYTHING:
            return pack_state(head, self._described(name, layout), _bytes(record.poses), _bytes(record.readings))
        place = layout.robot[name[1:]]
        first, width = place.reading_offset, place.type.reading_width
        poses, readings = record.poses[place.body], record.readings[first : first + width]
        return pack_state(head, self._described(name, layout), _bytes(poses), _bytes(readings))

    def _described(self, name: str, layout: Layout) -> bytes:
        """Return the names in a state, packed once per generation."""
        if name not in self._names:
            places = layout.robots if name == EVERYTHING else (layout.robot[name[1:]],)
            robots = [place.name for place in places]
            bodies = layout.bodies if name == EVERYTHING else robots
            self._names[name] = pack_names(bodies, robots, [place.type.reading_width for place in places])
        return self._names[name]


def _bytes(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> bytes:
    return values.astype("<f8", copy=False).tobytes()


def _set_options(socket: "zmq.Socket[bytes]") -> None:
    options = {
        # a subscription may be as long as a topic, not longer
        zmq.MAXMSGSIZE: 1024,
        zmq.SNDHWM: 4,
        # verbose: every subscription counts, also to a known topic: it gets the newest record at once
        zmq.XPUB_VERBOSE: 1,
        # who has no room is told of once
        zmq.XPUB_NODROP: 1,
    }
    for option, value in options.items():
        socket.setsockopt(option, value)
