"""Connections to a run that begin as none should: mutants of handshakes, sent to every port that clients reach."""

import contextlib
import random
import re
import socket
from collections.abc import Mapping

from coopsim.client.endpoints import parse
from coopsim.testkit.fuzz.handshake_seeds import SEEDS
from coopsim.testkit.fuzz.handshakes import handshake_mutant
from coopsim.testkit.run import Run

_SECONDS = 10.0
_WEBSOCKET = re.compile(r"WebSocket on ws://(\S+):(\d+)")


def ports_of(run: Run) -> Mapping[str, tuple[str, int]]:
    """Return host and port of a run by carrier, as `SEEDS` names them."""
    zeromq, plain = parse(run.endpoint), parse(run.plain)
    ports = {"zmtp": (zeromq.host, zeromq.port), "framing": (plain.host, plain.port)}
    if match := _WEBSOCKET.search(run.printed):
        ports["websocket"] = (match[1], int(match[2]))
    return ports


def attack_handshakes(ports: Mapping[str, tuple[str, int]], count: int, seed: int) -> int:
    """Begin connections by turns in odd ways, and end them; return how many there were.

    Beginnings of one carrier come to the ports of all others, too.

    Args:
        ports: Host and port by carrier.
        count: How many connections.
        seed: The same seed sends the same bytes.

    Raises:
        OSError: The run listens no more.
    """
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    seeds = [raw for carrier in SEEDS for raw in SEEDS[carrier]]
    for number in range(count):
        carrier = list(ports)[number % len(ports)]
        raw = chance.choice(SEEDS[carrier] if chance.random() < 0.7 else seeds)
        with socket.create_connection(ports[carrier], _SECONDS) as end, contextlib.suppress(OSError):
            end.sendall(handshake_mutant(raw, chance, seeds))
            end.shutdown(socket.SHUT_WR)
            while end.recv(1 << 16):
                pass
    return count
