"""Studies of systems of components."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import BadArgument, CoopsimError, NoSuchCommand, NoSuchName
from coopsim.features.amsa.components import System, load_scenario, load_system
from coopsim.features.amsa.components.scenario import steps_of
from coopsim.features.amsa.components.trial import play, usual_duration
from coopsim.features.amsa.studies import SYSTEMS
from coopsim.features.studies.best import best_in_words, best_values
from coopsim.features.studies.job import Jitter, Task, run_task
from coopsim.features.studies.study import Study, StudyOptions, plan


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
    worn, new = best_in_words(best_values(rows, study.best, study.laws))
    assert worn.startswith("motorCoef=60: best by max_distance Kv=0.05 (")
    assert "best by rms_error Kv=0.35 (" in worn
    assert new.count("Kv=0.05") == 2


def test_the_same_seed_gives_the_same_run() -> None:
    study = planned("Leader.behavior=4", duration=30.0, seeds=(1, 1, 2))
    first, again, reseeded = (run_task(study.job, task)["state_hash"] for task in study.tasks)
    assert first == again != reseeded


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
    with pytest.raises(
        BadArgument, match="challenge: the study of a system has no --jitter; it has --duration, --scenario, --settle"
    ):
        planned("FollowerController.Kv=1", jitter=Jitter(1.0))


def test_a_run_that_cannot_be_done_is_a_row_with_its_error() -> None:
    study = planned("FollowerController.Kv=1,2", duration=5.0)
    row = run_task(study.job, Task(0, {"FollowerController.Kv": "5"}, 0))
    assert "Kv must lie within 0 and 2" in row["error"]
    assert not row["success"]


def test_systems_are_told_from_scenarios() -> None:
    assert [SYSTEMS.reads(name) for name in ("challenge", "mine.amsa", "formation", "mine.scenario")] == [
        True,
        True,
        False,
        False,
    ]


def test_each_phase_of_a_scenario_is_a_context_in_which_what_is_varied_stays() -> None:
    """A-20: a scenario has contexts, and control laws are compared in each."""
    study = planned("FollowerController.Kv=0.05,0.35", scenarios=("scenario1", "scenario2"))
    phases = [(task.values["scenario"], task.values["phase"]) for task in study.tasks[:6]]
    assert phases == [*(("scenario1", str(number)) for number in range(1, 5)), ("scenario2", "1"), ("scenario2", "2")]
    rows = [run_task(study.job, task) for task in study.tasks if task.values["scenario"] == "scenario2"]
    swinging = [row["metrics"]["rms_error"] for row in rows if row["values"]["FollowerController.Kv"] == "0.35"]
    assert swinging[0] == pytest.approx(swinging[1])  # the scenario would set 0.05 in its second phase
    winners = {best_value.by.metric: best_value for best_value in best_values(rows, study.best, study.laws)}
    assert winners["max_distance"].values == {"FollowerController.Kv": "0.05"}
    assert winners["rms_error"].values == {"FollowerController.Kv": "0.35"}
    assert set(winners["rms_error"].context) == {"scenario", "phase"}


def test_a_phase_has_the_figures_of_the_same_phase_of_the_system_by_itself() -> None:
    model = load_system("challenge")
    system = System(model, seed=2)
    system.initialize()
    steps = steps_of(load_scenario("scenario2"), model)
    alone = [phase.to_json(15.0, 5.0) for phase in play(system, steps, usual_duration(steps))]
    study = planned("Leader.behavior=4", scenarios=("scenario2",), settle=5.0, seeds=(2,))
    for task, expected in zip(study.tasks, alone, strict=True):
        assert run_task(study.job, task)["metrics"].items() <= expected.items()


def test_what_is_best_is_asked_for() -> None:
    study = planned("FollowerController.Kv=0.05,0.35", duration=60.0, best=("overshoot", "settling_time:max"))
    rows = [run_task(study.job, task) for task in study.tasks]
    (line,) = best_in_words(best_values(rows, study.best, study.laws))
    assert line.startswith("any context: best by overshoot Kv=")
    assert "best by settling_time (largest) Kv=" in line
    for wrong in ("rms_eror", "overshoot:most", ""):
        with pytest.raises(BadArgument, match="--best"):
            planned("FollowerController.Kv=0.05,0.35", best=(wrong,))


@pytest.fixture
def effort(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "effort.py"
    path.write_text(
        "from coopsim.features.amsa.components import SystemMetric\n\n\n"
        "def effort(run):\n"
        "    return sum(abs(each.value) * (each.end - each.begin) for each in run.held('normalizedPowerLeft'))\n\n\n"
        "PLUGINS = {'metrics': {'effort': SystemMetric(effort)}}\n",
        encoding="utf-8",
    )
    plugins.add(path)
    yield path
    plugins.forget(path)


def test_a_plugin_brings_a_metric_of_systems(effort: Path) -> None:
    study = planned("MyNormalizePower.motorCoef=0,100", duration=60.0, best=("effort:max",))
    assert "effort" in study.metrics
    rested, driven = (run_task(study.job, task)["metrics"]["effort"] for task in study.tasks)
    assert rested == 0.0
    assert 40.0 * 10.0 < driven < 40.0 * 100.0  # 40 s count
    robots = plan("single", ["simulation.duration=1"], StudyOptions())
    assert "effort" not in robots.metrics  # robots are measured without it
    assert effort.exists()


def test_a_search_plays_all_phases_together() -> None:
    study = planned("MyFollowerController.Kv=0.1", scenarios=("scenario2",), with_phases=False)
    row = run_task(study.job, study.tasks[0])
    assert row["values"] == {"MyFollowerController.Kv": "0.1"}
    assert row["metrics"]["rms_error"] < row["metrics"]["max_error"]
    with pytest.raises(BadArgument, match="plays one --scenario"):
        planned("Leader.behavior=1", scenarios=("scenario1", "scenario2"), with_phases=False)
    with pytest.raises(BadArgument, match="the study of a scenario has no --scenario"):
        plan("single", ["simulation.duration=1"], StudyOptions(scenarios=("scenario1",)))
