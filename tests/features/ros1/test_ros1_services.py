"""Services of ROS 1 on plain sockets: answered, refused, of another type, and answered by nonsense."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from coopsim.errors import BadArgument, MalformedMessage
from coopsim.features.ros1.messages import MessageTypes
from coopsim.features.ros1.services import ServedService, call_service, serve_client
from coopsim.features.ros1.wire import read_header, send_header

KIND = "lamps/Light"


@pytest.fixture
def types() -> MessageTypes:
    types = MessageTypes()
    types.add_service(KIND, "float64 power\n---\nbool is_lit\n")
    return types


@contextmanager
def serving(talk: Callable[[socket.socket], object]) -> Iterator[str]:
    """Serve one client; yield where."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            link, _ = listener.accept()
            with link:
                talk(link)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"rosrpc://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(10.0)


def ask(uri: str, types: MessageTypes, power: float = 0.5) -> Mapping[str, Any]:
    return call_service(uri, "/me", "/light", KIND, types, {"power": power}, 10.0)


def lamp(types: MessageTypes) -> Callable[[socket.socket], object]:
    def answer(request: dict[str, Any]) -> Mapping[str, Any]:
        if request["power"] < 0.0:
            raise BadArgument("a lamp gives no darkness")
        return {"is_lit": request["power"] > 0.1}

    service = ServedService(KIND, {"callerid": "/lamp", "md5sum": types.service_sum(KIND), "type": KIND}, answer)
    return lambda link: serve_client(link, read_header(link), service, types)


@pytest.mark.parametrize(("power", "is_lit"), [(0.5, True), (0.0, False)])
def test_a_request_is_answered(types: MessageTypes, power: float, is_lit: bool) -> None:
    with serving(lamp(types)) as uri:
        assert ask(uri, types, power) == {"is_lit": is_lit}


def test_what_the_service_refuses_is_said_to_its_client(types: MessageTypes) -> None:
    with serving(lamp(types)) as uri, pytest.raises(BadArgument, match=r"/light: .*a lamp gives no darkness"):
        ask(uri, types, -1.0)


def test_a_header_that_says_why_not_is_a_refusal(types: MessageTypes) -> None:
    def refuse(link: socket.socket) -> None:
        read_header(link)
        send_header(link, {"error": "md5sums do not match"})

    with serving(refuse) as uri, pytest.raises(BadArgument, match="/light: md5sums do not match"):
        ask(uri, types)


def test_an_answer_that_is_neither_yes_nor_no_is_told_apart(types: MessageTypes) -> None:
    def babble(link: socket.socket) -> None:
        read_header(link)
        send_header(link, {"callerid": "/lamp"})
        link.recv(100)
        link.sendall(b"\x07" + struct.pack("<I", 0))

    with serving(babble) as uri, pytest.raises(MalformedMessage, match="neither with success nor with a failure"):
        ask(uri, types)


def test_who_only_asks_whether_it_is_there_gets_its_header_alone(types: MessageTypes) -> None:
    with serving(lamp(types)) as uri:
        port = int(uri.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 10.0) as link:
            send_header(link, {"probe": "1", "callerid": "/me"})
            assert read_header(link)["type"] == KIND
            assert link.recv(1) == b""
