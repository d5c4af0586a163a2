"""Listeners are fed from the first byte of a connection on: they raise nothing, and give up every connection."""

import ssl
from pathlib import Path

import pytest

from coopsim.errors import MalformedMessage
from coopsim.server.sockets import websocket
from coopsim.server.sockets.tls import refusal_reason
from coopsim.testkit.fuzz import Fuzzer
from coopsim.testkit.fuzz.handshakes import CARRIERS, listening
from coopsim.testkit.fuzz.targets import BrokenPromise
from coopsim.testkit.hostile.handshake_seeds import SEEDS, handshake_mutant

CORPUS = Path(__file__).parent / "corpus"
MUTANTS = {"curve": 40}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_beginnings_of_connections_and_their_mutants_are_survived(carrier: str) -> None:
    inputs = [file.read_bytes() for file in sorted((CORPUS / carrier).iterdir())]
    with listening(carrier) as target:
        fuzzer = Fuzzer(target, inputs, seed=4711, mutate=handshake_mutant)
        for _ in range(MUTANTS.get(carrier, 250)):
            fuzzer.turn()
    assert fuzzer.findings == []
    assert len(fuzzer.kinds) >= 3, "mutants reach nothing"


def test_an_error_of_tls_without_a_reason_is_told_all_the_same() -> None:
    assert refusal_reason(ssl.SSLError("bad length")) == "no TLS handshake: it ended"  # it has no attribute `reason`


def test_what_a_listener_does_not_foresee_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket.WebSocketEnd, "_is_welcome", lambda _, origin: bool(1 // len(origin[7:])))
    with listening("websocket") as target:
        with pytest.raises(MalformedMessage, match="answered"):
            target(SEEDS["websocket"][1])
        with pytest.raises(BrokenPromise, match="a connection by WebSocket: ZeroDivisionError"):
            target(SEEDS["websocket"][1].replace(b"http://localhost", b"http://"))
