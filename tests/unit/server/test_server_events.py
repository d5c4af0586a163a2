"""The event channel: who hears what, in which order, what is lost, what is refused, and what the record holds."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from coopsim.client import Client, aio
from coopsim.errors import BadArgument, NotAllowed, SimulationEnded, TooSlow
from coopsim.inprocess import DirectSource, LocalServer
from coopsim.message import ChannelEvent, TopicPattern, check_event, decode, events_of
from coopsim.robots import load
from coopsim.server.event_channel import (
    MOST_PATTERNS,
    MOST_QUEUED,
    MOST_QUEUED_BYTES,
    STALLED,
    EventChannel,
)
from coopsim.server.event_delivery import EventFeed
from coopsim.server.event_log import EventLog
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.events import MOST_BYTES, MOST_RATE, Allowance
from coopsim.server.own_events import OwnEvents
from coopsim.simulation import Simulation
from coopsim.state import Record
from coopsim.state.edits import PATIENCE_OVER, RELEASED, AppliedEdit, Note, PublishEvents, SetParameter


@dataclass
class Table:
    """Two programs and the records of their simulation."""

    server: LocalServer
    ada: Client
    bob: Client
    records: list[Record]

    def step(self) -> None:
        """Do one tick."""
        self.ada.robot("robot1").motors.stop()

    def recorded(self) -> list[PublishEvents]:
        """Return what the records hold."""
        edits = [AppliedEdit.from_plain(edit).edit for record in self.records for edit in record.edits]
        return [edit for edit in edits if isinstance(edit, PublishEvents)]


@pytest.fixture
def table() -> Iterator[Table]:
    records: list[Record] = []
    server = LocalServer(Simulation(load("single")), published=records.append)
    with server.connect() as ada, server.connect() as bob:
        yield Table(server, ada, bob, records)


def test_who_listens_hears_events_in_their_order_with_numbers_and_their_source(table: Table) -> None:
    with table.bob.listen("/game/**") as heard:
        table.ada.publish("/game/score", "1:0", [1.0, 0.5])
        table.ada.publish("/chat", "not for the game")
        table.ada.publish("/game", "over")
        first, second = heard.hear(0.0), heard.hear(0.0)
        assert heard.hear(0.0) is None
    assert first == ChannelEvent("/game/score", "1:0", (1.0, 0.5), "client 1", 0, 1)
    assert second is not None
    assert (second.topic, second.number, heard.lost) == ("/game", 2, 0)
    table.ada.publish("/game", "nobody listens any more")


def test_several_events_in_one_message_are_told_all_or_none(table: Table) -> None:
    with table.bob.listen("/**") as heard:
        table.ada.publish_all([("/a", "", [1.0, 2.0]), ("/b", "x", []), ("/c", "", [3.0])])
        assert [(event.topic, event.data) for event in iter(lambda: heard.hear(0.0), None)] == [
            ("/a", (1.0, 2.0)),
            ("/b", ()),
            ("/c", (3.0,)),
        ]
        with pytest.raises(BadArgument):
            table.ada.publish_all([("/a", "", []), ("no topic", "", [])])
        assert heard.hear(0.0) is None


@pytest.mark.parametrize(
    ("pattern", "heard", "not_heard"),
    [
        ("/game/score", ["/game/score"], ["/game", "/game/score/red", "/game/Score"]),
        ("/game/*/score", ["/game/red/score"], ["/game/score", "/game/red/blue/score"]),
        ("/*", ["/game"], ["/game/score"]),
        ("/game/**", ["/game", "/game/score", "/game/a/b/c"], ["/games", "/chat"]),
        ("/*/score/**", ["/game/score", "/x/score/y"], ["/game", "/game/red/score"]),
        ("/**", ["/a", "/a/b/c/d/e/f/g/h"], []),
    ],
)
def test_patterns_have_wildcards_for_one_level_and_for_the_rest(
    pattern: str, heard: list[str], not_heard: list[str]
) -> None:
    """G-5, G-9: who listens hears the topics that are meant, and no others."""
    wanted = TopicPattern(pattern)
    assert all(map(wanted.matches, heard))
    assert not any(map(wanted.matches, not_heard))


@pytest.mark.parametrize("topic", ["", "/", "game", "/a//b", "/a b", "/a/*", "/" + "x" * 128, "/a" * 9, "/ü", "/a/"])
def test_what_is_no_topic_is_refused(topic: str) -> None:
    with pytest.raises(BadArgument, match="topic"):
        check_event(topic, "", ())


@pytest.mark.parametrize("pattern", ["", "/", "**", "/a/**/b", "/a*", "/***", "//**", "/a" * 9])
def test_what_is_no_pattern_is_refused(table: Table, pattern: str) -> None:
    with pytest.raises(BadArgument):
        table.ada.listen(pattern)


def test_limits_of_events_and_patterns_hold(table: Table) -> None:
    module = table.ada.module("/sim/events")
    for bad in (("/a", "x" * 4097), ("/a", "ü" * 2049)):
        with pytest.raises(BadArgument):
            module.publish(*bad)
    with pytest.raises(BadArgument):
        table.ada.publish("/a", "", [0.0] * 65)
    with pytest.raises(BadArgument):
        table.ada.listen()
    with pytest.raises(BadArgument):
        table.ada.listen(*(f"/a{number}" for number in range(MOST_PATTERNS + 1)))
    with pytest.raises(NotAllowed):
        table.ada.publish("/sim/bumps/robot1", "front")


def test_who_floods_is_refused_until_time_has_passed() -> None:
    allowance = Allowance()
    allowance.spend(MOST_RATE, 0, 0.0)
    with pytest.raises(BadArgument, match="in a second"):
        allowance.spend(1, 0, 0.0)
    allowance.spend(MOST_RATE // 2, MOST_BYTES, 0.5)
    with pytest.raises(BadArgument, match="in a second"):
        allowance.spend(0, MOST_BYTES, 1.0)
    allowance.spend(MOST_RATE, MOST_BYTES, 100.0)


def test_the_record_of_the_next_tick_holds_what_was_told(table: Table) -> None:
    table.ada.publish("/game/score", "1:0", [1.0])
    assert not table.recorded()
    table.step()
    table.bob.publish("/chat", "hello")
    table.step()
    events = [event for edit in table.recorded() for event in edit.events]
    assert events == [
        ChannelEvent("/game/score", "1:0", (1.0,), "client 1", 0),
        ChannelEvent("/chat", "hello", (), "client 2", 1),
    ]


def test_the_simulation_tells_what_was_changed(table: Table) -> None:
    with table.bob.listen("/sim/**") as heard:
        table.ada.world.insert("[TARGET]\ngreen 1 1 0\n")
        table.step()
        event = heard.hear(0.0)
    assert event is not None
    assert (event.topic, event.source) == ("/sim/edits/insert", "simulation")


def test_with_asyncio_it_is_the_same() -> None:
    async def play() -> tuple[ChannelEvent | None, ChannelEvent | None]:
        server = LocalServer(Simulation(load("single")))
        async with aio.connect(server) as sim, sim.listen("/game/**") as heard:
            await sim.publish("/game/score", "2:1", [2.0])
            await sim.publish_all([("/chat", "", [])])
            return await heard.hear(5.0), await heard.hear(0.0)

    event, nothing = asyncio.run(play())
    assert event == ChannelEvent("/game/score", "2:1", (2.0,), "client 1", 0, 1)
    assert nothing is None


# without sockets: rooms and clocks by hand


@dataclass
class Basin:
    """A connection that takes so many messages."""

    room: int = 1 << 30
    came: list[bytes] = field(default_factory=list)

    def post(self, _session: Session, raw: bytes) -> None:
        """Take a reply."""
        self.came.append(raw)

    def offer(self, _session: Session, raw: bytes) -> bool:
        """Take an event while there is room."""
        if self.room <= 0:
            return False
        self.room -= 1
        self.came.append(raw)
        return True

    def events(self) -> list[ChannelEvent]:
        """Return what came."""
        return [event for raw in self.came for event in events_of(decode(raw))]


@dataclass
class Clock:
    """A clock that goes by hand."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def _channel(room: int) -> tuple[EventChannel, Session, Basin, Clock]:
    clock, basin = Clock(), Basin(room)
    channel, session = EventChannel(clock=clock), Session(basin, None, "slow")
    assert channel.subscribe(session, ["/**"], binary=True) == 1
    return channel, session, basin, clock


