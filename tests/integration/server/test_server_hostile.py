"""Clients that mean harm, against a host on real sockets."""

import os
import struct
import threading
import time
from collections.abc import Callable, Sequence

import pytest
import zmq
from server_fakes import SINGLE, ask
from server_wire import call, receive, receive_tcp, send_tcp

from coopsim.message import MAX_BYTES, decode, encode, unpack_state
from coopsim.server import host
from coopsim.server.lane.lane import Lane
from coopsim.server.listener import Listener
from coopsim.server.sockets import router, state_publisher
from coopsim.testkit import memory_of

pytestmark = pytest.mark.integration
INFO = ask("/sim/info", 10)
DEADLINE_MS = 10_000


def replies_of(client: zmq.Socket[bytes], wanted: int) -> list[int]:
    """Return the errors of the next replies, whatever stands before them."""
    replies = []
    while len(replies) < wanted:
        *_, raw = client.recv_multipart()
        if raw:
            replies.append(decode(raw).error)
    return replies


def test_long_ways_back_are_refused_and_not_remembered(serve: Callable) -> None:
    run = serve("real-time")
    client = run.dealer()
    assert call(client, INFO).error == 0
    before = memory_of(os.getpid())
    for number in range(50):
        client.send_multipart([number.to_bytes(2) * 250_000, b"", encode(INFO)])
        client.send_multipart([b"x"] * 50 + [encode(INFO)])
    assert replies_of(client, 100) == [101] * 100
    assert memory_of(os.getpid()) < before + 15.0


@pytest.mark.parametrize("way", [[b""], [b"proxy", b""], [b"a", b"b", b""]])
def test_short_ways_back_are_kept(serve: Callable, way: list[bytes]) -> None:
    run = serve("real-time")
    client = run.dealer()
    client.send_multipart([*way, encode(INFO)])
    *back, raw = client.recv_multipart()
    assert (back, decode(raw).error) == (way, 0)


def test_steps_in_c_do_not_begin_while_requests_wait_for_their_turn(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the lane waits for as long as nothing comes."""
    waiting: list[bool] = []

    def run_lane(_: Lane, _until: float, listeners: Sequence[Listener]) -> None:
        waiting.append(any(getattr(listener, "_unanswered", ()) for listener in listeners))

    monkeypatch.setattr(host, "find", object)
    monkeypatch.setattr(Lane, "run", run_lane)
    run = serve("lockstep", wait_for=("robot1",))
    respond, client = run.modules.respond, run.tcp()

    def slow(raw: bytes, session: object) -> bytes | None:
        time.sleep(2 * router.BURST)
        return respond(raw, session)

    monkeypatch.setattr(run.modules, "respond", slow)
    client.sendall(20 * (struct.pack(">I", len(encode(INFO))) + encode(INFO)))
    assert [receive_tcp(client).error for _ in range(20)] == [0] * 20
    assert waiting
    assert not any(waiting)


def test_requests_are_served_in_turns_whatever_one_of_them_costs(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two of another carrier's a few of a client's slow requests are served, not sixty-four."""
    run = serve("real-time")
    served: list[str] = []
    respond, all_sent = run.modules.respond, threading.Event()

    def slow(raw: bytes, session: object) -> bytes | None:
        served.append(decode(raw).target)
        if served[-1] == "/sim/info":
            all_sent.wait(60)
            time.sleep(2 * router.BURST)
        return respond(raw, session)

    monkeypatch.setattr(run.modules, "respond", slow)
    flooding, quiet = run.dealer(), run.tcp()
    for _ in range(50):
        flooding.send(encode(INFO))
    send_tcp(quiet, encode(ask("/sim/clock", 0)))
    all_sent.set()
    assert receive_tcp(quiet).error == 0
    first = served.index("/sim/clock")
    assert first < 10
    for _ in range(50):
        assert receive(flooding).error == 0


def test_little_waits_of_one_connection_while_the_host_is_busy(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = serve("real-time")
    # a well-formed one, with two later fields: what is malformed is refused without the lock, and so does not wait
    short = encode(INFO)
    large = b"\x9b" + short[1:] + b"\x00\xc6" + (len(rest := bytes(MAX_BYTES - len(short) - 6))).to_bytes(4) + rest
    with run.modules.lock:
        flooding = run.dealer()
        flooding.sndtimeo = 500
        before, sent = memory_of(os.getpid()), 0
        flooding.sndhwm = 1
        try:
            while sent < 200:
                flooding.send(large)
                sent += 1
        except zmq.Again:
            pass
        assert memory_of(os.getpid()) < before + 60.0
    assert sent < 50


def test_topics_of_robots_that_are_not_there_keep_nobody_out(serve: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_publisher, "MOST_TOPICS", 50)
    run = serve("real-time", robots={"robot1": SINGLE})
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        greedy, ear = context.socket(zmq.SUB), context.socket(zmq.SUB)
        for subscriber in (greedy, ear):
            subscriber.rcvtimeo = DEADLINE_MS
            subscriber.connect(f"tcp://127.0.0.1:{run.ports['stream']}")
        for number in range(500):
            greedy.subscribe(f"/nobody{number}\0")
        greedy.subscribe("/robot1\0")  # when its state comes, the others are known
        assert unpack_state(greedy.recv()).robots == ("robot1",)
        ear.subscribe("/sim/state\0")
        assert unpack_state(ear.recv()).robots == ("robot1",)
    finally:
        context.destroy(linger=0)
