"""The benchmark of studies works; how well is for a machine that does nothing else."""

from pathlib import Path

from coopsim.features.studies.table import read_study
from coopsim.testkit.own_bench import studies
from coopsim.testkit.own_bench.measuring.many_runs import overhead_of_a_run, page_of


def test_a_report_of_many_rows_is_timed(tmp_path: Path) -> None:
    page = page_of(tmp_path / "large", 60)
    assert page.seconds > 0.0
    assert page.megabytes < studies.PAGE_BOUND
    study = read_study(tmp_path / "large")
    assert (len(study.rows), study.varied) == (60, ("formation.spacing", "all.sonars.noise"))


def test_what_the_runner_adds_is_what_a_run_takes_longer_than_its_work(tmp_path: Path) -> None:
    assert overhead_of_a_run(tmp_path / "out", 6) > 0.0