def test_who_does_not_keep_up_sees_by_the_numbers_how_many_are_lost() -> None:
    channel, _, basin, _ = _channel(room=0)
    channel.publish(ChannelEvent("/a", "", (float(number),)) for number in range(MOST_QUEUED + 7))
    channel.deliver(1)
    assert channel.is_stuck
    assert not basin.came
    basin.room = 1 << 30
    channel.deliver(2)
    events = basin.events()
    assert [event.number for event in events] == list(range(8, MOST_QUEUED + 8))
    assert [event.data for event in events[:2]] == [(7.0,), (8.0,)]


def test_the_bytes_that_wait_for_one_connection_are_bounded() -> None:
    channel, _, basin, _ = _channel(room=0)
    text = "x" * 4096
    most = MOST_QUEUED_BYTES // 4096
    channel.publish(ChannelEvent("/a", text) for _ in range(2 * most))
    basin.room = 1 << 30
    channel.deliver(0)
    assert most - 50 < len(basin.events()) <= most
    assert basin.events()[-1].number == 2 * most


def test_who_takes_nothing_for_long_is_told_so_and_dropped() -> None:
    channel, session, basin, clock = _channel(room=0)
    channel.publish([ChannelEvent("/a")])
    channel.deliver(0)
    clock.now = STALLED + 1.0
    channel.deliver(0)
    assert not basin.came
    assert channel.has_listeners
    basin.room = 1
    channel.deliver(0)
    (word,) = map(decode, basin.came)
    assert (word.id, word.error) == (0, TooSlow.code)
    assert not channel.has_listeners
    assert not session.hears_events


