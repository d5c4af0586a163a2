"""The host's view of the source: layouts, records, command rows, edits and the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from coopsim.errors import BadArgument, SimulationEnded
from coopsim.interfaces import MOTORS, SONARS
from coopsim.state import Layout, ModuleLayout, RecordHeader, RobotPlace, TypeLayout
from coopsim.state.edits import Continue, Insert, Pause, Remove
from coopsim.transport import Answer, Channel, Notifier, Ring, SourceLink, packed_layout
from coopsim.transport.control import CompilingKernels
from coopsim.transport.ring import MOST_LAYOUTS


def robot_type(name: str = "single", count: int = 3) -> TypeLayout:
    motors = ModuleLayout("motors", MOTORS, {}, (), 0, 0, 4, True)
    sonars = ModuleLayout("sonars", SONARS, {"count": count}, (), -1, 4, count, False)
    return TypeLayout(name, (motors, sonars), 4, 4 + count)


def layout(generation: int, names: str, kind: TypeLayout | None = None) -> Layout:
    """Return the layout of robots, one letter each."""
    kind = kind or robot_type()
    places = [RobotPlace(name, kind, 4 * row, kind.reading_width * row, row) for row, name in enumerate(names)]
    return Layout(generation, (kind,), tuple(places), (), (), 4 * len(names), kind.reading_width * len(names))


@dataclass
class Source:
    """The other end: a stand-in for the physics process."""

    ring: Ring
    channel: Channel
    wake: Notifier
    permits: Notifier
    answers: list[Answer] = field(default_factory=list)

    def announce(self, it: Layout) -> None:
        self.ring.announce(it.generation, packed_layout(it))

    def begin(self, it: Layout, tick: int) -> None:
        """Publish the first record of a layout."""
        self.announce(it)
        self.publish(it, tick)

    def publish(self, it: Layout, tick: int) -> None:
        readings = np.full(it.reading_size, float(tick))
        header = RecordHeader(tick=tick, revision=tick, generation=it.generation, readings=readings.size)
        self.ring.append(header, (readings,))
        self.wake.notify()

    def latched(self, it: Layout) -> list[float] | None:
        out = np.zeros(it.command_size)
        return out.tolist() if self.ring.latch(it.generation, out) else None

    def end(self) -> None:
        self.channel.close()
        self.wake.close()


@pytest.fixture
def pair() -> Iterator[tuple[SourceLink, Source]]:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=100)
    (near, far), (woken, wake), (permits, permit) = Channel.pair(), Notifier.pair(), Notifier.pair()
    yield SourceLink(ring, near, woken, permit), Source(ring, far, wake, permits)
    ring.unlink()
    for end in (near, far, woken, wake, permits, permit):
        end.close()


def begun(pair: tuple[SourceLink, Source], names: str = "ab", generation: int = 1) -> Layout:
    """Announce a layout and publish its first record."""
    link, source = pair
    first = layout(generation, names)
    source.begin(first, tick=0)
    assert link.poll()
    return first


def command(link: SourceLink, name: str, *values: float) -> None:
    with link.writing() as (now, rows):
        start = now.robot[name].command_offset
        rows[start : start + len(values)] = values


def test_before_the_first_record_the_simulation_has_not_begun(pair: tuple[SourceLink, Source]) -> None:
    with pytest.raises(SimulationEnded, match="has written no record yet"):
        _ = pair[0].record


def test_the_newest_record_is_served(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    for tick in (1, 2, 3):
        source.publish(first, tick)
    assert link.record.tick == 3
    assert link.record is link.record
    assert link.now[0] == first


def test_the_host_knows_how_far_kernels_are_until_the_source_goes_on(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    source.channel.send(CompilingKernels(3, 70))
    link.poll()
    assert link.compiling == {"done": 3, "total": 70}
    source.publish(first, 1)
    link.poll()
    assert link.compiling == {}


def test_polling_says_whether_anything_new_came(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    assert not link.poll()
    source.publish(first, 1)
    assert link.poll()


def test_record_and_layout_always_belong_together(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    second = layout(2, "abc")
    source.begin(second, 1)  # it is not in force yet
    assert (link.now[0], link.record.tick) == (first, 0)
    link.follow_layouts()
    assert (link.now[0], link.record.tick) == (second, 1)
    source.announce(layout(3, "b"))  # its first record is still to come
    link.poll()
    assert (link.now[0], link.record.tick) == (second, 1)


def test_a_request_never_sees_two_layouts(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    source.publish(first, 1)
    assert link.record.tick == 1
    source.begin(layout(2, "a"), 2)
    assert (link.now[0], link.layout, link.record.tick) == (first, first, 1)
    with link.writing() as (current, _):
        assert current == first


def test_a_layout_of_a_generation_that_was_overtaken_in_the_ring_is_put_in_force(
    pair: tuple[SourceLink, Source],
) -> None:
    link, source = pair
    begun(pair)
    second = layout(2, "a")
    source.begin(second, 1)
    for tick in range(2, 6000):
        source.publish(second, tick)
    link.poll()
    assert (link.now[0], link.record.tick) == (second, 5999)


def test_commands_reach_the_source(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    command(link, "b", 1.0, 10.0, 0.3, 0.1)
    assert source.latched(first) == [0.0] * 4 + [1.0, 10.0, 0.3, 0.1]


def test_commands_of_robots_that_stay_are_carried_into_a_new_layout(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    begun(pair, "abc")
    for number, name in enumerate("abc", 1):
        command(link, name, number, 10.0, 0.1 * number, 0.0)
    second = layout(2, "cnb")
    source.begin(second, 1)
    assert source.latched(second) is None, "the host has not taken it over yet"
    link.poll()
    assert source.latched(second) == [3.0, 10.0, 0.1 * 3, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 10.0, 0.2, 0.0]


def test_a_robot_of_another_type_does_not_inherit_the_commands_of_its_name(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    begun(pair, "a")
    command(link, "a", 1.0, 10.0, 0.5, 0.0)
    second = layout(2, "a", robot_type("bench"))
    source.begin(second, 1)
    link.poll()
    assert source.latched(second) == [0.0] * 4


def test_several_layouts_at_once_are_carried_over_one_by_one(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    begun(pair, "ab")
    command(link, "b", 5.0, 10.0, 0.5, 0.0)
    for generation, names in ((2, "b"), (3, "bx"), (4, "yxb")):
        source.begin(layout(generation, names), generation)
    link.poll()
    assert source.latched(layout(4, "yxb")) == [0.0] * 8 + [5.0, 10.0, 0.5, 0.0]
    assert source.latched(layout(2, "b")) is None


def test_a_robot_that_left_and_came_again_at_once_does_not_go_on_with_its_old_command(
    pair: tuple[SourceLink, Source],
) -> None:
    link, source = pair
    begun(pair, "ab")
    command(link, "b", 5.0, 10.0, 0.5, 0.0)
    source.begin(layout(2, "a"), 1)
    source.begin(layout(3, "ab"), 2)
    link.poll()
    assert source.latched(layout(3, "ab")) == [0.0] * 8


def test_more_generations_than_are_kept_leave_the_newest_one_in_force(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    begun(pair, "ab")
    for generation in range(2, 3 * MOST_LAYOUTS):
        source.begin(layout(generation, "ab"), generation)
    link.poll()
    assert link.now[0] == layout(3 * MOST_LAYOUTS - 1, "ab")


def test_an_edit_is_answered_to_whoever_asked(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    answers: dict[str, Answer] = {}
    link.edit(Insert("[ROBOT_1]"), lambda answer: answers.update(insert=answer))
    link.edit(Remove("b"), lambda answer: answers.update(remove=answer))
    asked = source.channel.wait(5.0)
    assert [request.edit for request in asked] == [Insert("[ROBOT_1]"), Remove("b")]
    removed = Answer(203, "no b", tick=4, id=asked[1].id)
    inserted = Answer(0, "", ("robot1",), (), 5, id=asked[0].id)
    for answer in (removed, inserted, Answer(id=99)):  # nobody asked for the last one
        source.channel.send(answer)
    link.poll()
    assert answers == {"remove": removed, "insert": inserted}


def test_an_answer_with_an_error_becomes_its_exception() -> None:
    problem = Answer(203, "no b").problem()
    assert isinstance(problem, BadArgument)
    assert str(problem) == "no b"
    assert Answer().problem() is None


def test_a_permission_reaches_the_source(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    link.grant_tick()
    assert (source.ring.permits, source.permits.drain()) == (1, (False, False))  # it is awake: no need for a wakeup
    source.ring.sleep(is_asleep=True)
    link.grant_tick()
    assert (source.ring.permits, source.permits.drain()) == (2, (True, False))


def test_at_the_end_every_waiting_edit_is_answered_501(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    first = begun(pair)
    link.edit(Pause(), source.answers.append)
    link.edit(Continue(), source.answers.append)
    asked = source.channel.wait(5.0)
    source.publish(first, 9)
    source.channel.send(Answer(tick=9, id=asked[0].id))
    source.end()
    while not link.ended:
        link.poll()
    assert [answer.error for answer in source.answers] == [0, SimulationEnded.code]
    assert link.record.tick == 9


def test_an_edit_after_the_end_is_answered_501_at_once(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    source.end()
    link.poll()
    link.edit(Pause(), source.answers.append)
    assert [answer.error for answer in source.answers] == [SimulationEnded.code]


def test_the_end_of_the_wake_ups_alone_is_an_end(pair: tuple[SourceLink, Source]) -> None:
    link, source = pair
    source.wake.close()
    link.poll()
    assert link.ended
