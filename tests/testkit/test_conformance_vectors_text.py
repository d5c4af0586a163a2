"""Vectors as text: repeated bytes are written once, refusals name a module of the server, reports count outcomes."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import NoReply
from coopsim.testkit.conformance.cases import MOTORS
from coopsim.testkit.conformance.checks import finding, timed
from coopsim.testkit.conformance.program import NotConformant, NotSupported, ProgramEnded
from coopsim.testkit.conformance.report import FAILED, PASSED, UNSUPPORTED, ExamFinding, ExamReport
from coopsim.testkit.conformance.values import read
from coopsim.testkit.conformance.vectors import (
    DECODES,
    REFUSES,
    json_lines,
    lengthened,
    refusals,
    shortened,
    tab_separated,
    vectors,
)

PART = st.tuples(st.binary(min_size=1, max_size=12), st.integers(1, 200))


@given(st.lists(PART, max_size=6))
def test_bytes_come_back_whatever_repeats_itself_in_them(parts: list[tuple[bytes, int]]) -> None:
    raw = b"".join(unit * count for unit, count in parts)
    assert lengthened(shortened(raw)) == raw


def test_what_repeats_itself_often_is_written_once() -> None:
    assert shortened(b"\x01" + b"ab" * 100 + b"\x02") == "01 6162*100 02"
    assert shortened(b"ab" * 10) == "6162" * 10
    assert shortened(b"") == ""
    assert lengthened("01 6162*3 02") == b"\x01ababab\x02"


def test_both_files_hold_the_same_vectors() -> None:
    lines = tab_separated().splitlines()[1:]
    objects = [json.loads(line) for line in json_lines().splitlines()]
    assert [line.split("\t")[:3] for line in lines] == [
        [vector["role"], vector["name"], vector["hex"]] for vector in objects
    ]
    assert len(lines) == len(list(vectors()))


def test_a_line_with_its_bytes_made_long_again_is_the_vector() -> None:
    for line, vector in zip(tab_separated().splitlines()[1:], vectors(), strict=True):
        assert lengthened(line.split("\t")[2]) == vector.raw


def test_what_is_refused_can_name_any_module_of_a_server() -> None:
    named = {vector.name: vector for vector in refusals("/arm/joints")}
    plain = {vector.name: vector for vector in vectors() if vector.role == REFUSES}
    assert named.keys() == plain.keys()
    renamed = [name for name, vector in named.items() if vector.raw != plain[name].raw]
    assert renamed
    for name in renamed:
        assert MOTORS.encode() not in named[name].raw
        assert b"/arm/joints" in named[name].raw
        _, _, target = named[name].fields.split("\t")
        assert read(target) in {"/arm/joints", ""}


def test_only_what_is_decoded_or_made_has_a_message() -> None:
    assert all((vector.message is None) == (vector.role not in {DECODES, "client encodes"}) for vector in vectors())


REPORT = ExamReport(
    [
        ExamFinding("decode", "a", PASSED),
        ExamFinding("decode", "b", FAILED, "expected 1, got 2"),
        ExamFinding("decode", "c", UNSUPPORTED),
        ExamFinding("dialog", "d", PASSED, seconds=0.5),
        ExamFinding("dialog", "e", PASSED, seconds=1.25),
    ]
)


def test_a_report_counts_outcomes_by_group() -> None:
    assert REPORT.counts() == {
        "decode": {PASSED: 1, FAILED: 1, UNSUPPORTED: 1},
        "dialog": {PASSED: 2, FAILED: 0, UNSUPPORTED: 0},
    }
    assert [finding.case for finding in REPORT.failed] == ["b"]
    assert REPORT.slowest is not None
    assert REPORT.slowest.case == "e"


def test_a_report_for_people_has_failures_with_their_reasons() -> None:
    assert str(REPORT).splitlines() == [
        "decode: 1 of 2 passed, 1 not supported",
        "dialog: 2 of 2 passed",
        "slowest answer in a dialog: 1.250 s (e)",
        "FAILED decode: b: expected 1, got 2",
        "unsupported decode: c",
    ]


def test_a_report_for_programs_has_everything() -> None:
    plain = json.loads(json.dumps(REPORT.to_json()))
    assert plain["passed"] is False
    assert [finding["case"] for finding in plain["findings"]] == ["a", "b", "c", "d", "e"]
    assert ExamReport([]).to_json()["passed"] is True
    assert ExamReport([]).slowest is None
    assert str(ExamReport([])) == ""


def _raises(problem: Exception) -> Callable[[], None]:
    def check() -> None:
        raise problem

    return check


@pytest.mark.parametrize(
    ("problem", "outcome", "detail"),
    [
        (NotSupported(), UNSUPPORTED, ""),
        (NotConformant("expected 1"), FAILED, "expected 1"),
        (NoReply("no reply"), FAILED, "no reply"),
        (ValueError("no number"), FAILED, "no number"),
        (ConnectionResetError("reset"), FAILED, "reset"),
        (IndexError("too few words"), FAILED, "too few words"),
    ],
)
def test_what_a_check_raises_is_its_outcome(problem: Exception, outcome: str, detail: str) -> None:
    assert finding("decode", "a", _raises(problem)) == ExamFinding("decode", "a", outcome, detail)


def test_a_program_that_has_ended_and_a_fault_of_the_check_are_no_outcomes() -> None:
    for problem in (ProgramEnded("it ended"), AttributeError("ours")):
        with pytest.raises(type(problem)):
            finding("decode", "a", _raises(problem))


class Client:
    """A client whose answers take a time that the check says."""

    slowest = 99.0

    def answer(self, seconds: float) -> Callable[[], None]:
        def check() -> None:
            self.slowest = max(self.slowest, seconds)

        return check


@pytest.mark.parametrize(
    ("seconds", "within", "outcome"), [(0.4, 0.5, PASSED), (0.6, 0.5, FAILED), (0.5, 0.5, PASSED), (60.0, None, PASSED)]
)
def test_an_answer_must_come_in_time_and_what_was_before_does_not_count(
    seconds: float, within: float | None, outcome: str
) -> None:
    client = Client()
    result = timed(client, within, "dialog", "a", client.answer(seconds))  # type: ignore[arg-type]
    assert (result.outcome, result.seconds) == (outcome, seconds)
    if outcome == FAILED:
        assert result.detail == "expected every answer within 0.5 s, one took 0.60 s"


def test_a_failure_keeps_its_reason_and_what_is_not_supported_took_no_time() -> None:
    client = Client()
    failed = timed(client, 0.1, "dialog", "a", _raises(NotConformant("expected 1")))  # type: ignore[arg-type]
    assert (failed.outcome, failed.detail, failed.seconds) == (FAILED, "expected 1", 0.0)
    assert timed(client, 0.1, "dialog", "a", _raises(NotSupported())).seconds is None  # type: ignore[arg-type]
