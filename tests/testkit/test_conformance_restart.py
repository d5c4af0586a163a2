"""What a client makes of a simulation that ends: each answer that it may give, and what fails."""

from collections import deque

import pytest

from coopsim.testkit.conformance.program import UNSUPPORTED, NotSupported, ProgramEnded
from coopsim.testkit.conformance.report import FAILED, PASSED, ExamFinding
from coopsim.testkit.conformance.report import UNSUPPORTED as NOT_SUPPORTED
from coopsim.testkit.conformance.restart import RestartedClient
from coopsim.testkit.conformance.values import written

ENDED = "it ended"
REFUSED = f"refused\t{written(208)}"
GOOD = ("connected\tr1", "lost", REFUSED, "connected\tr2", "reply", "closed")


class Program:
    """A client's program that answers from a list, and notes what it was sent."""

    slowest = 0.0

    def __init__(self, *answers: str) -> None:
        self._answers, self.sent = deque(answers), list[tuple[str, ...]]()

    def send(self, *words: str) -> None:
        self.sent.append(words)

    def heard(self) -> list[str]:
        answer = self._answers.popleft() if self._answers else ENDED
        if answer == ENDED:
            raise ProgramEnded("the program has ended")
        if answer == UNSUPPORTED:
            raise NotSupported
        return answer.split("\t")

    def asked(self, *words: str) -> list[str]:
        self.send(*words)
        return self.heard()


def examined(program: Program, *, zeromq: bool = False) -> list[ExamFinding]:
    client = RestartedClient(program, zeromq=zeromq)  # type: ignore[arg-type]
    client.begins(4000)
    client.asks()
    client.is_left()
    client.goes_on(4000)
    return client.findings


@pytest.fixture(autouse=True)
def _replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request in the end is answered by a simulation; here by the next line of the program."""
    monkeypatch.setattr(
        "coopsim.testkit.conformance.restart.ask", lambda program, target, command: program.asked("ask", target)
    )


def outcomes(findings: list[ExamFinding]) -> list[str]:
    return [finding.outcome for finding in findings]


def test_a_client_that_is_told_and_connects_anew_passes() -> None:
    program = Program(*GOOD)
    assert outcomes(examined(program)) == [PASSED] * 4
    assert program.sent[0] == ("connect", "127.0.0.1:4001", "30")
    assert program.sent[-1] == ("close",)


def test_by_zeromq_nothing_but_a_time_out_tells() -> None:
    program = Program("connected\tr1", "silent", "silent", "connected\tr2", "reply", "closed")
    assert outcomes(examined(program, zeromq=True)) == [PASSED] * 4
    assert program.sent[0] == ("connect", "zmq://127.0.0.1:4000", "3")
    assert outcomes(examined(Program(*GOOD), zeromq=True))[1] == FAILED


@pytest.mark.parametrize(
    ("place", "answer", "case", "detail"),
    [
        (0, "refused\tx", 0, "expected connected, got refused x"),
        (1, "silent", 1, "expected lost, got silent"),
        (2, "reply\t7", 2, "expected lost, or refused 208, got reply 7"),
        (2, f"refused\t{written(204)}", 2, "expected lost, or refused 208"),
        (3, "lost", 3, "expected connected, got lost"),
        (3, "connected\tr1", 3, "the next simulation is another run, but the client names r1 again"),
    ],
)
def test_what_is_no_such_answer_fails_with_what_came(place: int, answer: str, case: int, detail: str) -> None:
    findings = examined(Program(*GOOD[:place], answer, *GOOD[place + 1 :]))
    assert findings[case].outcome == FAILED
    assert findings[case].detail.startswith(detail)


@pytest.mark.parametrize("answer", ["lost", "silent", REFUSED])
def test_it_may_say_in_several_ways_that_it_does_not_go_on(answer: str) -> None:
    assert outcomes(examined(Program(*GOOD[:2], answer, *GOOD[3:])))[2] == PASSED


def test_a_program_that_ends_fails_what_is_left_with_what_it_said() -> None:
    findings = examined(Program(*GOOD[:1]))
    assert outcomes(findings) == [PASSED, FAILED, FAILED, FAILED]
    assert {finding.detail for finding in findings[1:]} == {"the program has ended"}


def test_what_it_does_not_support_is_no_failure() -> None:
    assert outcomes(examined(Program(UNSUPPORTED, *GOOD[1:])))[0] == NOT_SUPPORTED
