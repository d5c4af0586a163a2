"""When the state stream and the event channel must be looked after next."""

import contextlib
import math
from types import SimpleNamespace
from typing import Any

import pytest
import zmq

from coopsim.server import event_delivery
from coopsim.server.event_delivery import EventDelivery
from coopsim.server.listener import SOON
from coopsim.server.sockets.state_publisher import StatePublisher


@pytest.fixture
def publisher() -> Any:
    with zmq.Context() as context:
        publisher = StatePublisher(context, 0, SimpleNamespace())  # type: ignore[arg-type]
        yield publisher
        publisher.close(0)


def test_a_stream_without_subscribers_is_never_due(publisher: StatePublisher) -> None:
    publisher._is_behind = True
    assert publisher.due(5.0) == math.inf
    assert not publisher.needs_each_record


def test_subscribers_that_lack_the_newest_record_get_it_soon_and_not_at_once(publisher: StatePublisher) -> None:
    publisher._topics[b"/sim/state"] = SimpleNamespace()  # type: ignore[assignment]
    assert publisher.due(5.0) == math.inf
    publisher._is_behind = True
    assert publisher.due(5.0) == 5.0 + SOON
    publisher._again_at = 5.0 + 0.5 * SOON
    assert publisher.due(5.0) == 5.0 + 0.5 * SOON


IN_FORCE = SimpleNamespace(generation=2)
"""The layout that a link has."""


class Channel:
    """What an event feed says of its channel."""

    has_listeners = is_waiting = is_stuck = False

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.faults = SimpleNamespace(note=lambda _what, problem: self.problems.append(str(problem)))


class Feed:
    def __init__(self) -> None:
        self.channel, self.is_waiting, self.needs_records = Channel(), False, True
        self.records: list[Any] = []
        self.layouts: list[Any] = []
        self.sent = 0

    def publish(self, layout: Any, record: Any) -> None:
        if record.name == "broken":
            raise ValueError("no such edit")
        self.records.append(record.name)
        self.layouts.append(layout)

    def send(self, _record: Any) -> None:
        self.sent += 1


class Readers:
    """Readers of a ring; each one gives what came since it was made."""

    def __init__(self) -> None:
        self.made, self.coming, self.generation = 0, list[Any](), 1

    def __call__(self, _ring: Any) -> Any:
        self.made += 1
        return SimpleNamespace(read=self._read)

    def _read(self) -> list[tuple[bytes, Any]]:
        coming, self.coming = self.coming, []
        packed = bytes([self.generation])
        return [(packed, SimpleNamespace(name=name, generation=self.generation)) for name in coming]


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> Readers:
    readers = Readers()
    monkeypatch.setattr(event_delivery, "RecordReader", readers)
    monkeypatch.setattr(event_delivery, "unpacked_layout", lambda packed: packed)
    return readers


def delivery(feed: Feed) -> EventDelivery:
    link: Any = SimpleNamespace(layout=IN_FORCE, ring=None, record=None)
    return EventDelivery(link, feed, contextlib.nullcontext())  # type: ignore[arg-type]


def test_one_reader_reads_all_records_as_long_as_they_are_needed(readers: Readers) -> None:
    feed = Feed()
    feed.channel.has_listeners = True
    events = delivery(feed)
    for record in (1, 2):
        readers.coming = [record]
        events.serve()
    assert (feed.records, readers.made, feed.sent) == ([1, 2], 1, 2)
    feed.needs_records = False
    readers.coming = [3]
    events.serve()
    feed.needs_records = True
    events.serve()
    assert (feed.records, readers.made) == ([1, 2, 3], 2)


def test_the_layout_in_force_is_not_unpacked_a_second_time(readers: Readers) -> None:
    feed = Feed()
    feed.channel.has_listeners = True
    events = delivery(feed)
    for generation in (1, 2, 3):
        readers.coming, readers.generation = [generation], generation
        events.serve()
    assert feed.layouts == [b"\1", IN_FORCE, b"\3"]


def test_a_record_that_cannot_be_read_holds_up_none_after_it(readers: Readers) -> None:
    feed = Feed()
    feed.channel.has_listeners = True
    readers.coming = [1, "broken", 2]
    delivery(feed).serve()
    assert feed.records == [1, 2]
    assert feed.channel.problems == ["no such edit"]


def test_where_nobody_listens_nothing_is_read(readers: Readers) -> None:
    feed = Feed()
    readers.coming = [1]
    delivery(feed).serve()
    assert (feed.records, feed.sent, readers.made) == ([], 0, 0)


@pytest.mark.parametrize(
    ("is_waiting", "is_stuck", "due"), [(True, True, 5.0), (False, True, 5.0 + SOON), (False, False, math.inf)]
)
def test_what_waits_is_due_at_once_and_what_is_stuck_soon(is_waiting: bool, is_stuck: bool, due: float) -> None:
    feed = Feed()
    feed.channel.is_waiting, feed.channel.is_stuck = is_waiting, is_stuck
    assert delivery(feed).due(5.0) == due
