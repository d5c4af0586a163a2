"""Studies of systems of components."""

import pytest

from coopsim.errors import BadArgument, CoopsimError, NoSuchCommand, NoSuchName
from coopsim.studies.job import Jitter, SystemJob, Task
from coopsim.studies.study import Study, StudyOptions, plan
from coopsim.studies.systems import best_by_context, is_system
from coopsim.studies.trial import run_task


def planned(*settings: str, **options: object) -> Study:
    return plan("challenge", settings, StudyOptions(**options))  # type: ignore[arg-type]


def test_every_combination_is_run_and_the_best_of_each_context_is_told() -> None:
    study = planned("FollowerController.Kv=0.05,0.35", "MyNormalizePower.motorCoef=60,100", duration=60.0, seeds=(3,))
    rows = [run_task(study.job, task) for task in study.tasks]
    assert [(row["values"]["FollowerController.Kv"], row["success"]) for row in rows] == [
        ("0.05", True),
        ("0.05", True),
        ("0.35", True),
        ("0.35", True),
    ]
    assert set(rows[0]["metrics"]) == set(study.metrics)
    assert isinstance(study.job, SystemJob)
    worn, new = best_by_context(study.job.model, rows)
    assert worn.startswith("motorCoef=60: best by max_distance Kv=0.05 (")
    assert "best by rms_error Kv=0.35 (" in worn
    assert new.count("Kv=0.05") == 2


def test_the_same_seed_gives_the_same_run() -> None:
    study = planned("Leader.behavior=4", duration=30.0, seeds=(1, 1, 2))
    first, again, other = (run_task(study.job, task)["state_hash"] for task in study.tasks)
    assert first == again != other


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (NoSuchName, "Folower.Kv=1,2"),
        (NoSuchName, "GPS.lostDataGPS=1,2"),
        (NoSuchCommand, "FollowerController.Kx=1,2"),
        (BadArgument, "FollowerController.Kv=1,3"),
        (BadArgument, "FollowerController.Kv=a,b"),
        (BadArgument, "Leader.behavior=1.5,2"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_the_first_run(error: type[CoopsimError], setting: str) -> None:
    with pytest.raises(error):
        planned(setting)
    with pytest.raises(BadArgument, match="no places to vary, no recordings and no real time"):
        planned("FollowerController.Kv=1", jitter=Jitter(1.0))


def test_a_run_that_cannot_be_done_is_a_row_with_its_error() -> None:
    study = planned("FollowerController.Kv=1,2", duration=5.0)
    row = run_task(study.job, Task(0, {"FollowerController.Kv": "5"}, 0))
    assert "Kv must lie within 0 and 2" in row["error"]
    assert not row["success"]


def test_systems_are_told_from_scenarios() -> None:
    assert [is_system(name) for name in ("challenge", "mine.amsa", "formation", "mine.scenario")] == [
        True,
        True,
        False,
        False,
    ]
