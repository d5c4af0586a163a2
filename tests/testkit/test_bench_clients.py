"""Rows of `bench clients`: each language beside the client in Python, and what a program may answer."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.errors import NoReply
from coopsim.testkit.own_bench import clients as bench_clients
from coopsim.testkit.own_bench.clients import MeasuredRun, Speeds
from coopsim.testkit.own_bench.measuring import typed_steps

RUN = MeasuredRun("127.0.0.1:5571", 4711)


def language(folder: str) -> Any:
    return SimpleNamespace(name=folder.title(), folder=Path(f"clients/{folder}"))


def rows_of(folder: str, *pairs: tuple[Speeds, Speeds]) -> list[dict[str, Any]]:
    return list(bench_clients._rows(language(folder), pairs))


def test_ratios_are_medians_of_rounds_and_bound_where_a_language_has_a_bound() -> None:
    yardstick = Speeds(10_000.0, 5_000.0, 20.0)
    rounds = [Speeds(9_000.0, 6_500.0, 15.0), Speeds(12_000.0, 5_500.0, 25.0), Speeds(9_500.0, 6_000.0, 17.0)]
    pings, steps, processor_time = rows_of("c", *((mine, yardstick) for mine in rounds))
    assert (pings["case"], pings["value"], pings["bound"], pings["ok"]) == ("C, pings", 0.95, 0.9, True)
    assert (steps["value"], steps["bound"], steps["ok"]) == (1.2, 1.2, True)
    assert (pings["per_second"], steps["per_second"]) == (9_500, 6_000)
    assert processor_time["value"] == pytest.approx(57.0 / 60.0)
    assert processor_time["per_second"] == round(3e6 / 57.0)


def test_processor_time_must_not_be_larger_and_speeds_not_smaller() -> None:
    slow = Speeds(8_000.0, 5_000.0, 30.0)
    assert [row["ok"] for row in rows_of("rust", (slow, Speeds(10_000.0, 5_000.0, 20.0)))] == [False, False, False]
    assert [row["ok"] for row in rows_of("go", (slow, Speeds(8_000.0, 4_000.0, 24.0)))] == [True, True, True]


def test_a_language_without_bounds_has_figures_alone_and_no_processor_time_where_none_was_counted() -> None:
    pings, steps = rows_of("octave", (Speeds(100.0, 50.0, 0.0), Speeds(1_000.0, 500.0, 0.0)))
    assert "ok" not in pings | steps
    assert (pings["value"], steps["value"], pings["unit"]) == (0.1, 0.1, "ratio")


class FakeProgram:
    """A client program: answers in turn, and what it was asked."""

    pid = 1

    def __init__(self, *answers: str) -> None:
        self._answers, self.asked_words = [answer.split() for answer in answers], list[tuple[str, ...]]()

    def asked(self, *words: str) -> list[str]:
        self.asked_words.append(words)
        return self._answers.pop(0)


def test_a_round_connects_counts_claims_steps_and_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 600.0])
    monkeypatch.setattr(bench_clients, "busy_us", lambda _: next(times))
    monkeypatch.setattr(bench_clients, "children", lambda _: [])
    monkeypatch.setattr(bench_clients, "read", float)
    program = FakeProgram("connected", "time 0.5", "reply", "time 2.0", "reply", "closed")
    speeds = bench_clients._round(program, (50, 40), MeasuredRun(RUN.address, 1))  # type: ignore[arg-type]
    assert speeds == Speeds(pings=100.0, steps=20.0, processor_time=10.0)
    assert [words[0] for words in program.asked_words] == ["connect", "time", "ask", "time", "ask", "close"]
    assert program.asked_words[0] == ("connect", RUN.address, "30")
    assert [words[1] for words in program.asked_words if words[0] == "time"] == ["50", "40"]


def test_a_program_that_answers_something_else_is_told_with_what_it_was_asked() -> None:
    with pytest.raises(NoReply, match="expected an answer to connect, got failed refused"):
        bench_clients._answer(FakeProgram("failed refused"), "connect", RUN.address)  # type: ignore[arg-type]


def test_processor_time_of_a_program_is_that_of_all_it_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_clients, "busy_us", {1: 5.0, 2: 7.0, 3: 11.0}.__getitem__)
    monkeypatch.setattr(bench_clients, "children", lambda pid: {1: [2], 2: [3]}.get(pid, []))
    assert bench_clients._busy_us(1) == 23.0


def test_warming_up_ends_by_time_and_asks_for_as_much_as_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = iter([0.0, 0.0, 1.0, 2.0]), list[tuple[int, ...]]()
    monkeypatch.setattr(bench_clients, "perf_counter", lambda: next(clock))

    def counted(_program: object, counts: tuple[int, ...], _run: object) -> Speeds:
        asked.append(counts)
        return Speeds(1_000.0, 30.0, 1.0)

    monkeypatch.setattr(bench_clients, "_round", counted)
    assert bench_clients._warmed(None, RUN, 0.1).pings == 1_000.0  # type: ignore[arg-type]
    assert asked == [(10, 10), (100, 10)]


def test_a_typed_step_is_compared_with_one_by_numbers_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_steps, "_WARM", 4)
    monkeypatch.setattr(typed_steps, "read", float)
    # warm: 4 steps of each; then 20 of each by turns, which begin with the other one each time
    times = ["time 0.4", "time 0.8", "time 2.0", "time 3.0", "time 4.0", "time 2.0", "time 1.0", "time 5.0"]
    program = FakeProgram("reply", times[0], "reply", times[1], *("reply", times[2], "reply"), *times[3:5])
    program._answers += [
        answer.split() for answer in ("reply", times[5], "reply", "reply", times[6], "reply", times[7])
    ]
    ratio = typed_steps._ratio(program, bench_clients._answer, 0.1, 3)  # type: ignore[arg-type]
    words = [words[0] for words in program.asked_words if words[0] in ("time", "steps")]
    assert words == ["time", "steps", "time", "steps", "steps", "time", "time", "steps"]
    assert ratio == pytest.approx(2.0)  # of 1.5, 2 and 5
