"""The state stream by plain TCP: states between replies, dividers, slow subscribers. C-13, C-21, S-28."""

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import zmq
from server_fakes import PLAIN, SINGLE, ask
from server_running import Running
from server_wire import call, receive_tcp, send_tcp

from coopsim.client import aio, connect
from coopsim.errors import BadArgument, MalformedMessage, NoReply, NoSuchName, WrongRun
from coopsim.message import Message, StateMessage, encode, state_of

pytestmark = pytest.mark.integration
SUBSCRIBE, UNSUBSCRIBE, STEP, INSERT, REMOVE = 11, 12, 11, 11, 13


def subscribe(end: socket.socket, topic: str, *, binary: bool = True, command: int = SUBSCRIBE) -> Message:
    send_tcp(end, encode(replace(ask("/sim/info", command, topic, number=9), binary=binary)))
    reply = receive_tcp(end)
    while reply.id != 9:
        reply = receive_tcp(end)
    return reply


def heard(end: socket.socket) -> StateMessage:
    message = receive_tcp(end)
    assert (message.id, message.error, message.command) == (0, 0, SUBSCRIBE)
    return state_of(message)


def drive(client: zmq.Socket[bytes], steps: int) -> None:
    """Do some lockstep ticks, as another client."""
    for _ in range(steps):
        assert call(client, ask("/sim/step", STEP, 0, "robot1", data=(0.3, 0.1))).error == 0


