"""Pages reach a run through WebSockets, if their origin may, and a real browser drives a robot."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, found
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from coopsim.message import MAX_BYTES, Message, decode, encode
from coopsim.testkit import Run
from coopsim.testkit.conformance.vectors import REFUSES, vectors

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.integration
_SECONDS = 20.0


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Run("formation", "--no-controllers", "--duration", "600", "--websocket", "0", "--origin", "null") as run:
        yield run.printed.partition("WebSocket on ")[2].split()[0]


def _ask(end: ClientConnection, raw: bytes) -> Message:
    end.send(raw)
    reply = end.recv(_SECONDS)
    assert isinstance(reply, bytes)
    return decode(reply)


def test_each_message_is_a_binary_frame(address: str) -> None:
    with connect(address) as end:
        assert _ask(end, encode(Message("/robot1/motors", id=5))).params[0] == "differential_drive"
        end.send([encode(Message("/robot1/motors", id=6))[:4], encode(Message("/robot1/motors", id=6))[4:]])
        reply = end.recv(_SECONDS)
        assert isinstance(reply, bytes)
        assert decode(reply).id == 6
        end.ping().wait(_SECONDS)


def test_what_is_refused_elsewhere_is_refused_here(address: str) -> None:
    with connect(address) as end:
        for vector in vectors():
            if vector.role == REFUSES and len(vector.raw) < 10_000:
                assert f"i:{_ask(end, vector.raw).error}" == vector.fields.split("\t")[0], vector.name


def test_states_come_between_replies(address: str) -> None:
    with connect(address) as end:
        end.send(encode(Message("/sim/info", 11, ("/robot1",), id=1)))
        targets = [decode(bytes(end.recv(_SECONDS))).target for _ in range(4)]  # type: ignore[arg-type]
    assert {"/sim/info", "/robot1"} == {*targets}


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1.evil.example", "null.example"])
def test_pages_of_other_origins_are_refused(address: str, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, origin=origin)


@pytest.mark.parametrize("origin", ["http://localhost:8000", "http://127.0.0.1", "null"])
def test_pages_of_this_machine_and_named_origins_connect(address: str, origin: str) -> None:
    with connect(address, origin=origin) as end:
        assert _ask(end, encode(Message("/sim/clock", id=1))).error == 0


@pytest.mark.parametrize("what", ["text", bytes(MAX_BYTES + 1)], ids=["text", "too long"])
def test_text_and_what_is_too_long_end_the_connection(address: str, what: str | bytes) -> None:
    with connect(address) as end, pytest.raises(ConnectionClosed):  # noqa: PT012 - one of both says it
        end.send(what)
        end.recv(_SECONDS)


if found():

    def test_the_page_shows_the_sonars_and_drives(address: str) -> None:
        with Browser(ROOT / "clients" / "browser" / "index.html") as page:
            page.value(f"document.getElementById('address').value = '{address.removeprefix('ws://')}'")
            page.value("document.getElementById('connect').click()")
            page.until("shown.states > 0 && shown.ranges.length === 11")
            page.value("window.began = shown.poses.get('robot1').x")
            page.value("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}))")
            page.until("Math.abs(shown.poses.get('robot1').x - began) > 0.05")
            assert page.complaints == []