def test_the_end_of_the_run_is_told_after_the_last_event() -> None:
    channel, _, basin, _ = _channel(room=9)
    channel.publish([ChannelEvent("/a")])
    channel.end()
    last = decode(basin.came.pop())
    assert last.error == SimulationEnded.code
    assert len(basin.events()) == 1


def test_numbers_travel_as_the_subscriber_asked_for_them() -> None:
    channel, session, basin, _ = _channel(room=9)
    channel.subscribe(session, ["/**"], binary=False)
    channel.publish([ChannelEvent("/a", "é", (1.5,)), ChannelEvent("/b", "", (2.5, 3.5))])
    channel.deliver(4)
    (message,) = map(decode, basin.came)
    assert not message.binary
    assert message.tick == 4
    assert [event.data for event in basin.events()] == [(1.5,), (2.5, 3.5)]
    assert basin.events()[0].text == "é"


def test_what_records_hold_is_told_again_when_a_recording_is_shown(table: Table) -> None:
    table.ada.publish("/game/score", "1:0", [1.0])
    table.step()
    channel, _, basin, _ = _channel(room=9)
    feed = EventFeed(channel, EventLog(DirectSource(Simulation(load("single")))), is_recording=True)
    assert feed.needs_records
    for record in table.records:
        feed.publish(Simulation(load("single")).layout, record)
    feed.send(table.records[-1])
    assert basin.events() == [ChannelEvent("/game/score", "1:0", (1.0,), "client 1", 0, 1)]


def test_a_record_has_room_for_so_many_events_and_says_how_many_are_lost(table: Table) -> None:
    source = DirectSource(Simulation(load("single")))
    source.largest_edit = 4 * 500
    log, kept = EventLog(source), list[PublishEvents]()
    source.edit = lambda edit, _: kept.append(edit)  # type: ignore[method-assign, assignment, arg-type]
    log.keep([ChannelEvent("/a")] * 4, 400)
    log.keep([ChannelEvent("/too many")] * 9, 200)
    log.send(1)
    log.keep([ChannelEvent("/b")], 20)
    log.send(1)
    assert len(kept) == 1
    assert (kept[0].topics, kept[0].lost) == (["/a"] * 4, 9)
    log.send(2)
    assert [event.topic for event in kept[1].events] == ["/b"]


def test_bumps_and_late_controllers_are_told(table: Table) -> None:
    simulation = Simulation(load("single"))
    place = simulation.layout.robot["robot1"]
    own, bumpers = OwnEvents(), place.type.module("bumpers")
    assert bumpers is not None
    column = place.reading_offset + bumpers.reading_offset
    lines: list[str] = []
    for touched in (0.0, 1.0, 1.0, 0.0, 1.0):
        record = table.records[0]
        readings = record.readings.copy()
        readings[column + 1] = touched
        fake = SimpleNamespace(readings=readings, tick=3)
        lines += [f"{event.topic} {event.text}" for event in own.of(simulation.layout, fake, ())]  # type: ignore[arg-type]
    assert lines == ["/sim/bumps/robot1 rear"] * 2
    late = AppliedEdit(Note(f"{PATIENCE_OVER}stop", "robot1"))
    timed = AppliedEdit(SetParameter("robot1", "sonars", "reach", 2.0), is_event=True)
    taken = AppliedEdit(Note(f"{RELEASED}the role of the key 'anna' is `watch` now", "robot2"))
    events = own.of(simulation.layout, table.records[0], (late, timed, taken))
    assert [(event.topic, event.text) for event in events] == [
        ("/sim/late/robot1", "stop"),
        ("/sim/scenario/set_parameter", timed.edit.as_text()),
        ("/sim/released/robot2", "the role of the key 'anna' is `watch` now"),
    ]


def test_connections_that_are_over_are_forgotten() -> None:
    channel, session, _, _ = _channel(room=9)
    session.is_gone = True
    channel.publish([ChannelEvent("/a")])
    channel.deliver(0)
    assert not channel.has_listeners
