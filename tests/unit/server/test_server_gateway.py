"""Plain TCP connections that are slow, silent, too many, or never read. C-13, C-21, S-28."""

import contextlib
import errno
import select
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from server_fakes import ask
from server_gateway_rig import DEADLINE, PING, GatewayRig, framed

from coopsim.client.keyring import KeyRing
from coopsim.errors import PortTaken
from coopsim.message import decode, encode
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.listener import BURST
from coopsim.server.polling import Poller
from coopsim.server.sockets.connections import MOST_UNREAD
from coopsim.server.sockets.gateway import FIRST_MESSAGE, HANDSHAKE, IDLE, STALLED, Gateway
from coopsim.server.sockets.tls import TlsServer

CLAIM = encode(ask("/sim/step", 13, "robot1"))


@pytest.fixture
def rig(bench: Callable) -> Iterator[Callable[..., GatewayRig]]:
    """Return a maker of gateways."""
    rigs: list[GatewayRig] = []

    def make(most: int = 1000) -> GatewayRig:
        rigs.append(GatewayRig(bench("real-time").modules, most))
        return rigs[-1]

    yield make
    for each_rig in rigs:
        each_rig.close()


def test_who_never_says_anything_is_dropped_after_two_seconds_while_places_are_short(rig: Callable) -> None:
    host = rig(most=9)
    host.connect()
    assert host.after(FIRST_MESSAGE - 0.1) == 1
    assert host.after(0.2) == 0


