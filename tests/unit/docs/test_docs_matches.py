"""The script that plays the matches of docs/games.md: what the table says of them, and what it refuses."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
OVER, LEFT = "the time is over", "nobody else is left"


@pytest.fixture(scope="module")
def matches() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        import matches

        yield matches


def match(winner: str, reason: str, time: float, *violations: list[str]) -> dict[str, object]:
    return {"winner": winner, "reason": reason, "time": time, "violations": list(violations)}


def test_a_row_counts_ends_violations_and_wins(matches: ModuleType) -> None:
    played = [match("a", LEFT, 40.0), match("a", "a1 brought blue home", 50.0), match("", OVER, 90.0)]
    played.append(match("b", "", 30.0, ["in water", "b1"], ["overlap", "b2"]))
    assert matches.row("mine", played) == {
        "case": "mine",
        "matches": 4,
        "finished": 3,
        "violations": 2,
        "wins": "a 2, nobody 1, b 1",
        "time over": 1,
        "median time [s]": 45.0,
    }


def test_rows_of_other_matches_stay_and_all_stand_in_one_order(
    matches: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches.figures, "RESULTS", tmp_path)
    for case, count in (("death_match", 2), ("capture_the_flag", 1), ("death_match", 3)):
        matches.write(matches.row(case, [match("a", LEFT, 1.0)] * count), 1.0, 0.5)
    kept = json.loads((tmp_path / "matches.json").read_text(encoding="utf-8"))
    assert [(result["case"], result["matches"]) for result in kept["results"]] == [
        ("capture_the_flag", 1),
        ("death_match", 3),
    ]


def test_matches_that_are_not_there_are_wrong_usage(matches: ModuleType) -> None:
    with pytest.raises(SystemExit) as ended:
        matches.main(["chess"])
    assert ended.value.code == 2


def test_the_table_of_the_page_says_that_no_rule_was_broken() -> None:
    kept = json.loads((ROOT / "benchmarks" / "results" / "matches.json").read_text(encoding="utf-8"))["results"]
    assert [(row["finished"], row["violations"]) for row in kept] == [(row["matches"], 0) for row in kept]
    assert {row["case"] for row in kept} >= {"capture_the_flag", "death_match", "four_players"}
