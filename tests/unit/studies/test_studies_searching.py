"""A search learns from its runs, and goes on where it was ended."""

from pathlib import Path

import pytest
from studies_scenes import OneByOne, scene

from coopsim.app import main
from coopsim.studies.axes import read_axis
from coopsim.studies.results import StudyFolder
from coopsim.studies.searching import SearchTarget, ValueSearch, planned
from coopsim.studies.study import StudyOptions

SETTINGS = ["wander.speed=0.1:0.4"]


@pytest.mark.filterwarnings("ignore")
def test_the_best_values_are_found_and_what_was_tried_is_not_tried_again(tmp_path: Path) -> None:
    target, folder = SearchTarget("path_length_mean", True, 4), tmp_path / "out"
    study = planned(scene(tmp_path), SETTINGS, StudyOptions(seeds=(0, 1)), folder, target)
    axes = [read_axis(text) for text in SETTINGS]
    with StudyFolder(folder, study.asked, resume=False) as kept:
        first = ValueSearch(study, axes, (0, 1), target, folder)
        rows = list(first.rows(OneByOne(study.job), kept))
    assert [row["seed"] for row in rows] == [0, 1] * 4
    assert first.best is not None
    values, best = first.best
    means = [sum(row["metrics"]["path_length_mean"] for row in rows[n : n + 2]) / 2 for n in range(0, 8, 2)]
    assert best == pytest.approx(max(means))
    assert values == rows[2 * means.index(max(means))]["values"]
    with StudyFolder(folder, study.asked, resume=True) as kept:
        more = ValueSearch(study, axes, (0, 1), SearchTarget("path_length_mean", True, 5), folder)
        assert len(list(more.rows(OneByOne(study.job), kept))) == 2


def test_a_search_needs_one_metric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["search", str(scene(tmp_path)), "--set", SETTINGS[0]]) == 2
    assert "--maximise METRIC or --minimise METRIC" in capsys.readouterr().err