def test_a_subscriber_gets_the_newest_state_at_once_and_then_every_tick(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",), run=77)
    end = run.tcp()
    assert subscribe(end, "/sim/state").error == 0
    first = heard(end)
    assert (first.tick, first.run, first.mode, first.topic) == (0, 77, "lockstep", "/sim/state")
    client = run.dealer()
    for tick in range(1, 21):
        assert call(client, ask("/sim/step", STEP, 0, "robot1", data=(0.3, 0.1))).error == 0
        assert heard(end).tick == tick


def test_a_state_tells_what_the_stream_by_zeromq_tells(serve: Callable) -> None:
    run = serve("real-time")
    end = run.tcp()
    subscribe(end, "/sim/state")
    state = heard(end)
    assert state.names == state.robots == ("plain1", "robot1", "robot2")
    assert state.widths == (PLAIN.reading_width, SINGLE.reading_width, SINGLE.reading_width)
    assert state.poses[:, 0].tolist() == [0.0, 1.0, 2.0]
    assert state.flat.size == sum(state.widths)


@pytest.mark.parametrize("binary", [True, False])
def test_data_have_the_form_of_the_request(serve: Callable, binary: bool) -> None:
    run = serve("real-time")
    end = run.tcp()
    subscribe(end, "/robot2", binary=binary)
    message = receive_tcp(end)
    assert message.binary is binary
    assert state_of(message).pose("robot2")[0] == 2.0


def test_replies_and_states_share_a_connection_and_are_told_apart(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    end = run.tcp()
    subscribe(end, "/robot1")
    heard(end)
    for number in range(1, 6):
        send_tcp(end, encode(ask("/sim/step", STEP, 0, "robot1", data=(0.3, 0.1), number=number)))
        assert sorted(receive_tcp(end).id for _ in range(2)) == [0, number]


def test_every_tells_one_of_so_many(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    end = run.tcp()
    subscribe(end, "/robot1@5")
    client, heard_at = run.dealer(), [heard(end).revision]
    for _ in range(4):
        for _ in range(5):
            assert call(client, ask("/sim/step", STEP, 0, "robot1", data=(0.3, 0.1))).error == 0
        state = heard(end)
        assert state.topic == "/robot1@5"
        heard_at.append(state.revision)
    assert (np.diff([revision // 5 for revision in heard_at]) >= 1).all()
    send_tcp(end, encode(ask("/sim/clock", 0, number=5)))
    assert receive_tcp(end).id == 5


def test_who_unsubscribes_gets_replies_alone(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    end = run.tcp()
    for topic in ("/robot1", "/robot2"):
        subscribe(end, topic)
    assert subscribe(end, "/robot1", command=UNSUBSCRIBE).error == 0
    client = run.dealer()
    drive(client, 3)
    send_tcp(end, encode(ask("/sim/info", UNSUBSCRIBE, number=4)))
    topics = []
    while (message := receive_tcp(end)).id != 4:
        topics.append(message.target)
    assert set(topics) <= {"/robot2"}
    drive(client, 3)
    send_tcp(end, encode(ask("/robot1/sonars", 10, number=5)))
    assert receive_tcp(end).id == 5


def test_what_is_no_topic_or_no_robot_is_refused(serve: Callable) -> None:
    run = serve("real-time")
    end = run.tcp()
    assert subscribe(end, "robot1").error == BadArgument.code
    assert subscribe(end, "/robot1@0").error == BadArgument.code
    refused = subscribe(end, "/robot9")
    assert (refused.error, refused.params) == (NoSuchName.code, ("/robot9",))


def test_by_zeromq_the_port_of_the_stream_is_named(serve: Callable) -> None:
    run = serve("real-time")
    reply = call(run.dealer(), ask("/sim/info", SUBSCRIBE, "/robot1"))
    assert (reply.error, "port of the stream" in reply.text) == (BadArgument.code, True)


def test_a_robot_that_leaves_is_silent_and_is_told_of_when_it_is_back(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    end = run.tcp()
    subscribe(end, "/plain1")
    heard(end)
    assert call(run.dealer(), ask("/sim/world", REMOVE, "plain1")).error == 0
    drive(run.dealer(), 2)
    send_tcp(end, encode(ask("/sim/clock", 0, number=5)))
    while (message := receive_tcp(end)).id != 5:
        assert message.target == "/plain1"


def test_a_subscriber_that_reads_nothing_stops_nobody_and_then_gets_the_newest(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",), robots={f"robot{number}": SINGLE for number in range(1, 101)})
    slow, quick = run.tcp(), run.tcp()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    for end in (slow, quick):
        subscribe(end, "/sim/state")
        heard(end)
    client = run.dealer()
    for tick in range(1, 401):  # 400 states of 40 kB: more than the kernel keeps
        assert call(client, ask("/sim/step", STEP, 0, "robot1", data=(0.3, 0.1))).tick == tick
        assert heard(quick).tick == tick
    ticks, deadline = [0], time.monotonic() + 20.0
    while ticks[-1] < 400 and time.monotonic() < deadline:
        ticks.append(heard(slow).tick)
    assert ticks[-1] == 400
    assert ticks == sorted(ticks)
    assert len(ticks) < 400


def test_a_connection_that_ends_takes_its_subscriptions_along(serve: Callable) -> None:
    run = serve("lockstep", wait_for=("robot1",))
    end = run.tcp()
    subscribe(end, "/sim/state")
    end.close()
    drive(run.dealer(), 5)


def test_what_is_no_state_is_refused() -> None:
    for params, data in (
        ((), ()),
        ((7, 1, 1, "free", 0, 0, 1, 1, "a"), (0.0,)),
        ((7, 1, 1, "free", 0, 0, 0, 0), (0, 1)),
    ):
        with pytest.raises(MalformedMessage):
            state_of(Message("/robot1", SUBSCRIBE, params, data))


# the clients


def plain(run: Running) -> str:
    return f"tcp+plain://127.0.0.1:{run.ports['tcp']}"


def test_a_client_on_plain_tcp_listens_and_drives(serve: Callable) -> None:
    run = serve("lockstep", run=77)
    with connect(plain(run), timeout=10.0) as sim, sim.stream("robot1") as states, sim.stepper(["robot1"]) as stepper:
        assert repr(states) == f"<stream of /robot1 at {plain(run)}>"
        for tick in range(1, 11):
            stepper.step([(0.3, 0.1)])
            state = states.latest()
            while state is not None and state.tick < tick:
                state = states.latest()
            assert state is not None
            assert state.readings["robot1"].motors.v == 0.3
            assert (state.tick, state.raw.run) == (tick, 77)


def test_without_conflate_no_state_is_passed_over_while_the_client_reads(serve: Callable) -> None:
    run = serve("lockstep")
    with connect(plain(run), timeout=10.0) as sim, sim.stream("robot1", conflate=False) as states:
        first = states.latest()
        assert first is not None
        with sim.stepper(["robot1"]) as stepper:
            for tick in range(1, 6):
                stepper.step([(0.3, 0.1)])
                state = states.latest()
                assert state is not None
                assert state.tick == tick


def test_the_end_of_the_run_ends_the_iteration(serve: Callable) -> None:
    run = serve("real-time")
    with connect(plain(run), timeout=10.0) as sim, sim.stream() as states:
        run.source.publish(ended=True)
        assert [state.raw.is_ended for state in states][-1] is True


def test_a_stream_of_nobody_and_of_another_run_are_refused(serve: Callable) -> None:
    run = serve("real-time", run=77)
    with connect(plain(run), timeout=10.0) as sim:
        with pytest.raises(NoSuchName, match="robot9"):
            sim.stream("robot9")
        sim._pool.run_number = 76
        with pytest.raises(WrongRun):
            sim.stream("robot1")


def test_a_silent_stream_says_why_and_a_broken_one_is_made_anew(serve: Callable) -> None:
    run = serve("lockstep")
    with connect(plain(run), timeout=10.0) as sim, sim.stream("robot1") as states:
        assert states.latest() is not None
        with pytest.raises(NoReply, match="time stands still"):
            states.latest(timeout=0.05)
        with pytest.MonkeyPatch.context() as patched, sim.stream() as everything:
            assert everything.latest() is not None
            patched.setattr("coopsim.client.layout.fetching", lambda: pytest.fail("names of a crowd were asked"))
            with pytest.raises(NoReply, match="time stands still"):
                everything.latest(timeout=0.05)
        states._receiver._link._socket.shutdown(socket.SHUT_RDWR)
        with pytest.raises(NoReply):
            states.latest()
        assert states.latest() is not None


@pytest.mark.parametrize("conflate", [True, False])
def test_the_client_of_asyncio_listens_by_plain_tcp(serve: Callable, conflate: bool) -> None:
    run = serve("lockstep", run=77)

    async def main() -> None:
        async with (
            aio.connect(plain(run), timeout=10.0) as sim,
            sim.stream("robot1", conflate=conflate) as states,
            sim.stepper(["robot1"]) as stepper,
        ):
            for tick in range(1, 6):
                await stepper.step([(0.3, 0.1)])
                state = await states.latest()
                while state is not None and state.tick < tick:
                    state = await states.latest()
                assert state is not None
                assert (state.tick, state.raw.run) == (tick, 77)
            with pytest.raises(NoReply, match="time stands still"):
                await states.latest(timeout=0.05)
            with pytest.raises(NoSuchName):
                await sim.stream("robot9").latest()

    asyncio.run(main())
