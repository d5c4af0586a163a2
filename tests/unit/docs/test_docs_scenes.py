"""What the page of scenes says is made of what trials found."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
ROW = {
    "success": True,
    "goals": [{"at": 12.0}, {"at": None}, {"at": 14.5}],
    "metrics": {"clearance": 0.2, "force_max": 9.0, "formation_error_free_rms": None},
}


@pytest.fixture(autouse=True)
def _docs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])


def test_a_row_says_how_many_runs_met_all_goals_when_and_the_worst_of_each_metric() -> None:
    import parts_scenes
    import scene_figures

    later = {**ROW, "goals": [{"at": 20.0}], "metrics": {"clearance": 0.1, "force_max": 11.0}}
    missed = {**ROW, "success": False, "metrics": {"clearance": -1.0}}
    summary = scene_figures.summary({"runs": 3, "successes": 2, "results": [ROW, later, missed]})
    assert summary == {"runs": 3, "met": 2, "first": 14.5, "last": 20.0, "clearance": 0.1, "force_max": 11.0}
    row = parts_scenes._row("gap", "lockstep", summary)
    assert row == "| `gap` | lockstep | 2 of 3 | 14 to 20 s | 0.1 m |  | 11 N |"


def test_pictures_and_trials_are_of_scenes_that_there_are() -> None:
    import json

    import scene_figures

    pictures = {path.stem for path in (DOCS / "scenes").glob("*.png")}
    assert {"transport", "fig4", "gap"} <= pictures <= set(scene_figures._usual("pictures"))
    assert {"transport", "fig4", "gap"} <= set(json.loads(scene_figures.RESULTS.read_text())) <= pictures