def test_requests_that_came_together_are_answered_by_turns_with_those_of_others(
    rig: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, served = rig(), []
    flooding, patient = host.connect(), host.connect()
    respond = host.modules.respond

    def slow(raw: bytes, session: object) -> bytes | None:
        served.append(decode(raw).target)
        host.now += 2 * BURST
        return respond(raw, session)

    monkeypatch.setattr(host.modules, "respond", slow)
    flooding.sendall(5 * framed(PING))
    patient.sendall(framed(encode(ask("/robot2/motors", 0))))
    while host.pump() + host.gateway.serve():
        pass
    assert served.index("/robot2/motors") < 3
    assert [host.receive(end) for end in (*[flooding] * 5, patient)] == [0] * 6


def test_who_types_by_hand_has_all_the_time_in_the_world(rig: Callable) -> None:
    host = rig()
    end = host.connect()
    assert host.after(100 * IDLE) == 1
    assert host.ask(end) == 0
    assert host.after(100 * IDLE) == 1
    assert host.ask(end) == 0


def test_who_trickles_its_first_message_is_dropped_too(rig: Callable) -> None:
    host = rig()
    end = host.connect()
    for byte in framed(PING)[:4]:
        end.send(bytes([byte]))
        left = host.after(0.6)
    assert left == 0


def test_a_later_message_that_never_ends_is_dropped(rig: Callable) -> None:
    host = rig()
    end = host.connect()
    assert host.ask(end) == 0
    assert host.after(30.0) == 1
    end.sendall(framed(PING)[:9])
    assert host.after(STALLED - 1.0) == 1
    end.sendall(framed(PING)[9:12])  # a trickle does not buy time
    assert host.after(2.0) == 0


def test_a_message_that_ends_in_time_buys_time_for_the_next(rig: Callable) -> None:
    host = rig()
    end = host.connect()
    whole = framed(PING)
    end.sendall(whole + whole[:9])
    assert host.receive(end) == 0
    assert host.after(STALLED - 1.0) == 1
    end.sendall(whole[9:] + whole[:9])
    assert host.receive(end) == 0
    assert host.after(STALLED - 1.0) == 1


def test_who_was_silent_for_a_minute_and_owns_nothing_makes_room_when_all_places_are_taken(rig: Callable) -> None:
    host = rig(most=3)
    owner, idle, busy = host.connect(), host.connect(), host.connect()
    assert [host.ask(owner, CLAIM), host.ask(idle), host.ask(busy)] == [0, 0, 0]
    assert host.after(IDLE - 1.0) == 3
    assert host.ask(busy) == 0
    assert host.after(2.0) == 3
    newcomer = socket.create_connection(("127.0.0.1", host.gateway.port), DEADLINE)
    host.ends.append(newcomer)
    host.settle()
    assert idle.recv(1) == b""
    assert [host.ask(newcomer), host.ask(busy), host.ask(owner, PING)] == [0, 0, 0]


def test_a_peer_whose_machine_is_gone_is_noticed_by_the_kernel(rig: Callable) -> None:
    host = rig()
    host.connect()
    (connection,) = host.gateway._connections.values()
    assert connection.end.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert connection.end.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10


def test_who_does_not_take_its_replies_is_dropped(rig: Callable) -> None:
    host = rig()
    deaf, patient = host.connect(), host.connect()
    assert host.ask(patient) == 0
    large = framed(encode(ask("/robot1/motors", 1))) * 200
    deaf.settimeout(0.02)
    sent = 0
    while sent < 100 << 20:
        with contextlib.suppress(TimeoutError):
            sent += deaf.send(large)
        host.pump()
        if any(connection.outbox for connection in host.gateway._connections.values()):
            break
    assert host.after(STALLED - 0.5) == 2
    assert host.ask(patient) == 0
    assert host.after(1.0) == 1


def test_a_reader_that_is_merely_slow_gets_everything(rig: Callable) -> None:
    host = rig()
    slow = host.connect()
    number = 3000
    whole = framed(encode(ask("/robot1/motors", 1))) * number
    received, at = bytearray(), 0
    slow.setblocking(False)
    replies = 0
    while replies < number:
        host.now += 0.5
        if at < len(whole):
            with contextlib.suppress(BlockingIOError):
                at += slow.send(whole[at : at + 20_000])
        host.pump(0.0)
        host.gateway.turn(host.now)
        assert host.gateway.clients == 1
        try:
            received += slow.recv(1 << 20)
        except BlockingIOError:
            continue
        while len(received) >= 4 and len(received) >= 4 + struct.unpack_from(">I", received)[0]:
            (length,) = struct.unpack_from(">I", received)
            assert decode(bytes(received[4 : 4 + length])).error == 0
            del received[: 4 + length]
            replies += 1


def test_replies_that_pile_up_have_an_end(rig: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    from coopsim.server.sockets import connections

    monkeypatch.setattr(connections, "MOST_UNREAD", 100_000)
    host = rig()
    deaf = host.connect()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.settimeout(0.02)
    large = framed(encode(ask("/robot1/motors", 1))) * 50
    for _ in range(20_000):
        try:
            deaf.send(large)
        except OSError:
            if not host.gateway.clients:
                break
        host.pump()
    assert host.gateway.clients == 0
    assert MOST_UNREAD <= 10 << 20


def test_one_client_with_many_small_requests_does_not_keep_the_others_waiting(rig: Callable) -> None:
    host = rig()
    greedy, patient = host.connect(), host.connect()
    greedy.sendall(framed(PING) * 2000)
    patient.sendall(framed(PING))
    answered = 0
    while not select.select([patient], [], [], 0)[0]:
        host.pump()
        answered += 1
    assert answered < 10
    assert host.receive(patient) == 0


def test_large_and_small_messages_arrive_whole_in_any_pieces(rig: Callable) -> None:
    host = rig()
    end = host.connect()
    large = encode(ask("/sim/world", 12, "robot1", "x" * 200_000, "too much"))
    stream = framed(PING) + framed(large) + framed(PING) + framed(b"") + framed(PING)
    errors = []
    for at in range(0, len(stream), 50_001):
        end.sendall(stream[at : at + 50_001])
        host.settle()
    errors = [host.receive(end) for _ in range(5)]
    assert errors == [0, 203, 0, 101, 0]


def test_beyond_the_cap_one_that_never_spoke_makes_room(rig: Callable) -> None:
    host = rig(most=2)
    silent, speaker = host.connect(), host.connect()
    assert host.ask(speaker) == 0
    newcomer = socket.create_connection(("127.0.0.1", host.gateway.port), DEADLINE)
    host.ends.append(newcomer)
    host.settle()
    assert host.gateway.clients == 2
    assert silent.recv(1) == b""
    assert host.ask(newcomer) == 0
    late = socket.create_connection(("127.0.0.1", host.gateway.port), DEADLINE)
    host.ends.append(late)
    host.settle()
    assert late.recv(1) == b""
    assert host.ask(speaker) == 0


def test_without_descriptors_left_the_gateway_rests_instead_of_spinning(rig: Callable) -> None:
    class Exhausted:
        """A listener of a process that has too many files open."""

        def __init__(self, listener: socket.socket) -> None:
            self.fileno, self.close = listener.fileno, listener.close
            self.listener, self.is_full = listener, True

        def accept(self) -> tuple[socket.socket, tuple[str, int]]:
            if self.is_full:
                raise OSError(errno.EMFILE, "too many open files")
            return self.listener.accept()

    host = rig()
    host.gateway._listener = exhausted = Exhausted(host.gateway._listener)
    waiting = socket.create_connection(("127.0.0.1", host.gateway.port), DEADLINE)
    host.ends.append(waiting)
    assert host.pump(1.0) == 1
    assert host.pump() == 0  # it is not told of it again and again
    exhausted.is_full = False
    host.gateway.turn(host.now)
    assert host.ask(waiting) == 0


def test_a_gateway_without_an_address_listens_nowhere(bench: Callable) -> None:
    poller = Poller()
    gateway = Gateway(0, bench("real-time").modules, poller, address="")
    assert (gateway.port, gateway.clients, gateway.handle(0, 0)) == (0, 0, False)
    gateway.turn(0.0)
    gateway.close()
    poller.close()


def test_a_taken_port_and_a_foreign_address_are_told_by_name(bench: Callable) -> None:
    modules, poller = bench("real-time").modules, Poller()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {port} of 127.0.0.1"):
            Gateway(port, modules, poller)
    with pytest.raises(PortTaken, match=r"192\.0\.2\.1"):
        Gateway(0, modules, poller, address="192.0.2.1")
    poller.close()


def test_a_handshake_that_does_not_end_has_a_time_limit(bench: Callable, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.new("lab")
    rig = GatewayRig(bench("real-time").modules, tls=TlsServer(TrustedKeys(ring)))
    try:
        for number in range(3):
            rig.connect().sendall(b"\x16\x03\x01\x02\x00"[: 2 * number])
        assert rig.after(HANDSHAKE) == 3
        assert rig.after(0.1) == 0
    finally:
        rig.close()
