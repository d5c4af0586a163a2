"""What a study tells while it goes on: how runs ended, goal by goal, and why one failed as soon as it has."""

from typing import Any

import pytest

from coopsim.features.studies.commands.study_progress import FailureReasons, Tally, progress


def row(number: int, *, met: bool = True, error: str = "") -> dict[str, Any]:
    goals = [{"name": "arrive", "met": met}, {"name": "way", "met": None}]
    columns = {
        "number": number,
        "values": {"law.speed": "0.3"},
        "seed": 4,
        "success": met and not error,
        "goals": goals,
    }
    return {**columns, "error": error, "goals": []} if error else columns


def test_goals_are_counted_as_runs_end() -> None:
    tally = Tally()
    for line in (row(0), row(1, met=False), row(2), row(3, error="crashed")):
        tally.add(line)
    assert tally.text.startswith("2 succeeded, 1 failed (arrive 2/3), ")


def test_each_reason_why_runs_fail_is_told_once() -> None:
    reasons = FailureReasons()
    reasons_told = [reasons.new(result) for result in (row(0), row(1, error="crashed"), row(2, error="crashed"))]
    assert reasons_told == ["", "run 1 (law.speed=0.3 seed 4) failed: crashed", ""]
    assert sum(bool(reasons.new(row(number, error=f"reason {number}"))) for number in range(100)) < 10


def test_a_run_that_fails_is_told_while_the_study_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(20, 3) as tell_row:
        tell_row(row(0, error="crashed"))
        assert capsys.readouterr().err.splitlines() == [
            "3 of 20 runs were done before",
            "run 0 (law.speed=0.3 seed 4) failed: crashed",
        ]
