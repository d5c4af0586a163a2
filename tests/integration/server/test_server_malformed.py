"""Malformed, oversized and foreign bytes on real sockets: each has its reply, or costs its sender alone."""

import socket
import struct
import time
from collections.abc import Callable

import msgpack
import pytest
import zmq
from server_fakes import ask
from server_wire import call, is_closed, receive, receive_tcp, send_tcp

from coopsim.errors import MalformedMessage, MessageTooLarge
from coopsim.message import MAX_BYTES, encode

pytestmark = pytest.mark.integration
STEP, CLAIM, RELEASE = 11, 13, 15

GOOD = (1, 3, "/robot1/motors", 0, 0, "", 10, (), (0.1, 0.2))


def changed(place: int, value: object) -> bytes:
    return msgpack.packb([*GOOD[:place], value, *GOOD[place + 1 :]])


MALFORMED = {
    "empty": b"",
    "one byte": b"\xc1",
    "text": b"hello world",
    "cut off": msgpack.packb(GOOD)[:-3],
    "trailing junk": msgpack.packb(GOOD) + b"junk",
    "map": msgpack.packb({"cmd": 1}),
    "number": msgpack.packb(7),
    "short array": msgpack.packb([1, 2, 3]),
    "text as version": changed(0, "1"),
    "another version": changed(0, 9),
    "negative id": changed(1, -1),
    "number as target": changed(2, 5),
    "huge target": changed(2, "x" * 300),
    "huge command": changed(6, 2**63),
    "text as command": changed(6, "go"),
    "nothing as params": changed(7, None),
    "yes as parameter": changed(7, [True]),
    "nothing as parameter": changed(7, [None]),
    "array as parameter": changed(7, [[1]]),
    "not a number in params": changed(7, [float("nan")]),
    "text as datum": changed(8, ["fast"]),
    "not a number": changed(8, [float("nan"), 0.0]),
    "infinity": changed(8, [float("inf"), 0.0]),
    "odd bytes as data": changed(8, b"12345"),
    "array of 2^32": b"\xdd\xff\xff\xff\xff",
    "text of 2^32": b"\xdb\xff\xff\xff\xff",
    "bad utf-8": b"\x99\x01\x01\xa2\xff\xfe\x00\x00\xa0\x00\x90\x90",
    "10000 arrays in each other": b"\x91" * 10_000 + b"\x90",
    "60000 arrays in each other": b"\x91" * 60_000 + b"\x90",
    "too many params": changed(7, [0] * 5000),
}


def test_every_malformed_message_gets_exactly_one_error_reply_and_the_host_lives(serve: Callable) -> None:
    run = serve("real-time")
    dealer, tcp = run.dealer(), run.tcp()
    for name, raw in MALFORMED.items():
        dealer.send(raw)
        assert receive(dealer).error > 0, name
        send_tcp(tcp, raw)
        assert receive_tcp(tcp).error > 0, name
    assert call(dealer, ask("/robot1/sonars", 10, number=99)).id == 99


def test_an_empty_message_is_answered_with_101(serve: Callable) -> None:
    run = serve("real-time")
    dealer = run.dealer()
    dealer.send(b"")
    reply = receive(dealer)
    assert (reply.error, reply.id, reply.target) == (MalformedMessage.code, 0, "")


def test_random_bytes_never_stop_the_host(serve: Callable) -> None:
    import random

    run = serve("real-time")
    dealer, chance = run.dealer(), random.Random(1)
    for _ in range(500):
        dealer.send(chance.randbytes(chance.randint(0, 80)))
        assert receive(dealer).error > 0
    assert call(dealer, ask("/sim/info", 10)).error == 0


def test_tcp_takes_messages_in_any_pieces(serve: Callable) -> None:
    run = serve("real-time")
    tcp = run.tcp()
    raw = encode(ask("/robot1/sonars", 10, number=1))
    stream = (struct.pack(">I", len(raw)) + raw) * 3
    for place in range(0, len(stream), 7):
        tcp.sendall(stream[place : place + 7])
    assert [receive_tcp(tcp).error for _ in range(3)] == [0, 0, 0]


def test_a_tcp_message_that_claims_to_be_too_long_is_refused_and_the_connection_dropped(serve: Callable) -> None:
    run = serve("real-time")
    tcp, innocent = run.tcp(), run.tcp()
    tcp.sendall(struct.pack(">I", MAX_BYTES + 1) + b"x" * 100)
    assert receive_tcp(tcp).error == MessageTooLarge.code
    assert is_closed(tcp)
    send_tcp(innocent, encode(ask("/sim/info", 10)))
    assert receive_tcp(innocent).error == 0


def test_an_oversized_zeromq_message_costs_the_sender_its_connection_only(serve: Callable) -> None:
    run = serve("real-time")
    big, innocent = run.dealer(), run.dealer()
    big.send(b"x" * (MAX_BYTES + 1))
    assert call(innocent, ask("/sim/info", 10)).error == 0
    # it reconnects by itself; the oversized message stays unanswered, what is sent meanwhile may be lost
    big.rcvtimeo = 200
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        big.send(encode(ask("/sim/info", 10)))
        try:
            assert receive(big).error == 0
        except zmq.Again:
            continue
        return
    pytest.fail("the sender was never served again")


def test_http_on_both_ports_harms_nobody(serve: Callable) -> None:
    run = serve("real-time")
    garbage = [socket.create_connection(("127.0.0.1", port), 5) for port in run.ports.values()]
    for end in garbage:
        end.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert call(run.dealer(), ask("/sim/info", 10)).error == 0
    for end in garbage:
        end.close()
