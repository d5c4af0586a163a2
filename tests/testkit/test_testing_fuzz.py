"""The fuzzer finds what it is for, and finds the same again."""

import random

import pytest
from click.testing import CliRunner

from coopsim.errors import BadArgument, MalformedMessage
from coopsim.testkit.fuzz import Fuzzer, mutated, outcome
from coopsim.testkit.fuzz.command import fuzz as main
from coopsim.testkit.fuzz.targets import BrokenPromise, message


def fragile(raw: bytes) -> None:
    if raw.count(b"\xff") > 1:
        raise ZeroDivisionError("two of them")
    if not raw.startswith(b"a"):
        raise BadArgument(f"{raw[:5]!r} does not begin with an a")


def fed(target: object, seed: int, turns: int = 400) -> Fuzzer:
    fuzzer = Fuzzer(target, [b"abc", b"a\xff12"], seed)  # type: ignore[arg-type]
    for _ in range(turns):
        fuzzer.turn()
    return fuzzer


def test_what_a_target_does_not_survive_is_found_once_with_its_place() -> None:
    findings = fed(fragile, seed=1).findings
    assert len(findings) == 1
    assert findings[0].raw.count(b"\xff") > 1
    assert findings[0].what.startswith("ZeroDivisionError at test_testing_fuzz.py:")


def test_the_same_seed_feeds_the_same_mutants_and_another_seed_others() -> None:
    assert fed(fragile, seed=7).kept == fed(fragile, seed=7).kept
    assert fed(fragile, seed=7).kinds != fed(fragile, seed=8).kinds


def test_an_input_that_takes_too_long_is_a_finding() -> None:
    times = iter(range(0, 1000, 6))
    fuzzer = Fuzzer(lambda _: None, [b"x"], 1, clock=lambda: float(next(times)))
    fuzzer.feed(b"y")
    assert [finding.what for finding in fuzzer.findings] == ["took 6.0 s"]


def test_answers_differ_by_what_they_say_and_not_by_names_and_numbers() -> None:
    kinds = {outcome(fragile, raw) for raw in (b"xyz", b"12345", b"")}
    assert len(kinds) == 1
    assert outcome(fragile, b"abc") == "accepted"


def test_a_refusal_without_end_is_a_broken_promise() -> None:
    def talkative(_: bytes) -> None:
        raise BadArgument("x" * 60_000)

    with pytest.raises(BrokenPromise):
        outcome(talkative, b"")


def test_mutants_stay_within_the_limit_and_differ() -> None:
    chance = random.Random(3)
    mutants = [mutated(b"speed 1.0\nmode free\n" * 10, chance, [b"other"], limit=500) for _ in range(300)]
    assert max(map(len, mutants)) <= 500
    assert len(set(mutants)) > 200


def test_a_decoder_that_lies_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from coopsim.message import Message
    from coopsim.testkit.fuzz import targets

    with pytest.raises(MalformedMessage):
        message(b"\xc1")
    answers = iter([Message("/a"), Message("/b")])
    monkeypatch.setattr(targets, "decode", lambda _: next(answers))
    with pytest.raises(BrokenPromise):
        message(b"anything")


def test_the_program_keeps_what_was_not_survived_and_says_where(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coopsim.testkit.fuzz import command as program

    monkeypatch.setitem(program.TARGETS, "message", fragile)
    arguments = ["message", "--seconds", "0.5", "--keep", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    place = done.output.rpartition("kept as ")[2].strip()
    with open(place, "rb") as file:
        assert file.read().count(b"\xff") > 1
