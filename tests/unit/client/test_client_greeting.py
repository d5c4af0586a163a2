"""What a server's greeting tells, and what becomes of one that tells nothing."""

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import zmq

from coopsim.client.endpoints import Endpoint
from coopsim.client.greeting import mechanism

Talk = Callable[[socket.socket], object]


@contextmanager
def answering(talk: Talk) -> Iterator[Endpoint]:
    """A server that talks so to the one client that comes."""

    def serve() -> None:
        with listener.accept()[0] as client:
            talk(client)

    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        done = pool.submit(serve)
        yield Endpoint("127.0.0.1", int(listener.getsockname()[1]))
        done.result(10.0)


@pytest.mark.parametrize("is_guarded", [False, True])
def test_the_mechanism_of_a_real_socket_is_read_at_once(is_guarded: bool) -> None:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as server:
        server.linger = 0
        if is_guarded:
            server.curve_secretkey = zmq.curve_keypair()[1]
            server.curve_server = True
        port = server.bind_to_random_port("tcp://127.0.0.1")
        assert mechanism(Endpoint("127.0.0.1", port), 10.0) == ("CURVE" if is_guarded else "NULL")


def test_a_greeting_in_pieces_is_put_together() -> None:
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0") + bytes(32)

    def talk(client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in greeting[:32]:
            client.sendall(bytes([byte]))

    with answering(talk) as endpoint:
        assert mechanism(endpoint, 10.0) == "CURVE"


@pytest.mark.parametrize("said", [b"", b"\xff", b"HTTP/1.1 400 Bad Request\r\n"])
def test_who_hangs_up_early_names_none(said: bytes) -> None:
    with answering(lambda client: client.sendall(said)) as endpoint:
        assert mechanism(endpoint, 10.0) == ""


def test_who_speaks_something_else_names_neither() -> None:
    page = b"HTTP/1.1 400 Bad Request\r\n\r\n\xfe\xff" + bytes(range(64))
    with answering(lambda client: client.sendall(page)) as endpoint:
        assert mechanism(endpoint, 10.0) not in {"NULL", "CURVE"}


def test_who_is_silent_is_given_up_in_time() -> None:
    began = time.monotonic()
    with answering(lambda client: client.recv(64) and client.recv(64)) as endpoint:
        assert mechanism(endpoint, 0.2) == ""
    assert 0.2 <= time.monotonic() - began < 10.0


def test_nobody_names_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    assert mechanism(Endpoint("127.0.0.1", port), 1.0) == ""
