"""A search learns from its runs, and goes on where it was ended."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from studies_scenes import OneByOne, scene

from coopsim.app import main
from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.studies.axes import Axis, read_axis
from coopsim.features.studies.job import Row, Task
from coopsim.features.studies.results import StudyFolder
from coopsim.features.studies.searching import SearchTarget, ValueSearch, planned
from coopsim.features.studies.study import Study, StudyOptions

SETTINGS = ["wander.speed=0.1:0.4"]


pytestmark = pytest.mark.filterwarnings("ignore")  # optuna's
AXES = [read_axis(text) for text in SETTINGS]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder, target = tmp_path_factory.mktemp("search"), SearchTarget("path_length_mean", True, 4)
    return planned(scene(folder), SETTINGS, StudyOptions(seeds=(0, 1)), folder, target)


def searched(
    study: Study, kept: StudyFolder, trials: int, sampler: str = "tpe", axes: list[Axis] = AXES
) -> ValueSearch:
    return ValueSearch(study, axes, (0, 1), SearchTarget("path_length_mean", True, trials, sampler), kept)


def opened(study: Study, folder: Path, *, resume: bool = False) -> StudyFolder:
    return StudyFolder(folder, study.asked, resume=resume, is_shared=True)


def test_the_best_values_are_found_and_what_was_tried_is_not_tried_again(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with opened(study, folder) as kept:
        first = searched(study, kept, 4)
        rows = list(first.rows(OneByOne(study.job)))
    assert [row["seed"] for row in rows] == [0, 1] * 4
    assert first.best is not None
    values, best = first.best
    means = [sum(row["metrics"]["path_length_mean"] for row in rows[n : n + 2]) / 2 for n in range(0, 8, 2)]
    assert best == pytest.approx(max(means))
    assert values == rows[2 * means.index(max(means))]["values"]
    with opened(study, folder, resume=True) as kept:
        more = list(searched(study, kept, 5).rows(OneByOne(study.job)))
    assert len(more) == 2
    assert more[0]["values"] not in [row["values"] for row in rows]


class Guessing:
    """Makes up rows; the larger the speed the farther the way."""

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield one for each task."""
        for task in tasks:
            way = sum(float(value) for value in task.values.values())
            ends = {"success": True, "goals": [], "metrics": {"path_length_mean": way}}
            yield {"number": task.number, "values": dict(task.values), "seed": task.seed, **ends}


def test_a_trial_that_was_cut_off_is_done_again_with_its_values(study: Study, tmp_path: Path) -> None:
    with opened(study, tmp_path / "out") as kept:
        running = searched(study, kept, 3).rows(Guessing())
        cut = [next(running) for _ in range(3)]
        running.close()  # type: ignore[attr-defined]  # as a process that is killed: the second trial has one of two rows
    with opened(study, tmp_path / "out", resume=True) as kept:
        rest = list(searched(study, kept, 3).rows(Guessing()))
        rows = kept.finish()
    assert cut[2]["values"] == rest[0]["values"]
    assert len({(row["seed"], *row["values"].values()) for row in rows}) == len(rows) == 6


def test_two_processes_share_a_search(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with opened(study, folder) as own_folder:
        first = searched(study, own_folder, 6).rows(Guessing())
        rows = [next(first)]
        with opened(study, folder, resume=True) as shared:
            assert not shared.is_alone
            rows += list(searched(study, shared, 6).rows(Guessing()))
            rows += list(first)
            assert len(shared.finish()) == len(rows) == 12
    assert len({row["number"] for row in rows}) == 12


def test_cma_follows_two_ranges_and_goes_on_where_it_was(study: Study, tmp_path: Path) -> None:
    axes = [read_axis("wander.speed=0:1"), read_axis("wander.turn=0:1:0.01")]
    with opened(study, tmp_path / "out") as kept:
        assert len(list(searched(study, kept, 40, "cma", axes).rows(Guessing()))) == 80
    with opened(study, tmp_path / "out", resume=True) as kept:
        search = searched(study, kept, 80, "cma", axes)
        assert len(list(search.rows(Guessing()))) == 80
        assert search.best is not None
        assert search.best[1] > 1.9
        with pytest.raises(BadArgument, match="needs two ranges at least"):
            searched(study, kept, 90, "cma")


def test_a_search_needs_one_metric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["search", str(scene(tmp_path)), "--set", SETTINGS[0]]) == 2
    assert "--maximise METRIC or --minimise METRIC" in capsys.readouterr().err


def test_a_metric_that_no_run_has_is_told_before_the_first_run(tmp_path: Path) -> None:
    target = SearchTarget("path_lenth_mean", True, 4)
    with pytest.raises(NoSuchName, match="path_lenth_mean → path_length_mean"):
        planned(scene(tmp_path), SETTINGS, StudyOptions(), tmp_path, target)
    with pytest.raises(NoSuchName, match="no run has a metric 'path_length'"):
        planned(scene(tmp_path), SETTINGS, StudyOptions(), tmp_path, replace(target, metric="path_length"))
