"""Exchanges in C: the same bytes and the same outcomes as in Python, whatever servers and signals do."""

import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from client_fakes import FakeServer, serving, serving_plainly
from client_ways import ROOT, SOURCES, go
from test_client_two_ways import UNUSUAL
from test_client_zmtp import read

from coopsim import lane
from coopsim.client import compiled, connect
from coopsim.client.compiled import CUT, SENT, TCP, UNSENT, ExchangeLibrary
from coopsim.client.connection import Connection
from coopsim.client.endpoints import Endpoint
from coopsim.client.prepared import PreparedRequest
from coopsim.client.socket_links import PlainLink
from coopsim.client.stepper import Stepper
from coopsim.errors import CoopsimError, Late, NoReply, OwnedByAnother
from coopsim.message import Message, decode, encode

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler: apt-get install gcc libc6-dev")
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
Manner = Callable[[Message, bytes], list[bytes]]


def refused(problem: CoopsimError) -> Manner:
    return lambda request, reply: [encode(request.refusal(problem, tick=decode(reply).tick))]


def with_long_id(raw: bytes, number: int) -> bytes:
    return raw[:2] + raw[2:].replace(msgpack.packb(number), b"\xcf" + number.to_bytes(8, "big"), 1)


BAD_MANNERS: dict[str, Manner] = {
    **{name: lambda request, reply, change=change: [change(reply)] for name, change in UNUSUAL.items()},
    "a long id": lambda request, reply: [with_long_id(reply, request.id)],
    "twice": lambda request, reply: [reply, reply],
    "a probe before": lambda request, reply: [b"", reply],
    "garbage before": lambda request, reply: [b"\xc1", bytes(300), reply],
    "cut": lambda request, reply: [reply[:-3], reply],
    "of another id": lambda request, reply: [encode(replace(decode(reply), id=request.id + 1)), reply],
    "nothing": lambda request, reply: [],
    "no number": lambda request, reply: [reply[:-8] + np.float64(np.inf).tobytes()],
    "late": refused(Late("over")),
    "owned": refused(OwnedByAnother("mine")),
    "longer": lambda request, reply: [encode(replace(decode(reply), data=np.arange(500.0)))],
    "shorter": lambda request, reply: [encode(replace(decode(reply), data=np.arange(3.0)))],
}


class Recorder(FakeServer):
    """Keeps the bytes of all steps that came, and answers some of them badly."""

    def __init__(self) -> None:
        super().__init__()
        self.came: list[bytes] = []
        self.turns: list[Manner] = []
        self.manners = self._answer

    def respond(self, raw: bytes) -> list[bytes]:
        self.came.append(raw)
        return super().respond(raw)

    def _answer(self, request: Message, reply: bytes) -> list[bytes]:
        is_step = request.target == "/sim/step" and request.command == 11
        return self.turns.pop(0)(request, reply) if self.turns and is_step else [reply]


def outcome(stepper: Stepper, *given: Any, **more: Any) -> Any:
    """Return what comes of a step, an error included, to be compared."""
    try:
        readings = stepper.step(*given, **more)
    except CoopsimError as problem:
        return type(problem), str(problem).partition(" at tcp")[0], stepper.stamp
    return readings.tick, readings.flat.tobytes(), readings.flat.flags.writeable, stepper.stamp


@contextmanager
def served(carrier: str, server: FakeServer) -> Iterator[str]:
    with serving(server) if carrier == "zeromq" else serving_plainly(server, piecewise=carrier == "pieces") as endpoint:
        yield endpoint


def dialog(carrier: str, seed: int) -> tuple[list[Any], list[bytes]]:
    """Return what comes of many steps, and the bytes that the server saw."""
    chance, server, heard = random.Random(seed), Recorder(), []
    server.run = 77 * (seed % 2)
    with (
        served(carrier, server) as endpoint,
        connect(endpoint, timeout=5.0) as sim,
        sim.stepper(["robot2"] if seed % 3 else None) as stepper,
    ):
        for turn in range(40):
            if turn % 3 == 2:
                server.turns.append(BAD_MANNERS[chance.choice(list(BAD_MANNERS))])
            if turn % 10 == 5:
                sim._pool.main._number += chance.choice([1, 100, 300, 70_000, 2**33])
                server.tick += chance.choice([0, 0, 200, 100_000])
            is_silent = server.turns and server.turns[0] is BAD_MANNERS["nothing"]
            rows = [(chance.random(), 0.25)] * len(stepper.robots)
            heard.append(outcome(stepper, rows if turn % 4 else None, timeout=0.05 if is_silent else None))
    return heard, server.came


