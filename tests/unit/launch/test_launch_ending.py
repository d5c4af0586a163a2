"""A run that stays after its end: as long as somebody looks on, and as what it is told then."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.launch import ending
from coopsim.launch.ending import RunEnd
from coopsim.launch.outcome import RunOutcome

DONE = RunOutcome(0, "the goals are decided")
FAULT = RunOutcome(1, "the engine failed", is_fault=True)


class Watched:
    """A run that somebody looks at, or nobody."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.looks_on = 0.0, True
        monkeypatch.setattr(ending.time, "monotonic", lambda: self.now)
        self.controllers: Any = SimpleNamespace(has_changed=False, to_plain=lambda: {"laws": ["cruise"]}, spec=None)
        self.goals: Any = SimpleNamespace(standing=lambda is_over: [["far", is_over]])
        self.end = RunEnd(self.controllers, self.goals, lambda: self.looks_on)

    def summary(self) -> dict[str, Any] | None:
        self.now += 1.0
        news = self.end.news()
        if news is None:
            return None
        summary: dict[str, Any] = json.loads(next(iter(getattr(news, name) for name in news.__slots__)))
        return summary


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def test_a_run_stays_as_long_as_somebody_looks_on(watched: Watched) -> None:
    assert watched.end.conclude(DONE, None, ())
    assert watched.end.is_reached
    assert watched.end.outcome() is None
    watched.looks_on = False
    assert watched.end.outcome() == DONE


def test_a_run_that_nobody_looks_at_or_that_failed_does_not_stay(watched: Watched) -> None:
    assert not watched.end.conclude(FAULT, None, ())
    watched.looks_on = False
    assert not watched.end.conclude(DONE, None, ())
    assert not RunEnd(watched.controllers, None, None).conclude(DONE, None, ())
    assert not watched.end.is_reached


def test_the_first_end_counts(watched: Watched) -> None:
    watched.end.conclude(DONE, None, ())
    watched.end.conclude(RunOutcome(0, "time is over"), None, ())
    watched.looks_on = False
    assert watched.end.outcome() == DONE


@pytest.mark.parametrize("code", [130, 143])
def test_a_person_who_closes_what_stayed_does_not_stop_it(watched: Watched, code: int) -> None:
    stopped = RunOutcome(code, "stopped by a signal")
    assert watched.end.final(stopped) == stopped
    watched.end.conclude(RunOutcome(2, "a goal was missed"), None, ())
    final = watched.end.final(stopped)
    assert (final.code, final.reason) == (2, "a goal was missed")
    assert watched.end.final(FAULT) == FAULT


def test_clients_are_told_once_of_each_change_and_of_the_end_with_its_instant(watched: Watched) -> None:
    news = watched.summary()
    assert news == {"laws": ["cruise"], "goals": [["far", False]], "end": None}
    assert watched.summary() is None
    # of the last record the end knows its instant alone
    watched.end.conclude(DONE, SimpleNamespace(time=2.5, tick=250), ["the recording"])  # type: ignore[arg-type]
    news = watched.summary()
    assert news is not None
    assert news["end"] == {"text": DONE.reason, "time": 2.5, "tick": 250, "failures": ["the recording"]}
    assert news["goals"] == [["far", True]]


def test_clients_are_told_three_times_a_second_at_most(watched: Watched) -> None:
    assert watched.end.news() is not None
    watched.controllers.to_plain = lambda: {"laws": []}
    watched.now = 0.2
    assert watched.end.news() is None
    watched.now = 0.31
    assert watched.end.news() is not None
