"""ZeroMQ on plain sockets: libzmq's clients of all kinds, proxies, pings, and peers with bad manners. C-21."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_fakes import ask

from coopsim.errors import MalformedMessage, PortTaken
from coopsim.message import MAX_BYTES, Message, decode, encode
from coopsim.message.zmtp import COMMAND, LONG, MORE, frame
from coopsim.server.lockstep.sessions import Session
from coopsim.server.polling import Poller
from coopsim.server.sockets.zmtp_gateway import HANDSHAKE, MOST_FRAMES, ZmtpGateway

DEADLINE = 10.0
PING = encode(ask("/robot1/motors", 0))
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)


def ready(kind: bytes) -> bytes:
    return frame(b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind, COMMAND)


class Rig:
    """The gateway on real sockets, turned by a thread or by hand, with a clock of its own."""

    def __init__(self, bench: Any, most: int = 100) -> None:
        self.bench, self.now = bench, 0.0
        self.poller = Poller()
        self.gateway = ZmtpGateway(0, bench.modules, self.poller, most, clock=lambda: self.now)
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: list[zmq.Socket[bytes]] = []
        self.ends: list[socket.socket] = []
        self._said: dict[socket.socket, bytearray] = {}
        self._thread: threading.Thread | None = None
        self._is_over = False

    def serve(self) -> None:
        """Serve from now on in a thread."""

        def run() -> None:
            self.gateway.adopt()
            while not self._is_over:
                self.pump(0.2)
                self.gateway.flush()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def socket_of(self, kind: int) -> "zmq.Socket[bytes]":
        socket_ = self.context.socket(kind)
        socket_.linger, socket_.rcvtimeo = 0, int(1000 * DEADLINE)
        self._sockets.append(socket_)
        return socket_

    def client(self, kind: int, port: int = 0, **options: int | bytes) -> "zmq.Socket[bytes]":
        socket_ = self.socket_of(kind)
        for name, value in options.items():
            setattr(socket_, name, value)
        socket_.connect(f"tcp://127.0.0.1:{port or self.gateway.port}")
        return socket_

    def connect(self, *parts: bytes, stays: bool = True) -> socket.socket:
        """Connect by hand and send something."""
        end = socket.create_connection(("127.0.0.1", self.gateway.port), DEADLINE)
        self.ends.append(end)
        end.sendall(b"".join(parts))
        before = self.gateway.clients
        while stays and self._thread is None and self.gateway.clients == before and self.pump(1.0):
            pass
        self.settle()
        return end

    def pump(self, wait: float = 0.01) -> int:
        events = self.poller.poll(wait)
        for descriptor, mask in events:
            if descriptor in self.poller.handlers:
                self.poller.handlers[descriptor](descriptor, mask)
        return len(events)

    def settle(self) -> None:
        while self.pump():
            pass

    def errors(self, end: socket.socket, count: int) -> list[int]:
        """Return the errors of the next messages of a connection by hand, the first one after the greetings."""
        end.settimeout(0.02)
        raw = self._said.setdefault(end, bytearray())
        while len(replies := messages(bytes(raw))) < count:
            self.pump(0.0)
            with contextlib.suppress(TimeoutError):
                more = end.recv(1 << 16)
                assert more, "the server has ended the connection"
                raw += more
        return [reply.error for reply in replies]

    def wait_for_end(self, end: socket.socket) -> None:
        """Serve until the server has ended a connection by hand."""
        end.settimeout(0.02)
        while True:
            self.pump(0.0)
            try:
                if not end.recv(1 << 16):
                    return
            except TimeoutError:
                continue
            except ConnectionResetError:
                return

    def after(self, seconds: float) -> int:
        self.settle()
        self.now += seconds
        self.gateway.turn(self.now)
        return self.gateway.clients

    def close(self) -> None:
        self._is_over = True
        if self._thread is not None:
            self.poller.wake()
            self._thread.join(DEADLINE)
        for socket_ in self._sockets:
            socket_.close(0)
        self.context.term()
        self.gateway.close()
        self.poller.close()
        for end in self.ends:
            end.close()


@pytest.fixture
def rig(bench: Callable) -> Iterator[Rig]:
    rig = Rig(bench("lockstep"))
    yield rig
    rig.close()


def error(raw: bytes) -> int:
    return decode(raw).error


def messages(raw: bytes) -> list[Message]:
    """Return what the server said after its greeting and READY, each a frame."""
    decoded, raw = [], raw[64:]
    while raw:
        head = 9 if raw[0] & LONG else 2
        size = int.from_bytes(raw[1:head], "big")
        if len(raw) < head + size:
            break
        if not raw[0] & COMMAND:
            decoded.append(decode(raw[head : head + size]))
        raw = raw[head + size :]
    return decoded


def test_dealer_req_and_router_are_served_alike(rig: Rig) -> None:
    rig.serve()
    dealer, asks = rig.client(zmq.DEALER), rig.client(zmq.REQ)
    for client in (dealer, asks, dealer, asks):
        client.send(PING)
        assert error(client.recv()) == 0
    # who routes knows the server by the name that it gave the connection
    routes = rig.client(zmq.ROUTER, connect_routing_id=b"there")
    routes.send_multipart([b"there", PING])
    route, reply = routes.recv_multipart()
    assert (route, error(reply)) == (b"there", 0)


def test_many_clients_behind_one_proxy_are_told_apart(rig: Rig) -> None:
    rig.serve()
    front, back = rig.socket_of(zmq.ROUTER), rig.client(zmq.DEALER)
    port = front.bind_to_random_port("tcp://127.0.0.1")
    clients = [rig.client(kind, port) for kind in (zmq.DEALER, zmq.REQ, zmq.DEALER)]
    for client in clients:
        client.send(encode(ask("/sim/step", 13, "robot1")))
    for _ in clients:
        back.send_multipart(front.recv_multipart())
    for _ in clients:
        front.send_multipart(back.recv_multipart())
    # the first that came owns the robot, the others do not
    assert sorted(error(client.recv()) == 0 for client in clients) == [False, False, True]
    assert rig.gateway.clients == 1


def test_pings_are_answered_and_large_messages_come_in_pieces(rig: Rig) -> None:
    rig.serve()
    dealer = rig.client(zmq.DEALER, heartbeat_ivl=10, heartbeat_timeout=2000)
    large = encode(ask("/sim/names", 10, "x" * 60_000))
    for _ in range(3):
        dealer.send(large)
        assert error(dealer.recv()) == 0
        dealer.send(PING)
        assert error(dealer.recv()) == 0
    by_hand = rig.connect(GREETING, ready(b"DEALER"), frame(b"\x04PING\x00\x10context", COMMAND))
    said = b""
    while b"\x04PONGcontext" not in said:
        said += by_hand.recv(4096)


def test_who_wants_keys_another_version_or_another_kind_of_socket_is_left_alone(rig: Rig) -> None:
    for said in (
        GREETING.replace(b"NULL\0", b"CURVE"),
        b"\xff" + bytes(8) + b"\x7f\x01\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        GREETING + ready(b"SUB"),
        GREETING + frame(PING),
        GREETING + ready(b"DEALER") + b"\x80\x00",
        GREETING + ready(b"DEALER") + bytes((LONG,)) + (MAX_BYTES + 1).to_bytes(8, "big"),
    ):
        end = rig.connect(said, stays=False)
        rig.wait_for_end(end)
        assert rig.gateway.clients == 0, said


def test_greetings_have_two_seconds_and_open_connections_all_the_time(rig: Rig) -> None:
    rig.connect(GREETING[:30])
    opened = rig.connect(GREETING, ready(b"DEALER"))
    assert rig.after(HANDSHAKE - 0.1) == 2
    assert rig.after(0.2) == 1
    assert rig.after(1000.0) == 1
    opened.sendall(frame(PING))
    rig.settle()
    assert rig.errors(opened, 1) == [0]


def test_routes_beyond_the_limit_are_refused_and_the_connection_goes_on(rig: Rig) -> None:
    long_routes = frame(b"x", MORE) * (MOST_FRAMES + 1) + frame(PING), frame(b"x" * 513, MORE) + frame(PING)
    end = rig.connect(GREETING, ready(b"DEALER"), *long_routes, frame(PING))
    assert rig.errors(end, 3) == [MalformedMessage.code, MalformedMessage.code, 0]


def test_a_connection_that_ends_gives_its_robots_back_at_once(rig: Rig) -> None:
    claim = frame(encode(ask("/sim/step", 13, "robot1")))
    first = rig.connect(GREETING, ready(b"DEALER"), claim)
    assert rig.errors(first, 1) == [0]
    first.close()
    while rig.gateway.clients:
        rig.pump()
    rig.bench.pump()
    second = rig.connect(GREETING, ready(b"DEALER"), claim)
    assert rig.errors(second, 1) == [0]


def test_a_port_that_is_taken_is_told(rig: Rig) -> None:
    with pytest.raises(PortTaken, match="cannot be used for ZeroMQ"):
        ZmtpGateway(rig.gateway.port, None, rig.poller)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    begun=st.sampled_from([b"", GREETING, GREETING + ready(b"DEALER"), GREETING + ready(b"REQ") + frame(b"", MORE)]),
    pieces=st.lists(st.binary(max_size=80), max_size=4),
)
def test_whatever_comes_harms_nobody_else(rig: Rig, begun: bytes, pieces: list[bytes]) -> None:
    innocent, end = rig.connect(GREETING, ready(b"DEALER")), rig.connect(begun, stays=False)
    for piece in pieces:
        with contextlib.suppress(OSError):  # it was thrown out
            end.sendall(piece)
        rig.pump(0.0)
    innocent.sendall(frame(PING))
    assert rig.errors(innocent, 1) == [0]
    for closing in (innocent, end):
        closing.close()
    while rig.gateway.clients:
        rig.pump()


def test_a_connection_serves_its_own_clients_alone(rig: Rig) -> None:
    for _ in range(2):
        rig.connect(GREETING, ready(b"DEALER"))
    first, second = rig.gateway._connections.values()
    assert [first.serves(session) for connection in (first, second) for session in connection.sessions] == [True, False]
    assert not first.serves(Session(rig.bench.mail, None, "tcp"))
