"""A running server answers the vectors as the protocol says, over both carriers."""

import importlib.util
import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import make_vectors
import pytest
import zmq
from schema_checks import mistakes

from coopsim.message import Message, decode, encode
from coopsim.testkit.conformance.vectors import STREAMS, Vector, vectors

VECTORS = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))
SECONDS = 20.0
pytestmark = pytest.mark.integration


class Tcp:
    """One plain TCP connection."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), SECONDS)

    def ask(self, raw: bytes) -> Message:
        self._socket.sendall(struct.pack(">I", len(raw)) + raw)
        (length,) = struct.unpack(">I", self._socket.recv(4, socket.MSG_WAITALL))
        return decode(self._socket.recv(length, socket.MSG_WAITALL))

    def close(self) -> None:
        self._socket.close()


class Zmq:
    """One DEALER."""

    def __init__(self, address: str) -> None:
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        for option in (zmq.RCVTIMEO, zmq.SNDTIMEO):
            self._socket.setsockopt(option, int(1000 * SECONDS))
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.connect(address)

    def ask(self, raw: bytes) -> Message:
        self._socket.send(raw)
        reply = b""
        while not reply:  # an empty message is a probe
            reply = self._socket.recv()
        return decode(reply)

    def close(self) -> None:
        self._socket.close()
        self._context.term()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("live", Path(__file__).parents[1] / "examples" / "live.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.live(["single", "--no-controllers"], tmp_path_factory.mktemp("run")) as running:
        yield running


@pytest.fixture(params=["tcp", "zmq"])
def connection(request: pytest.FixtureRequest, run: Any) -> Iterator[Tcp | Zmq]:
    connection = Tcp(run.tcp) if request.param == "tcp" else Zmq(run.zmq)
    yield connection
    connection.close()


def test_every_bad_message_is_refused_with_its_number_and_the_connection_goes_on(connection: Tcp | Zmq) -> None:
    for case in VECTORS["bad"]:
        reply = connection.ask(bytes.fromhex(case["hex"]))
        assert (reply.error, reply.id, reply.target) == (case["error"], case["id"], case["target"]), case["name"]
    assert connection.ask(encode(Message("/robot1/motors", id=5))).error == 0


def test_every_good_message_is_answered_once_with_its_id_in_its_form(connection: Tcp | Zmq) -> None:
    requests = [case for case in VECTORS["good"] if case["target"].startswith("/robot")]
    for case in requests:
        reply = connection.ask(bytes.fromhex(case["hex"]))
        assert (reply.id, reply.target, reply.binary) == (case["id"], case["target"], case["binary"]), case["name"]


def test_info_keeps_its_schema_and_a_later_field_may_be_anything(connection: Tcp | Zmq) -> None:
    raw = next(case["hex"] for case in VECTORS["good"] if case["name"] == "a later field that is a map")
    assert connection.ask(bytes.fromhex(raw)).error == 0
    info = json.loads(str(connection.ask(encode(Message("/sim/info", 10, id=3))).params[0]))
    assert mistakes(info, "info") == []
    of_another = Message("/robot1/motors", 10, data=(0.1, 0.0), id=4, run=info["run"] + 1)
    assert (refused := connection.ask(encode(of_another))).error == 208
    assert refused.params == (info["run"],)


def test_all_forms_of_a_number_drive_the_robot_alike(connection: Tcp | Zmq) -> None:
    for name in ("integers where floats are meant", "32-bit floats", "widest integer forms", "array 16 header"):
        raw = next(case["hex"] for case in VECTORS["good"] if case["name"] == name)
        assert connection.ask(bytes.fromhex(raw)).error == 0, name


def test_a_length_beyond_the_limit_is_answered_with_103_and_ends_the_connection(run: Any) -> None:
    host, _, port = run.tcp.rpartition(":")
    with socket.create_connection((host, int(port)), SECONDS) as end:
        end.sendall(struct.pack(">I", (1 << 20) + 1))
        (length,) = struct.unpack(">I", end.recv(4, socket.MSG_WAITALL))
        assert decode(end.recv(length, socket.MSG_WAITALL)).error == 103
        assert end.recv(1) == b""


def test_pipelined_requests_are_each_answered(run: Any) -> None:
    host, _, port = run.tcp.rpartition(":")
    raws = [encode(Message("/robot1/sonars", 10, id=number)) for number in range(1, 201)]
    with socket.create_connection((host, int(port)), SECONDS) as end:
        end.sendall(b"".join(struct.pack(">I", len(raw)) + raw for raw in raws))
        seen = []
        for _ in raws:
            (length,) = struct.unpack(">I", end.recv(4, socket.MSG_WAITALL))
            seen.append(decode(end.recv(length, socket.MSG_WAITALL)).id)
    assert sorted(seen) == list(range(1, 201))


@pytest.mark.parametrize("case", [vector for vector in vectors() if vector.role == STREAMS], ids=lambda it: it.name)
def test_a_connection_is_divided_into_messages(run: Any, case: Vector) -> None:
    host, _, port = run.tcp.rpartition(":")
    *messages, end = case.fields.split("\t")
    wanted = [(101, 0) if raw == "-" else (0, decode(bytes.fromhex(raw)).id) for raw in messages]
    wanted += [(103, 0)] * (end == "too long")
    with socket.create_connection((host, int(port)), SECONDS) as link:
        link.sendall(case.raw)
        seen = [decode(_received(link)) for _ in wanted]
        assert sorted((reply.error, reply.id) for reply in seen) == sorted(wanted)
        if end.startswith("more"):
            link.sendall(bytes(int(end.split()[1])))
            assert decode(_received(link)).command in {0, 10}  # the rest makes it one message more
        elif end == "too long":
            assert link.recv(1) == b""


def _received(link: socket.socket) -> bytes:
    (length,) = struct.unpack(">I", link.recv(4, socket.MSG_WAITALL))
    return link.recv(length, socket.MSG_WAITALL)
