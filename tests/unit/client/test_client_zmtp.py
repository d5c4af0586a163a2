"""The client's own ZeroMQ protocol: against libzmq, against peers with bad manners, and what is left to libzmq."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
import zmq
from client_fakes import FakeServer, hasten, nobody, serving

from coopsim.client import Client, aio, connect
from coopsim.client.endpoints import Endpoint, parse
from coopsim.client.socket_links import ZmqLink
from coopsim.client.zmtp_link import ZmtpLink
from coopsim.errors import KeyRefused, NoReply
from coopsim.message import MAX_BYTES
from coopsim.message.zmtp import Dialog, frame, missing, whole_message

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = frame(b"\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER", 4)


@contextmanager
def link_to(endpoint: Endpoint) -> Iterator[ZmtpLink]:
    def none() -> ZmqLink:
        raise AssertionError("libzmq is not needed here")

    with closing(ZmtpLink(endpoint, none)) as link:
        yield link


@contextmanager
def router() -> Iterator[tuple["zmq.Socket[bytes]", Endpoint]]:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger, router.rcvtimeo = 0, 10_000
        router.bind("tcp://127.0.0.1:*")
        yield router, parse(router.getsockopt_string(zmq.LAST_ENDPOINT))


@contextmanager
def peer(*talks: Callable[[socket.socket], object]) -> Iterator[Endpoint]:
    """A server that talks so to its first connections, one after the other."""

    def serve() -> None:
        for talk in talks:
            with listener.accept()[0] as end:
                end.settimeout(10.0)
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                talk(end)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10.0)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Endpoint("127.0.0.1", int(listener.getsockname()[1]))
        thread.join(10.0)
        assert not thread.is_alive()


def read(end: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size and (more := end.recv(size - len(received))):
        received += more
    return received


def wait_for_end(end: socket.socket) -> None:
    while end.recv(1 << 16):
        pass


def shake_hands(end: socket.socket) -> None:
    end.sendall(GREETING)
    read(end, 64)
    read_frame(end)
    end.sendall(READY)


def read_frame(end: socket.socket) -> tuple[int, bytes]:
    kind, size = read(end, 2)
    return kind, read(end, size)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000, MAX_BYTES])
def test_messages_of_all_sizes_go_both_ways(size: int) -> None:
    with router() as (server, endpoint), link_to(endpoint) as link:
        for count in range(3):
            body = bytes([count]) * size
            sender = threading.Thread(target=link.send, args=(body, 10.0))
            sender.start()
            route, received = server.recv_multipart()
            sender.join(10.0)
            assert received == body
            server.send_multipart([route, body])
            server.send_multipart([route, b"", body])
            assert [link.receive(10.0) for _ in range(3)] == [body, b"", body]


def test_a_connection_byte_by_byte_is_one_all_the_same() -> None:
    def talk(end: socket.socket) -> None:
        for byte in GREETING + READY + frame(bytes(300)):
            end.sendall(bytes([byte]))
        wait_for_end(end)

    with peer(talk) as endpoint, link_to(endpoint) as link:
        assert link.send(b"?", 10.0)
        assert link.receive(10.0) == bytes(300)


def coming(link: ZmtpLink, patience: float) -> bytes | None:
    until = time.monotonic() + 10.0
    while (message := link.receive(patience)) is None and time.monotonic() < until:
        time.sleep(0.001)
    return message


@pytest.mark.parametrize("patience", [10.0, 0.0])
def test_a_long_message_that_is_not_there_in_time_is_gone_on_with(patience: float) -> None:
    raw, may_go_on = frame(bytes(range(250)) * 4000), threading.Event()

    def talk(end: socket.socket) -> None:
        shake_hands(end)
        end.sendall(frame(b"first") + raw[:100_000])
        assert may_go_on.wait(10.0)
        end.sendall(raw[100_000:] + frame(b"last"))
        wait_for_end(end)

    with peer(talk) as endpoint, link_to(endpoint) as link:
        assert link.send(b"?", 10.0)
        assert link.receive(10.0) == b"first"
        assert link.receive(0.05) is None
        may_go_on.set()
        assert [coming(link, patience), coming(link, patience)] == [raw[9:], b"last"]


def test_pings_are_answered() -> None:
    def talk(end: socket.socket) -> None:
        shake_hands(end)
        assert read_frame(end) == (0, b"?")
        end.sendall(frame(b"\x04PING\x00\x0acontext", 4) + frame(b"first"))
        heard.append(read_frame(end))
        end.sendall(frame(b"second"))
        wait_for_end(end)

    heard: list[tuple[int, bytes]] = []
    with peer(talk) as endpoint, link_to(endpoint) as link:
        assert link.send(b"?", 10.0)
        assert [link.receive(10.0), link.receive(10.0)] == [b"first", b"second"]
    assert heard == [(4, b"\x04PONGcontext")]


@pytest.mark.parametrize(
    "rude",
    [
        frame(b"\x05ERROR\x02no", 4),
        b"\x02" + (MAX_BYTES + 1).to_bytes(8, "big"),
        b"",
    ],
)
def test_after_a_broken_connection_there_is_another(rude: bytes) -> None:
    def talk(end: socket.socket) -> None:
        shake_hands(end)
        read_frame(end)
        end.sendall(rude)
        if rude:  # it is the client that must end this
            wait_for_end(end)

    def talk_better(end: socket.socket) -> None:
        shake_hands(end)
        end.sendall(frame(b"welcome"))
        wait_for_end(end)

    with peer(talk, talk_better) as endpoint, link_to(endpoint) as link:
        assert link.send(b"lost", 10.0)
        assert link.receive(10.0) == b"welcome"


def test_a_server_that_says_nothing_is_waited_for_in_vain_as_long_as_one_wants() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(NoReply, match=r"within 0\.1 s"):
            connect(endpoint, timeout=0.1)


def test_a_socket_of_another_kind_is_no_server() -> None:
    with zmq.Context() as context, context.socket(zmq.PUB) as stream:
        stream.bind("tcp://127.0.0.1:*")
        with link_to(parse(stream.getsockopt_string(zmq.LAST_ENDPOINT))) as link:
            link.send(b"?", 0.1)
            assert link.receive(0.1) is None


def test_no_more_messages_are_kept_than_libzmq_would() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    with link_to(Endpoint("127.0.0.1", port)) as link:
        assert all(link.send(b"?", 0.001) for _ in range(1000))
        assert not link.send(b"?", 0.001)
        link.reset()
        assert link.send(b"?", 0.001)


def test_a_connection_that_leads_to_itself_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    connect_really, tries = socket.create_connection, []

    def connect_to_itself(address: tuple[str, int], timeout: float) -> socket.socket:
        tries.append(address)
        if len(tries) > 1:
            return connect_really(address, timeout)
        test_a_connection_that_leads_to_itself_is_given_up = socket.socket()
        test_a_connection_that_leads_to_itself_is_given_up.bind(("127.0.0.1", 0))
        test_a_connection_that_leads_to_itself_is_given_up.connect(
            test_a_connection_that_leads_to_itself_is_given_up.getsockname()
        )
        return test_a_connection_that_leads_to_itself_is_given_up

    monkeypatch.setattr(socket, "create_connection", connect_to_itself)
    with router() as (server, endpoint), link_to(endpoint) as link:
        assert link.send(b"?", 10.0)
        for _ in range(500):
            assert link.receive(0.02) is None
            if server.poll(0):
                break
        assert server.recv_multipart()[1] == b"?"


def test_a_connection_of_asyncio_that_leads_to_itself_is_given_up(server: FakeServer) -> None:
    async def use(endpoint: str) -> None:
        loop = asyncio.get_running_loop()
        connect_really, tries = loop.create_connection, []

        async def connect_to_itself(make: Callable[[], asyncio.Protocol], host: str, port: int) -> None:
            tries.append(port)
            if len(tries) > 1:
                await connect_really(make, host, port)
                return
            itself = int(nobody().partition(":")[2])
            await connect_really(make, host, itself, local_addr=(host, itself))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "create_connection", connect_to_itself)
            async with aio.connect(endpoint, timeout=10.0) as sim:
                assert await sim.robots()

    with serving(server) as endpoint:
        asyncio.run(use(endpoint))


@pytest.fixture(params=["own", "libzmq"])
def either(request: pytest.FixtureRequest, server: FakeServer) -> Iterator[Client]:
    """A client that speaks the protocol itself, and one that lets libzmq do it."""
    with serving(server) as endpoint, pytest.MonkeyPatch.context() as patch:
        if request.param == "libzmq":
            patch.setattr("coopsim.client.pool.ZmtpLink", lambda endpoint, make_other: make_other())
        with connect(endpoint, timeout=5.0) as sim:
            assert isinstance(sim._pool.main._link, ZmqLink) == (request.param == "libzmq")
            yield sim


def test_both_ways_a_late_reply_is_passed_over(either: Client, server: FakeServer) -> None:
    late: list[bytes] = []
    pose = either.robot("robot1").odometry.pose
    pose()
    server.manners = lambda request, reply: late.append(reply) or []
    with pytest.raises(NoReply):
        pose(timeout=0.05)
    server.tick = 9
    server.manners = lambda request, reply: [b"", *late, b"\xc1", reply, reply]
    assert [pose().tick for _ in range(3)] == [9, 9, 9]


@pytest.mark.parametrize("carrier", ["own", "libzmq"])
def test_a_client_whose_server_was_restarted_goes_on(carrier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if carrier == "libzmq":
        monkeypatch.setattr("coopsim.client.pool.ZmtpLink", lambda endpoint, make_other: make_other())
    first, second = FakeServer(), FakeServer()
    with serving(first) as endpoint:
        sim = connect(endpoint, timeout=5.0)
        motors = sim.robot("robot1").motors
        motors.stop()
    with sim, serving(second, endpoint):
        motors.set_velocity(0.5)
        assert second.commands["robot1"] == [0.5, 0.0]


def test_a_client_of_asyncio_whose_server_was_restarted_goes_on() -> None:
    first, second = FakeServer(), FakeServer()

    async def use(endpoint: str) -> None:
        async with aio.connect(endpoint, timeout=5.0) as sim:
            motors = sim.robot("robot1").motors
            await motors.stop()
            await asyncio.to_thread(begin.exit_first)
            with serving(second, endpoint):
                await motors.set_velocity(0.5)

    begin = Exits(first)
    asyncio.run(use(begin.endpoint), debug=True)
    assert second.commands["robot1"] == [0.5, 0.0]


class Exits:
    """A server that can be ended from elsewhere."""

    def __init__(self, server: FakeServer) -> None:
        self._serving = serving(server)
        self.endpoint = self._serving.__enter__()

    def exit_first(self) -> None:
        self._serving.__exit__(None, None, None)


def test_the_last_words_of_a_server_are_heard() -> None:
    for _ in range(20):
        with router() as (server, endpoint), link_to(endpoint) as link:
            assert link.send(b"hello", 10.0)
            route, _ = server.recv_multipart()
            server.send_multipart([route, b"the end"])
            server.close(200)
            assert link.receive(10.0) == b"the end"


def test_without_keys_no_thread_is_started(server: FakeServer) -> None:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        before = set(threading.enumerate())
        assert sim._pool._context is None
        assert sim.robots()
        assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("is_async", [False, True])
def test_a_server_with_keys_is_left_to_libzmq(is_async: bool) -> None:
    async def main(endpoint: str) -> None:
        async with aio.connect(endpoint, timeout=10.0):
            pass

    with zmq.Context() as context, context.socket(zmq.ROUTER) as guarded:
        guarded.linger = 0
        guarded.curve_secretkey = zmq.curve_keypair()[1]
        guarded.curve_server = True
        guarded.bind("tcp://127.0.0.1:*")
        endpoint = guarded.getsockopt_string(zmq.LAST_ENDPOINT)
        reach = (lambda: asyncio.run(main(endpoint))) if is_async else (lambda: connect(endpoint, timeout=10.0))
        with pytest.raises(KeyRefused, match="serves only clients with keys"):
            reach()


@pytest.mark.parametrize("begun", [b"\x01\x00", b"\xff" + bytes(8) + b"\x7f\x01", b"HTTP/1.1 400"])
def test_another_version_is_left_to_libzmq(begun: bytes) -> None:
    dialog = Dialog()
    dialog.feed(begun)
    assert dialog.is_foreign
    assert dialog.next_message() is None


def test_what_follows_readiness_at_once_is_not_lost() -> None:
    dialog = Dialog()
    dialog.feed(GREETING + READY + frame(b"early"))
    assert dialog.next_message() is None
    assert dialog.is_open
    assert dialog.next_message() == b"early"
    assert dialog.is_empty


def test_a_whole_message_is_one_frame_and_nothing_else() -> None:
    for body in (b"", b"a", bytes(255), bytes(256), bytes(70_000)):
        raw = frame(body)
        assert whole_message(raw) == body
        assert whole_message(raw[:-1]) is None or not body
        assert whole_message(raw + b"\0") is None
    assert whole_message(frame(b"PING", 4)) is None
    assert whole_message(b"\x00") is None


def test_what_is_missing_of_a_long_message_is_known_from_its_beginning() -> None:
    raw = frame(bytes(1000))
    assert [missing(raw[:size]) for size in (1, 8, 9, 1000, 1009)] == [0, 0, 1000, 9, 0]
    assert missing(raw + b"\0") == 0
    assert missing(frame(bytes(200))[:50]) == 0
    assert missing(b"\x02" + (MAX_BYTES + 1).to_bytes(8, "big")) == 0


def test_a_client_that_is_hurried_says_who_did_not_answer(either: Client, server: FakeServer) -> None:
    motors = either.robot("robot1").motors
    motors.stop()
    hasten(either, 0.2)
    server.silent = {"/robot1/motors", "/sim/clock"}
    with pytest.raises(
        NoReply, match=r"no reply from /robot1/motors at tcp://\S+ within 0\.05 s; nothing answers there"
    ):
        motors.stop(timeout=0.05)
    server.silent = set()
    motors.stop()
