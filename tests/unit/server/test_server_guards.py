"""Nothing that comes in, and no bug in what carries or answers it, ends a run: it ends one connection at most."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from server_fakes import ask
from server_gateway_rig import PING, GatewayRig, framed

from coopsim.errors import InternalError
from coopsim.message import decode, encode
from coopsim.server.background import BackgroundWorker
from coopsim.server.faults import MOST_KINDS, FaultLog
from coopsim.server.lockstep.waiting import WaitingStep
from coopsim.server.sockets.websocket import WebSocketEnds, WebSocketGateway
from coopsim.state.edits import Continue

KEY = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n"
GOOD = f"GET / HTTP/1.1\r\nHost: x\r\n{KEY}Sec-WebSocket-Version: 13\r\n"
REFUSED = {
    "an origin that is no address": (GOOD + "Origin: http://[\r\n\r\n", b"403"),
    "half an IPv6 address": (GOOD + "Origin: http://[::1\r\n\r\n", b"403"),
    "an origin that is not ASCII": (GOOD + "Origin: http://\xff\x80\r\n\r\n", b"403"),
    "two origins": (GOOD + "Origin: http://localhost\r\nOrigin: http://localhost\r\n\r\n", b"400"),
    "a page, and bytes behind it": ("GET / HTTP/1.1\r\nHost: x\r\n\r\n\xff\xff", b"426"),
    "another origin, and a bad frame": (GOOD + "Origin: https://evil.example\r\n\r\n\x82\x01x", b"403"),
    "two keys, and a frame": (GOOD + KEY + "\r\n\x82\x81\0\0\0\0x", b"426"),
    "no request at all": ("\n\n\n", b""),
}


class Brittle:
    """The end of a connection that fails where it is told to."""

    carrier = "glass"
    is_open = True

    def __init__(self) -> None:
        self.breaks_out = False

    def new(self) -> "Brittle":
        return self

    def unwrap(self, raw: bytes) -> bytes:
        if raw == b"boom":
            raise ZeroDivisionError("in \x1b[2J the handshake")
        return raw

    def seal(self, message: bytes) -> bytes:
        if self.breaks_out:
            raise LookupError("no key")
        return message

    def pending(self) -> bytes:
        return b""

    alert = pending
    certificate = pending


@pytest.fixture
def rig(bench: Callable) -> Iterator[Callable[..., GatewayRig]]:
    """Return a maker of gateways: `rig(Brittle())`."""
    rigs: list[GatewayRig] = []

    def make(tls: Any, **options: Any) -> GatewayRig:
        rigs.append(GatewayRig(bench("real-time").modules, tls=tls, **options))
        return rigs[-1]

    yield make
    for started in rigs:
        started.close()


def _received(end: socket.socket) -> bytes:
    received = b""
    while part := end.recv(4096):
        received += part
    return received


@pytest.mark.parametrize("what", REFUSED)
def test_a_hostile_websocket_handshake_is_refused_and_others_are_served(rig: Callable, what: str) -> None:
    host = rig(WebSocketEnds(), kind=WebSocketGateway)
    words, status = REFUSED[what]
    good, bad = host.connect(), host.connect()
    good.sendall((GOOD + "\r\n").encode())
    bad.sendall(words.encode("latin-1"))
    host.settle()
    assert _received(bad).startswith(b"HTTP/1.1 " + status if status else b"")
    assert b"101 Switching" in good.recv(4096)
    good.sendall(b"\x82" + bytes([0x80 | len(PING)]) + bytes(4) + PING)
    host.settle()
    assert decode(good.recv(4096)[2:]).error == 0
    assert (host.gateway.clients, host.modules.faults.total) == (1, 0)


def test_frames_that_come_with_a_good_handshake_are_read_after_it(rig: Callable) -> None:
    host = rig(WebSocketEnds(), kind=WebSocketGateway)
    end = host.connect()
    frame = b"\x82" + bytes([0x80 | len(PING)]) + bytes(4) + PING
    end.sendall((GOOD + "\r\n").encode() + frame)
    host.settle()
    head, _, rest = end.recv(4096).partition(b"\r\n\r\n")
    assert b"101" in head
    assert decode(rest[2:]).error == 0


def test_a_bug_in_what_carries_a_connection_ends_that_one_and_is_logged_once(
    rig: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    host = rig(Brittle())
    good, bad, worse = host.connect(), host.connect(), host.connect()
    for end in (bad, worse):
        end.sendall(b"boom")
        host.settle()
        assert end.recv(10) == b""
    assert host.ask(good) == 0
    assert [*host.modules.faults.counts.values()] == [2]
    assert "a connection by glass: ZeroDivisionError" in next(iter(host.modules.faults.counts))
    (record,) = caplog.records
    assert "\\x1b[2J" in record.getMessage()
    assert "\x1b" not in record.getMessage()


def test_a_reply_that_cannot_be_sealed_ends_its_connection_from_wherever_it_is_sent(rig: Callable) -> None:
    glass = Brittle()
    host = rig(glass)
    end = host.connect()
    assert host.ask(end) == 0
    (connection,) = host.gateway._connections.values()
    glass.breaks_out = True
    host.gateway.post(connection.session, PING)
    assert host.gateway.clients == 0
    assert connection.session.is_gone
    assert host.modules.faults.total == 1


def test_a_bug_behind_a_connection_ends_it_alone(rig: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    host = rig(None)
    good, bad = host.connect(), host.connect()
    monkeypatch.setattr(host.modules, "respond", lambda *_: 1 / 0)
    bad.sendall(framed(PING))
    host.settle()
    assert bad.recv(10) == b""
    monkeypatch.undo()
    assert host.ask(good) == 0


def test_a_bug_while_a_request_is_read_is_answered_with_its_id(
    bench: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = bench("real-time")
    monkeypatch.setattr("coopsim.server.modules.dispatch.decode", lambda _: 1 / 0)
    reply = decode(host.modules.respond(encode(ask("/sim/clock", 0, number=77)), host.session("a")))
    assert (reply.error, reply.id) == (InternalError.code, 77)
    monkeypatch.undo()
    assert host.ask(ask("/sim/clock", 0)).error == 0


def test_a_step_that_cannot_be_answered_gets_an_error_and_the_others_their_readings(
    bench: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = bench("lockstep")
    for client, robots in (("a", ("robot1",)), ("b", ("robot2",)), ("c", ("plain1",))):
        host.send(ask("/sim/step", 13, *robots), client)
    send = WaitingStep.send
    monkeypatch.setattr(
        WaitingStep, "send", lambda self, *rest: 1 / 0 if "robot1" in self.group.names else send(self, *rest)
    )
    for client, robot in (("a", "robot1"), ("b", "robot2"), ("c", "plain1")):
        assert host.send(ask("/sim/step", 11, 1, robot, data=(0.1, 0.1)), client) is None
    host.pump()
    assert [reply.error for client in "abc" for reply in host.got(client)] == [InternalError.code, 0, 0]
    assert all(host.session(client).waiting == 0 for client in "abc")


def test_a_bug_in_what_follows_an_edit_is_the_reply_to_it(bench: Callable) -> None:
    host = bench("real-time")
    edits, session = host.modules._edits, host.session("a")
    edits.send(Continue(), edits.later(ask("/sim/clock", 15), session), lambda _: 1 / 0)
    host.pump()
    assert [reply.error for reply in host.got()] == [InternalError.code]
    assert session.waiting == 0


def test_work_in_the_background_whose_end_fails_is_refused() -> None:
    faults, refusals = FaultLog(), []
    worker = BackgroundWorker(faults=faults)
    worker.do(lambda: 3, lambda _: 1 / 0, refusals.append)
    worker.wait()
    worker.close()
    assert [type(refusal) for refusal in refusals] == [InternalError]
    assert faults.total == 1


def test_kinds_of_faults_have_a_limit(caplog: pytest.LogCaptureFixture) -> None:
    faults = FaultLog()
    for number in range(MOST_KINDS + 5):
        faults.note(f"place {number}", ValueError("x"))
    assert len(faults.counts) == MOST_KINDS + 1
    assert faults.total == MOST_KINDS + 5
    assert len(caplog.records) == MOST_KINDS + 1


def test_faults_are_told_by_info(bench: Callable) -> None:
    host = bench("real-time")
    assert "faults" not in host.ask(ask("/sim/info", 10)).params[0]
    host.modules.faults.note("the lane", KeyError("x"))
    assert '"faults": {"the lane: KeyError at no line": 1}' in host.ask(ask("/sim/info", 10)).params[0]