@pytest.mark.parametrize("carrier", ["zeromq", "plain", "pieces"])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_say_the_same_bytes_and_hear_the_same(carrier: str, seed: int) -> None:
    dialogs = []
    for way in ("python", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            outcomes = go(way, patch)
            dialogs.append(dialog(carrier, seed))
    assert dialogs[0] == dialogs[1]
    assert sum(outcome >= 0 for outcome in outcomes) >= (0 if carrier == "pieces" else 10)
    assert SENT in outcomes


def prepared(count: int) -> PreparedRequest:
    """Return a request of many values, whose reply has none and looks as is known."""
    request = PreparedRequest(Message("/sim/step", 11, (1,), binary=True), np.arange(float(count)))
    request.learn(Message("/sim/step", 11, (1,), np.zeros(0), 5, binary=True))
    return request


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Go the way through C; gives what came of each exchange."""
    return go("compiled", monkeypatch)


@contextmanager
def plain_peer() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection over plain TCP, and its other end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = Endpoint("127.0.0.1", int(listener.getsockname()[1]), is_plain=True)
        with closing(PlainLink(endpoint)) as link:
            assert link.send(b"hello", 5.0)
            end, _ = listener.accept()
            with end:
                end.settimeout(10.0)
                assert end.recv(9, socket.MSG_WAITALL) == b"\0\0\0\5hello"
                yield Connection(link, endpoint), end


def test_a_request_that_does_not_fit_at_once_is_sent_to_its_end(outcomes: list[int]) -> None:
    request, requests = prepared(60_000), []
    with plain_peer() as (connection, end):
        connection._link._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)

        def answer() -> None:
            until = time.monotonic() + 10.0
            while CUT not in outcomes and time.monotonic() < until:
                time.sleep(0.001)
            requests.append(read(end, int.from_bytes(read(end, 4), "big")))
            reply = encode(decode(requests[0]).reply((1,), np.zeros(0), tick=6))
            end.sendall(len(reply).to_bytes(4, "big") + reply)

        server = threading.Thread(target=answer)
        server.start()
        exchanged = connection.exchange(request, 6, 10.0, 10.0)
        server.join(10.0)
    assert outcomes == [CUT]
    assert requests == [encode(request.message(6), 1)]
    assert exchanged.number == 1  # the reply is waited for in the ordinary way


def test_a_connection_that_ended_meanwhile_is_seen_before_anything_is_sent(outcomes: list[int]) -> None:
    with plain_peer() as (connection, end):
        end.shutdown(socket.SHUT_WR)
        assert connection.exchange(prepared(2), 6, 1.0, 1.0) is None
        with pytest.raises(NoReply, match="closed the connection"):
            connection.receive(connection.number(), 1.0)
    assert outcomes == [UNSENT]


def test_a_step_after_the_server_was_started_anew_goes_to_the_new_one(outcomes: list[int]) -> None:
    first, second = FakeServer(), FakeServer()
    with serving(first) as endpoint:
        sim = connect(endpoint, timeout=5.0)
        stepper = sim.stepper(["robot1"])
        for _ in range(3):
            stepper.step([(0.1, 0.0)])
    second.tick = first.tick
    with sim, serving(second, endpoint):
        assert stepper.step([(0.5, 0.0)]).tick == second.tick
        assert second.commands["robot1"] == [0.5, 0.0]
    assert outcomes[-1] == UNSENT


def test_a_wait_that_is_interrupted_loses_nothing(outcomes: list[int], server: FakeServer) -> None:
    def interrupt(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        raise KeyboardInterrupt

    def interrupted(_request: Message, reply: bytes) -> list[bytes]:
        late.append(reply)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.05)  # again and again: the first may come before the wait
        return []

    late: list[bytes] = []
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with serving(server) as endpoint, connect(endpoint, timeout=30.0) as sim, sim.stepper(["robot1"]) as stepper:
            for _ in range(2):
                stepper.step()
            server.manners = interrupted
            with pytest.raises(KeyboardInterrupt):
                stepper.step()
            server.manners = lambda request, reply: [*late, reply]
            assert stepper.step().tick == server.tick
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert len(late) == 1
    assert outcomes[-1] == SENT


def test_hostile_replies_neither_get_in_nor_beyond_a_buffer(tmp_path: Path) -> None:
    """15 000 replies, whole, changed, cut, endless, in pieces, under the sanitizers of the compiler."""
    program = tmp_path / "fuzz"
    warnings = ["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["cc", *warnings, *SANITIZERS, "-o", program, ROOT / "tests" / "fuzz" / "exchange.c"], check=True)
    done = subprocess.run([program, "15000"], capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    taken = int(done.stdout.split()[2])
    assert 4_000 < taken < 10_000


def test_a_library_of_the_host_alone_is_left_aside_with_a_word(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert lane.load(ExchangeLibrary, {lane.VARIABLE: "off"}) is None
    assert not caplog.records
    monkeypatch.setattr(compiled, "_INTERFACE", 99)

    def of_now(_path: Path) -> ExchangeLibrary:
        raise AttributeError("undefined symbol: exchange_interface")

    monkeypatch.setattr(lane, "library_file", Path)
    assert lane.load(of_now, {}) is None
    assert "undefined symbol: exchange_interface; install coopsim anew" in caplog.text


def test_numbers_one_by_one_go_both_ways_too(outcomes: list[int]) -> None:
    like = Message("/robot1/motors", 10)
    request = PreparedRequest(like, np.array([0.25, -1.0]))
    request.learn(Message("/robot1/motors", 10, (), [1.0, 2.0, 3.0], 5))
    with plain_peer() as (connection, end):
        asked = encode(replace(like, data=[0.25, -1.0], id=1, tick=9, run=300))
        reply = encode(Message("/robot1/motors", 10, (), [4.0, 5.0, -6.5], 300, id=1))
        connection.run = 300
        end.sendall(b"")
        server = threading.Thread(target=lambda: end.sendall(answered(end, asked, reply)))
        server.start()
        tick, values = connection.exchange(request, 9, 5.0, 5.0)
        server.join(10.0)
    assert (tick, values.tolist(), outcomes) == (300, [4.0, 5.0, -6.5], [300])


def answered(end: socket.socket, asked: bytes, reply: bytes) -> bytes:
    """Wait for a request; return the reply with its length if it is the one, otherwise nothing."""
    raw = read(end, 4 + len(asked))
    return len(reply).to_bytes(4, "big") + reply if raw[4:] == asked else b""


def test_kinds_of_frames_have_the_numbers_of_the_library() -> None:
    text = (SOURCES / "lane.h").read_text(encoding="utf-8")
    assert "enum { LANE_TCP, LANE_ZMTP };" in text
    assert (TCP, compiled.ZMTP) == (0, 1)


def asked(carrier: str, seed: int) -> tuple[list[Any], list[bytes]]:
    """Return what comes of requests to single modules, and the bytes that the server saw."""
    chance, server, heard = random.Random(seed), Recorder(), []
    server.run = 77 * (seed % 2)
    with served(carrier, server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        motors, sonars = sim.robot("robot1").motors, sim.robot("robot1").sonars
        calls = [
            lambda: motors.set_velocity(0.25, chance.choice([1, 0.5])),
            lambda: motors.set_velocity(0.5, tick=server.tick + 1),
            motors.state,
            sonars.ranges,
            motors.ping,
            lambda: motors.get_parameter("max_speed"),
        ]
        for turn in range(60):
            server.tick += chance.choice([0, 1, 300])
            name = chance.choice(list(BAD_MANNERS)) if turn % 4 == 3 else ""
            server.manners = BAD_MANNERS[name] if name not in {"", "nothing"} else lambda request, reply: [reply]
            try:
                reading = chance.choice(calls)()
            except CoopsimError as problem:
                heard.append((type(problem), str(problem).partition(" at tcp")[0]))
            else:
                heard.append((type(reading).__name__, str(reading), getattr(reading, "tick", None)))
    return heard, server.came


@pytest.mark.parametrize("carrier", ["zeromq", "plain", "pieces"])
@pytest.mark.parametrize("seed", range(3))
def test_single_modules_are_asked_by_the_same_bytes_both_ways(carrier: str, seed: int) -> None:
    dialogs = []
    for way in ("python", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            outcomes = go(way, patch)
            dialogs.append(asked(carrier, seed))
    assert dialogs[0] == dialogs[1]
    assert sum(outcome >= 0 for outcome in outcomes) >= (0 if carrier == "pieces" else 10)
