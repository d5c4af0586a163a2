"""Connections that say nothing, too little, too often, or never listen. C-29, S-28."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import zmq
from fault_runs import CLAIM, RELEASE, SET_VELOCITY, ask, scene, wait_until

from coopsim.client import connect as open_client
from coopsim.client.endpoints import parse
from coopsim.message import encode
from coopsim.testkit import RawClient, Run, descriptors_of, memory_of

pytestmark = pytest.mark.integration
READING = ask("/robot1/sonars", 10)
LARGE = encode(ask("/sim/step", 10, 0, 1000))
CONNECTIONS = 150
Connect = Callable[..., RawClient]


@contextlib.contextmanager
def connections(endpoint: str, count: int = CONNECTIONS) -> Iterator[list[socket.socket]]:
    place = parse(endpoint)
    with contextlib.ExitStack() as opened:
        yield [opened.enter_context(socket.create_connection((place.host, place.port), 10)) for _ in range(count)]


@pytest.fixture(params=["zmq", "tcp"])
def endpoint(request: pytest.FixtureRequest, real_time: Run) -> str:
    return real_time.endpoint if request.param == "zmq" else real_time.plain


def all_closed(ends: list[socket.socket]) -> bool:
    """Return whether the server closed all of them."""
    for end in ends:
        end.settimeout(0.0)
        try:
            while end.recv(4096):
                pass
        except BlockingIOError:
            return False
        except ConnectionError:
            pass
    return True


def test_silent_connections_are_closed_after_a_while_and_descriptors_return(
    connect: Connect, endpoint: str, real_time: Run
) -> None:
    client = connect(real_time.endpoint)
    client.ask(READING)
    before = descriptors_of(real_time.host)
    with connections(endpoint) as ends:
        assert [client.ask(READING).error for _ in range(50)] == [0] * 50
        wait_until(lambda: all_closed(ends))
        wait_until(lambda: descriptors_of(real_time.host) <= before)
        assert client.ask(READING).error == 0


def test_trickling_connections_are_closed_after_a_while_and_descriptors_return(
    connect: Connect, endpoint: str, real_time: Run
) -> None:
    client = connect(real_time.endpoint)
    client.ask(READING)
    before = descriptors_of(real_time.host)
    greeting = (b"\xff" + bytes(8) + b"\x7f\x03\x00").ljust(64, b"\0")
    stream = iter(greeting if endpoint == real_time.endpoint else b"\x00\x10\x00\x00")
    with connections(endpoint, 40) as ends:
        deadline = time.monotonic() + 20
        while not all_closed(ends) and time.monotonic() < deadline:
            byte = bytes([next(stream, 0)])
            for end in ends:
                with contextlib.suppress(OSError):
                    end.send(byte)
            assert client.ask(READING).error == 0
        assert time.monotonic() < deadline, "a trickle keeps a connection for ever"
        wait_until(lambda: descriptors_of(real_time.host) <= before)


def test_a_client_that_never_reads_costs_little_memory_and_nobody_else_anything(
    connect: Connect, endpoint: str, real_time: Run
) -> None:
    client = connect(real_time.endpoint)
    before = memory_of(real_time.host)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    deaf = context.socket(zmq.DEALER)
    deaf.rcvhwm, deaf.sndtimeo, deaf.linger = 1, 100, 0
    place = parse(endpoint)
    try:
        if place.is_plain:
            plain = socket.create_connection((place.host, place.port), 10)
            plain.settimeout(0.1)
            with plain, contextlib.suppress(OSError):
                for _ in range(30_000):
                    plain.sendall(len(LARGE).to_bytes(4, "big") + LARGE)
        else:
            deaf.connect(place.address)
            with contextlib.suppress(zmq.Again):
                for _ in range(30_000):
                    deaf.send(LARGE)
        assert [client.ask(READING).error for _ in range(50)] == [0] * 50
        assert memory_of(real_time.host) < before + 10.0
    finally:
        context.destroy(linger=0)


def test_clients_that_come_and_go_leave_no_descriptors_and_no_memory(real_time: Run) -> None:
    def visit(number: int) -> int:
        # every third one vanishes without a word in the midst of a request
        with RawClient((real_time.endpoint, real_time.plain)[number % 2]) as guest:
            errors = guest.ask(READING).error + guest.ask(ask("/robot2/motors", SET_VELOCITY)).error
            if number % 3 == 0:
                guest.post(ask("/sim/step", CLAIM, "robot3"))
            return errors

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(visit, range(100)))
        before, memory = descriptors_of(real_time.host), memory_of(real_time.host)
        assert set(threads.map(visit, range(400))) == {0}
    wait_until(lambda: descriptors_of(real_time.host) <= before)
    assert memory_of(real_time.host) < memory + 5.0


def test_two_hundred_clients_are_served_at_once(connect: Connect, real_time: Run) -> None:
    clients = [connect((real_time.endpoint, real_time.plain)[number % 2]) for number in range(200)]
    for _ in range(3):
        posted = [client.post(READING) for client in clients]
        replies = [client.receive() for client in clients]
        assert [reply.id for reply in replies if reply] == posted
        assert {reply.error for reply in replies if reply} == {0}


def test_five_hundred_robots_are_driven_by_one_process(connect: Connect) -> None:
    with (
        Run(scene(500, mode="lockstep", patience=0), "--no-controllers") as run,
        open_client(run.endpoint, timeout=20.0) as simulation,
        simulation.stepper() as stepper,
    ):
        for tick in range(1, 21):
            assert stepper.step([(0.1, 0.0)] * 500).tick == tick
        assert len(stepper.robots) == 500


def test_a_claim_outlives_its_connection_for_its_token_alone(connect: Connect, real_time: Run) -> None:
    first, second = connect(real_time.endpoint), connect(real_time.endpoint)
    # those who came before may have left claims behind, which last a little longer than they did
    wait_until(lambda: first.ask(ask("/sim/step", CLAIM, "robot3")).error == 0)
    (token,) = first.ask(ask("/sim/step", CLAIM, "robot3")).params
    first.close()
    assert second.ask(ask("/robot3/motors", SET_VELOCITY)).error == 204
    again = connect(real_time.plain)
    assert again.ask(ask("/sim/step", 14, token)).params == ("robot3",)
    assert again.ask(ask("/robot3/motors", SET_VELOCITY)).error == 0
    assert again.ask(ask("/sim/step", RELEASE)).error == 0
    assert second.ask(ask("/robot3/motors", SET_VELOCITY)).error == 0


def test_a_reading_that_waits_for_a_step_is_answered_when_its_robots_are_given_back(connect: Connect) -> None:
    with Run(scene(2, mode="lockstep", patience=0), "--no-controllers") as run:
        client, owner = connect(run.endpoint, timeout=5.0), connect(run.endpoint)
        owner.ask(ask("/sim/step", CLAIM, "robot2"))
        client.ask(ask("/robot1/motors", SET_VELOCITY, data=(0.1, 0.0)))
        waiting = client.post(READING)
        released = client.post(ask("/sim/step", RELEASE, "robot1"))
        # no step will ever come: nobody but `other` owns a robot, and it says nothing
        replies = {reply.id for reply in (client.receive(), client.receive()) if reply is not None}
        assert replies == {waiting, released}
