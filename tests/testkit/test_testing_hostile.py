"""Hostile requests: repeatable, for every command, and each with one id for its reply."""

import json
from pathlib import Path
from typing import Any

import msgpack
import pytest

from coopsim.errors import CoopsimError, NoReply
from coopsim.interfaces import CLOCK, COMMON, MOTORS
from coopsim.message import MAX_BYTES, Message, decode, failure
from coopsim.testkit.hostile import Attack, HostileRequests, load_test
from coopsim.testkit.hostile import attack as attacking

MODULES: dict[str, Any] = {"/sim/clock": json.loads(CLOCK.to_json()), "/robot1/motors": json.loads(MOTORS.to_json())}


def test_the_same_seed_makes_the_same_requests() -> None:
    first, second = HostileRequests(MODULES, 3), HostileRequests(MODULES, 3)
    assert [first.next() for _ in range(300)] == [second.next() for _ in range(300)]
    assert HostileRequests(MODULES, 4).next() != HostileRequests(MODULES, 3).next()


def test_the_matrix_has_every_command_with_every_kind_of_values() -> None:
    commands = len(CLOCK.commands) + len(MOTORS.commands) + 2 * len(COMMON)
    assert len(HostileRequests(MODULES, 1).matrix()) == 4 * commands
    left = HostileRequests(MODULES, 1, leave_out=("/sim/clock pause",)).matrix()
    assert len(left) == 4 * (commands - 1)


def echoed(raw: bytes) -> int:
    """Return the id that the reply to a message has."""
    try:
        return decode(raw).id
    except CoopsimError as problem:
        return failure(problem).id


def test_each_request_says_which_id_its_reply_has() -> None:
    requests = HostileRequests(MODULES, 5)
    for _ in range(2000):
        number, raw, _what = requests.next()
        assert len(raw) <= MAX_BYTES
        assert echoed(raw) == number


class Server:
    """Stands in for a client and its server: answers as it is told."""

    def __init__(self, answers: list[Message | Exception]) -> None:
        self.answers = answers

    def send(self, raw: bytes) -> None:
        pass

    def receive(self, _timeout: float) -> Message | None:
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ([Message("/a", id=1), Message("/a", id=1)], "extra"),
        ([Message("/a", id=1, error=503, text="a bug")], "bugs"),
        ([NoReply("closed"), Message("/a", id=1)], "unread"),
        ([], "unanswered"),
        ([Message("/a", id=1, error=203)], ""),
        ([Message("/sim/state"), Message("/a", id=1), Message("/sim/state")], ""),
    ],
)
def test_whatever_is_not_one_good_reply_is_told(
    answers: list[Message | Exception], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attacking, "RawClient", lambda _: Server(answers))
    attack = Attack("tcp://nowhere:1", HostileRequests(MODULES, 1), lambda _: None, deadline=0.2)
    attack.send_all([(1, msgpack.packb([]), "a request")])
    outcome = attack.finish()
    assert outcome.is_kept == (not name)
    assert not name or getattr(outcome, name)


@pytest.mark.parametrize(
    ("script", "problems"),
    [
        ("echo proved; exit 0", []),
        ("echo tick 7 differs; echo see the page >&2; exit 3", ["verify: exit code 3: tick 7 differs\nsee the page\n"]),
    ],
)
def test_what_a_proof_says_of_the_recording_is_a_problem_with_its_words(
    monkeypatch: pytest.MonkeyPatch, script: str, problems: list[str]
) -> None:
    monkeypatch.setattr(load_test, "module_command", lambda *_: ["/bin/sh", "-c", script])
    report = load_test.AttackReport("single")
    load_test._verify(report, Path("a.mcap"))
    assert report.problems == problems
