"""The state stream on real sockets: topics, dividers, slow subscribers. C-22, C-23."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import zmq
from server_fakes import PLAIN, SINGLE, ask
from server_running import Running
from server_wire import call

from coopsim.client import connect
from coopsim.errors import BadArgument, MalformedMessage, NoReply, WrongRun
from coopsim.message import StateMessage, unpack_state

pytestmark = pytest.mark.integration
STEP = 11
DEADLINE_MS = 10_000


@contextmanager
def subscribed(run: Running, *topics: str, conflate: bool = False, **options: int) -> Iterator[zmq.Socket[bytes]]:
    """Give a plain subscriber, as any language has it."""
    ear = run.context.socket(zmq.SUB)
    ear.linger, ear.rcvtimeo, ear.conflate = 0, DEADLINE_MS, conflate
    for name, value in options.items():
        setattr(ear, name, value)
    for topic in topics:
        ear.subscribe(topic)
    ear.connect(f"tcp://127.0.0.1:{run.ports['stream']}")
    try:
        yield ear
    finally:
        ear.close(0)


def heard(ear: zmq.Socket[bytes]) -> StateMessage:
    return unpack_state(ear.recv())


def drive(client: zmq.Socket[bytes], steps: int = 1) -> None:
    """Do some lockstep ticks."""
    for _ in range(steps):
        assert call(client, ask("/sim/step", STEP, 1, "robot1", data=(0.3, 0.1))).error == 0


def test_a_subscriber_gets_the_newest_state_at_once_and_then_every_tick(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    with subscribed(run, "/sim/state\0") as ear:
        assert heard(ear).tick == 0
        client = run.dealer()
        for tick in range(1, 21):
            drive(client)
            assert heard(ear).tick == tick


def test_a_state_tells_its_run_and_a_client_takes_those_of_no_other(serve: Callable) -> None:
    run = serve("real-time", run=77)
    with connect(f"tcp://127.0.0.1:{run.ports['zmq']}", timeout=10.0) as sim:
        with sim.stream("robot1") as states:
            state = states.latest()
            assert state is not None
            assert state.raw.run == 77
        with sim.stream("robot1") as states:
            sim._pool.run_number = 76  # the simulation that was here before
            with pytest.raises(WrongRun) as caught:
                states.latest()
        assert caught.value.params == (77,)


def test_everything_tells_of_all_robots_in_the_order_of_the_layout(serve: Callable) -> None:
    run = serve("real-time")
    with subscribed(run, "/sim/state\0") as ear:
        state = heard(ear)
    assert state.robots == ("plain1", "robot1", "robot2") == state.names
    assert state.widths == (PLAIN.reading_width, SINGLE.reading_width, SINGLE.reading_width)
    assert state.poses.shape == (3, 7)
    assert state.pose("robot2").tolist() == [2.0, 0, 0, 1, 0, 0, 0]
    assert state.readings("robot1")[-8:].tolist() == [0.0, *[-1.0] * 7]
    assert (state.generation, state.mode, state.is_paused, state.is_ended) == (1, "real-time", False, False)


def test_a_robots_topic_tells_of_it_alone_and_not_of_names_that_begin_like_it(serve: Callable) -> None:
    run = serve("lockstep", robots={"robot1": SINGLE, "robot10": SINGLE})
    with subscribed(run, "/robot1\0") as first, subscribed(run, "/robot10\0") as ten:
        assert heard(first).names == ("robot1",)
        assert heard(ten).names == ("robot10",)
        client = run.dealer()
        for _ in range(3):
            drive(client)
            assert heard(first).robots == ("robot1",)
        assert heard(ten).readings("robot10").size == SINGLE.reading_width


def test_a_topic_without_nul_is_a_prefix_of_zeromq(serve: Callable) -> None:
    run = serve("lockstep", robots={"robot1": SINGLE, "robot10": SINGLE})
    with subscribed(run, "/robot10\0") as ten, subscribed(run, "/robot1") as prefix:
        assert heard(ten).topic == "/robot10"
        drive(run.dealer())
        assert {heard(prefix).topic for _ in range(3)} == {"/robot1", "/robot10"}


def test_a_divider_leaves_records_out_for_each_subscriber_alone(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    with subscribed(run, "/robot1@10\0") as slow, subscribed(run, "/robot1\0") as fast:
        first = heard(slow)
        assert (first.topic, first.tick) == ("/robot1@10", 0)
        assert heard(fast).tick == 0
        client = run.dealer()
        revisions = []
        for tick in range(1, 41):
            drive(client)
            now = heard(fast)
            assert now.tick == tick
            if now.revision % 10 == 0:
                revisions.append((now.revision, heard(slow).revision))
        assert not slow.poll(20)
        assert len(revisions) == 4
        assert all(due == received for due, received in revisions)


@pytest.mark.parametrize("topic", ["", "robot1\0", "/robot1@0\0", "/robot1@-1\0", "/robot1@x\0", "/robot1@9999999\0"])
def test_what_is_no_topic_gets_nothing_and_harms_nobody(serve: Callable, topic: str) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    with subscribed(run, topic) as ear, subscribed(run, "/robot1@2\0") as subscriber:
        assert heard(subscriber).tick == 0
        drive(run.dealer(), 4)
        assert heard(subscriber).tick > 0
        # whoever subscribes to every prefix hears what others asked for, and nothing else
        is_every = topic == ""
        assert bool(ear.poll(5000 if is_every else 50)) == is_every


def test_a_robot_that_comes_later_is_told_of_when_it_is_there(serve: Callable) -> None:
    run = serve("real-time")
    with subscribed(run, "/robot9\0") as ear:
        client = run.dealer()
        assert call(client, ask("/sim/world", 11, "[ROBOT_9]")).error == 0
        state = heard(ear)
        assert (state.names, state.generation) == (("robot9",), 2)


def test_nothing_is_encoded_while_nobody_listens(serve: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    from coopsim.server.sockets import state_publisher

    encoded: list[int] = []
    packed = state_publisher.pack_state

    def counting(head: tuple[int, ...], *parts: bytes) -> bytes:
        encoded.append(head[0])
        return packed(head, *parts)

    monkeypatch.setattr(state_publisher, "pack_state", counting)
    run = serve("lockstep", wait_for=("robot1",))
    client = run.dealer()
    drive(client, 10)
    assert encoded == []
    with subscribed(run, "/robot1\0") as ear:
        assert heard(ear).tick == 10
    deadline = time.monotonic() + DEADLINE_MS / 1000
    while encoded and time.monotonic() < deadline:  # until the end of the subscription is known
        encoded.clear()
        drive(client, 5)
    assert encoded == []


def test_who_was_left_out_for_want_of_time_gets_the_newest_state_though_no_newer_one_follows(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.server.sockets import state_publisher

    monkeypatch.setattr(state_publisher, "BUDGET", -1.0)  # the time for a record is always over after one topic
    run = serve("lockstep", wait_for=("robot1",))
    topics = ("/robot1\0", "/robot2\0", "/plain1\0", "/sim/state\0")
    with subscribed(run, *topics) as ear:
        assert {heard(ear).topic for _ in topics} == {topic[:-1] for topic in topics}
        client = run.dealer()
        for tick in (1, 2):
            drive(client)
            states = [heard(ear) for _ in topics]
            assert {(state.topic, state.tick) for state in states} == {(topic[:-1], tick) for topic in topics}
        assert not ear.poll(20)


def test_a_subscriber_that_never_reads_holds_up_nobody(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    with subscribed(run, "/sim/state\0", rcvhwm=1) as deaf, subscribed(run, "/robot1\0", conflate=True) as newest:
        assert heard(newest).tick == 0
        driver = run.dealer()
        drive(driver, 3000)
        states = [heard(newest)]
        while states[-1].tick < 3000:
            states.append(heard(newest))
        assert len(states) < 100  # the newest alone is kept
        assert heard(deaf).tick < 3000  # it missed what it did not take


def test_who_had_no_room_for_the_newest_state_gets_it_though_no_newer_one_follows(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.server.sockets import state_publisher

    set_options = state_publisher._set_options

    def with_little_room(socket: "zmq.Socket[bytes]") -> None:
        set_options(socket)
        socket.sndbuf = 4096

    monkeypatch.setattr(state_publisher, "_set_options", with_little_room)
    run = serve("lockstep", wait_for=("robot1",))
    with subscribed(run, "/sim/state\0", rcvhwm=1, rcvbuf=4096) as ear:
        assert heard(ear).tick == 0
        driver = run.dealer()
        drive(driver, 100)
        seen = [heard(ear).tick]
        while seen[-1] < 100:
            seen.append(heard(ear).tick)
    assert len(seen) < 100  # it missed some
    assert seen == sorted(seen)


def test_garbage_and_floods_of_subscriptions_harm_nobody(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    ear = run.context.socket(zmq.XSUB)
    ear.linger = 0
    ear.connect(f"tcp://127.0.0.1:{run.ports['stream']}")
    for number in range(3000):
        ear.send(b"\1/robot%d\0" % number)
    for raw in (b"", b"\1", b"\1\xff\xfe\0", b"\2abc", b"\0/robot77\0", b"\1/robot1@\0", b"\1" + b"/" * 1000):
        ear.send(raw)
    with subscribed(run, "/robot2\0") as subscriber:
        assert heard(subscriber).names == ("robot2",)
        drive(run.dealer(), 20)
        # the flood asks for robot2, too: what is asked for anew is sent again, to all who listen
        while heard(subscriber).tick < 20:
            pass
    ear.close(0)


# with our client


def test_the_client_iterates_over_states_with_names(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    endpoint = f"tcp://127.0.0.1:{run.ports['zmq']}"
    with connect(endpoint) as sim, sim.stream("/robot1", conflate=False) as stream:
        assert next(stream).tick == 0
        client = run.dealer()
        for tick in range(1, 6):
            drive(client)
            state = next(stream)
            assert state.tick == tick
        assert state.readings["robot1"].motors.v == 0.3
        assert state.readings.sonars.ranges.tolist() == [[5.0, 5.0, 5.0]]
        assert state.pose("robot1").shape == (7,)


def test_the_client_follows_robots_that_come(serve: Callable) -> None:
    run = serve("real-time")
    with connect(f"tcp://127.0.0.1:{run.ports['zmq']}") as sim, sim.stream() as stream:
        assert next(stream).names == ("plain1", "robot1", "robot2")
        sim.world.insert("[ROBOT_9]")
        state = next(stream)
        assert "robot9" in state.names
        assert state.readings["robot9"].sonars.ranges.shape == (3,)
        assert state.readings.of("plain").odometry.x.shape == (1,)


def test_the_end_of_the_run_is_the_end_of_the_stream(serve: Callable) -> None:
    run = serve("real-time")
    with connect(f"tcp://127.0.0.1:{run.ports['zmq']}") as sim, sim.stream(every=1000) as stream:
        assert next(stream).tick == 0
        run.source.publish(ended=True)
        assert [state.raw.is_ended for state in stream] == [True]
        assert stream.latest() is None


def test_a_stream_that_stays_silent_says_why(serve: Callable) -> None:
    run = serve("real-time")
    with connect(f"tcp://127.0.0.1:{run.ports['zmq']}") as sim:
        with sim.stream("/robot7", timeout=0.05) as stream, pytest.raises(NoReply, match="no robot 'robot7'"):
            next(stream)
        with sim.stream("/robot1") as stream:
            next(stream)
            with pytest.raises(NoReply, match="time stands still"):
                stream.latest(timeout=0.05)


@pytest.mark.parametrize(("name", "every"), [("/robot1", 0), ("/robot1", -1), ("/robot1@2", 2), ("/" + "a" * 300, 1)])
def test_streams_that_cannot_be_are_refused(serve: Callable, name: str, every: int) -> None:
    run = serve("real-time")
    with connect(f"tcp://127.0.0.1:{run.ports['zmq']}") as sim, pytest.raises(BadArgument):
        sim.stream(name, every=every)


@pytest.mark.parametrize(
    "raw", [b"", b"/a", b"/a\0", b"/a\0\x80", b"/a\0\x93\1\2\3", b"\xff\0\x80", b"/a\0" + b"\x91" * 2000]
)
def test_what_is_no_state_is_told_so(raw: bytes) -> None:
    with pytest.raises(MalformedMessage):
        unpack_state(raw)
