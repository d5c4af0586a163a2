"""The chaos proxy between real sockets."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import zmq
from listening_sockets import listening

from coopsim.testkit import Chaos, ChaosProxy
from coopsim.testkit.chaos import REPLIES, REQUESTS

pytestmark = pytest.mark.integration
DEADLINE_MS = 10_000
Connect = Callable[..., zmq.Socket[bytes]]


class Echo:
    """A ROUTER that sends every message back, and keeps what came."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self.seen: list[bytes] = []
        self.routes: set[bytes] = set()
        self._socket = context.socket(zmq.ROUTER)
        self._socket.linger = 0
        self.endpoint = f"tcp://127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            route, *parts = self._socket.recv_multipart()
            if parts == [b"end"]:
                break
            self.routes.add(route)
            self.seen.append(parts[-1])
            self._socket.send_multipart([route, *parts])
        self._socket.close()

    def close(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        with context.socket(zmq.DEALER) as last:
            last.connect(self.endpoint)
            last.send(b"end")
            self._thread.join(DEADLINE_MS / 1000)
        assert not self._thread.is_alive()


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    yield context
    context.destroy(linger=0)


@pytest.fixture
def echo(context: zmq.Context[zmq.Socket[bytes]]) -> Iterator[Echo]:
    server = Echo(context)
    yield server
    server.close(context)


@pytest.fixture
def connect(context: zmq.Context[zmq.Socket[bytes]]) -> Iterator[Connect]:
    clients: list[zmq.Socket[bytes]] = []

    def make(proxy: ChaosProxy, timeout: int = DEADLINE_MS) -> zmq.Socket[bytes]:
        client: zmq.Socket[bytes] = context.socket(zmq.DEALER)
        client.linger, client.rcvtimeo, client.sndtimeo, client.reconnect_ivl = 0, timeout, DEADLINE_MS, 10
        client.connect(proxy.endpoint)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


def received(client: zmq.Socket[bytes]) -> list[bytes]:
    """Return everything that comes until nothing does."""
    messages = []
    with contextlib.suppress(zmq.Again):
        while True:
            messages.append(client.recv())
    return messages


def address_of(proxy: ChaosProxy) -> tuple[str, int]:
    host, _, port = proxy.endpoint.rpartition("//")[2].rpartition(":")
    return host, int(port)


def numbered(count: int) -> list[bytes]:
    return [b"%d" % number for number in range(count)]


def test_without_chaos_everything_passes_unchanged_large_and_in_parts(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint) as proxy:
        client = connect(proxy)
        for parts in ([b"one"], [b"", b"two"], [b"x" * 3_000_000], [b"a", b"b" * 70_000, b"c"]):
            client.send_multipart(parts)
            assert client.recv_multipart() == parts
        assert (proxy.counts.passed, proxy.counts.connections, proxy.counts.dropped) == (8, 1, 0)


def test_each_client_has_its_own_connection_to_the_server(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint) as proxy:
        for number in range(3):
            client = connect(proxy)
            client.send(b"%d" % number)
            assert client.recv() == b"%d" % number
    assert len(echo.routes) == 3


def test_dropped_messages_are_those_the_seed_names(echo: Echo, connect: Connect) -> None:
    chaos = Chaos(11, drop=0.4, directions=(REQUESTS,))
    with ChaosProxy(echo.endpoint, chaos) as proxy:
        client = connect(proxy, timeout=500)
        for message in numbered(50):
            client.send(message)
        kept = [message for at, message in enumerate(numbered(50)) if chaos.fate(0, REQUESTS, at).copies]
        assert received(client) == kept == echo.seen
        assert proxy.counts.dropped == 50 - len(kept) > 5


def test_duplicates_arrive_twice_in_a_row(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint, Chaos(1, duplicate=1.0, directions=(REPLIES,))) as proxy:
        client = connect(proxy)
        client.send(b"once")
        assert [client.recv(), client.recv()] == [b"once", b"once"]
    assert echo.seen == [b"once"]


def test_messages_are_overtaken_and_none_is_lost(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint, Chaos(3, reorder=0.3, hold=0.05)) as proxy:
        client = connect(proxy)
        for message in numbered(60):
            client.send(message)
        messages = [client.recv() for _ in range(60)]
        assert sorted(messages) == sorted(numbered(60))
        assert messages != numbered(60)
        assert proxy.counts.reordered > 5


def test_a_delay_is_waited_for_and_keeps_the_order(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint, Chaos(4, delay=(0.05, 0.1))) as proxy:
        client = connect(proxy)
        began = time.monotonic()
        for message in numbered(30):
            client.send(message)
        assert [client.recv() for _ in range(30)] == numbered(30)
        assert time.monotonic() - began >= 0.1


def test_a_cut_connection_comes_back_as_another_one(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint) as proxy:
        client = connect(proxy)
        client.send(b"before")
        client.recv()
        proxy.cut()
        client.rcvtimeo = 300
        messages: list[bytes] = []
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while not messages and time.monotonic() < deadline:
            client.send(b"after")
            messages = received(client)
        assert set(messages) == {b"after"}
        assert (proxy.counts.cut, proxy.counts.connections) == (1, 2)
    assert len(echo.routes) == 2


def test_chaos_can_be_exchanged_while_it_runs(echo: Echo, connect: Connect) -> None:
    with ChaosProxy(echo.endpoint, Chaos(drop=1.0)) as proxy:
        client = connect(proxy, timeout=200)
        client.send(b"lost")
        assert received(client) == []
        proxy.chaos = Chaos()
        client.rcvtimeo = DEADLINE_MS
        client.send(b"found")
        assert client.recv() == b"found"


def test_a_client_that_connects_while_there_is_no_server_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    proxy = ChaosProxy(f"tcp+plain://127.0.0.1:{port}")
    with proxy, socket.create_connection(address_of(proxy), 5) as client:
        assert client.recv(1) == b""


class PlainEcho:
    """A TCP server that sends every byte back until the client says no more, then one word."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp+plain://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        end, _ = self._listener.accept()
        with end:
            end.settimeout(DEADLINE_MS / 1000)
            while raw := end.recv(65536):
                end.sendall(raw)
            end.sendall(struct.pack(">I", 3) + b"bye")

    def close(self) -> None:
        self._thread.join(DEADLINE_MS / 1000)
        self._listener.close()


def plain(message: bytes) -> bytes:
    return struct.pack(">I", len(message)) + message


def exactly(end: socket.socket, count: int) -> bytes:
    raw = b""
    while len(raw) < count:
        part = end.recv(count - len(raw))
        assert part
        raw += part
    return raw


def test_plain_tcp_in_any_pieces_with_a_half_closed_connection() -> None:
    server = PlainEcho()
    with ChaosProxy(server.endpoint) as proxy:
        with socket.create_connection(address_of(proxy), 10) as client:
            stream = b"".join(map(plain, [b"one", b"", b"x" * 200_000]))
            for start in range(0, len(stream), 50_001):
                client.sendall(stream[start : start + 50_001])
            assert exactly(client, len(stream)) == stream
            client.shutdown(socket.SHUT_WR)
            assert exactly(client, 7) == plain(b"bye")
            assert client.recv(1) == b""
        server.close()


def test_nothing_is_left_behind(echo: Echo, connect: Connect) -> None:
    before = set(threading.enumerate())
    with ChaosProxy(echo.endpoint) as proxy:
        client = connect(proxy)
        client.send(b"x")
        client.recv()
        address = address_of(proxy)
        assert listening([address[1]]) == {address}
    assert set(threading.enumerate()) <= before
    assert listening([address[1]]) == set()
