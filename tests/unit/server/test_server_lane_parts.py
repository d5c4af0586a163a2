"""STEPs in parts that take the lane are answered as if they had not, byte for byte."""

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from server_lane_talk import BOTH, CLAIM, PART, SET_PERIOD, STEP, Talk, check_taken, reading, say
from server_steps import RELEASE

from coopsim.message import decode

pytestmark = pytest.mark.usefixtures("lane_library")
PARTS = ("parts", "a", BOTH, None, 0.25)
OTHER_ORDER = ("parts", "a", BOTH[::-1], 1, 0.75)
BEGIN = [(CLAIM, "a", BOTH), *[PARTS] * 4]
WHOLE = 92
"""Bytes of both messages with their frames."""


@pytest.mark.parametrize(
    "then",
    [
        [PARTS, PARTS],
        [("parts", "a", BOTH, 1, 0.5), ("parts", "a", BOTH, 0, 0.5), PARTS],  # stamped; late
        [("parts", "a", BOTH, 2, 0.5), PARTS],  # too early
        [("parts", "a", BOTH, None, None), PARTS],  # no number
        [("spoilt part", "a", BOTH, None, 0.5), PARTS, PARTS],
        [("spoilt step", "a", BOTH, None, 0.5), PARTS, PARTS],
        [OTHER_ORDER, OTHER_ORDER, OTHER_ORDER, PARTS],
        [
            ("step", "a", ("robot2",), None, 0.5),
            ("step", "a", ("robot1",), None, 0.5),
            PARTS,
            PARTS,
        ],  # without its part
        [("step", "a", BOTH, None, 0.5), PARTS, PARTS, PARTS],
        [("twice", "a", ("robot2",), None, 0.5), PARTS],
        [say("a", reading("robot1")), PARTS, say("a", reading("robot2")), PARTS],
        [say("b", reading("robot1")), PARTS, say("b", reading("robot1")), PARTS],
        [(SET_PERIOD, "a", BOTH), PARTS, PARTS, PARTS],
        [("insert", "b", BOTH), PARTS, PARTS, PARTS],
        [(RELEASE, "a", ("robot1",)), (CLAIM, "b", ("robot1",)), PARTS],
        [("pause", "b", BOTH), PARTS, ("go on", "b", BOTH), PARTS],
        *[[("cut parts", "a", BOTH, None, 0.5, at), PARTS] for at in range(1, WHOLE, 7)],
        *[[("mutant parts", "a", BOTH, None, 0.5, at), PARTS, PARTS] for at in range(3, WHOLE, 9)],
    ],
)
def test_a_step_in_parts_is_answered_as_ever(rig: Callable, then: list[tuple[Any, ...]]) -> None:
    check_taken(rig, BEGIN, [PARTS], then)


def test_what_a_client_does_not_take_of_its_parts_waits_for_it_in_order(rig: Callable) -> None:
    host = rig(narrow="b")
    talk = Talk(host)
    for action in [(CLAIM, "b", BOTH), *[("parts", "b", BOTH, None, 0.25)] * 4]:
        talk.do(action)
    (connection,) = host.gateways[1]._connections.values()
    connection.end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    before, count = host.lane.steps, 0
    while not connection.outbox:  # nobody reads
        count += 1
        assert count < 100
        host.end("b").sendall(talk.parts("b", BOTH, number=2 * count - 1))
        host.settle()
    assert host.lane.steps > before
    received, replies, deadline = b"", [], time.monotonic() + 20.0
    while len(replies) < 2 * count and time.monotonic() < deadline:
        host.turn()
        received += host.heard("b")
        while len(received) >= 4 and len(received) >= (end := 4 + int.from_bytes(received[:4], "big")):
            replies.append(decode(received[4:end]))
            received = received[end:]
    assert not connection.outbox
    assert [reply.id for reply in replies] == list(range(1, 2 * count + 1))
    assert [reply.command for reply in replies] == [PART, STEP] * count
