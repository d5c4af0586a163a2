"""The benchmark of recordings works, in small."""

from pathlib import Path

import pytest

from coopsim.testkit.own_bench.record import CASES, RecordCases, cost, proof, row, sizes, ways

pytestmark = pytest.mark.integration


def test_the_cases_measure_what_they_say(tmp_path: Path) -> None:
    workshop = RecordCases(tmp_path, scale=1 / 1200)
    rows = {row["case"]: row for case in (sizes, ways, cost) for row in case(workshop)}
    assert rows["an hour of 10 robots"]["value"] > rows["their poses alone"]["value"] > 0.0
    assert rows["ticks lost, 100 robots at 100 Hz"]["value"] == 0
    assert all(row["value"] > 0.0 for name, row in rows.items() if name.startswith(("open", "seek", "scrub")))


def test_a_recording_of_ten_robots_is_proved_tick_by_tick_and_faster_than_it_was_made(tmp_path: Path) -> None:
    (row,) = proof(RecordCases(tmp_path, scale=1 / 60))
    assert (row["ticks"], row["bound"]) == (200, 5.0)
    assert row["value"] > 1.0
    assert row["ok"] == (row["value"] >= 5.0)
    assert proof in CASES


def test_a_value_above_its_bound_is_not_ok() -> None:
    assert [row("x", "s", value, 1.0)["ok"] for value in (0.5, 1.0, 1.5)] == [True, True, False]
