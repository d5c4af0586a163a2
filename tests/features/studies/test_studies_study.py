"""A study from its plan to its tables, without processes."""

import csv
import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from studies_scenes import HereAndNow, scene

from coopsim import plugins
from coopsim.app import main
from coopsim.errors import BadArgument, CannotSave, NoSuchName, PluginFailed
from coopsim.features.studies import study as studying
from coopsim.features.studies import sweep, sweeping, trial
from coopsim.features.studies.job import Jitter, run_task
from coopsim.features.studies.results import StudyFolder, stored_rows
from coopsim.features.studies.study import Study, StudyOptions, plan, rows_of
from coopsim.inprocess import DirectSource
from coopsim.replay.judging import RunJudge
from coopsim.robots import RunSpec
from coopsim.scene import replacing
from coopsim.simulation import Simulation

SETTINGS = ["wander.speed=0.2,0.3"]


@pytest.fixture
def planned(tmp_path: Path) -> Study:
    return plan(scene(tmp_path), SETTINGS, StudyOptions(seeds=(0, 1), jitter=Jitter(0.02)))


def test_a_run_is_a_function_of_values_and_seed(planned: Study) -> None:
    rows = [run_task(planned.job, task) for task in planned.tasks]
    assert rows[0] == run_task(planned.job, planned.tasks[0])
    assert [(row["values"]["wander.speed"], row["seed"]) for row in rows] == [
        *(("0.2", 0), ("0.2", 1), ("0.3", 0), ("0.3", 1))
    ]
    assert len({row["state_hash"] for row in rows}) == 4
    assert all(row["ticks"] <= 40 and row["metrics"]["path_length_max"] > 0.0 for row in rows)
    assert rows[0]["goals"][0]["name"] == "near"


def test_what_was_done_is_not_done_again(planned: Study, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    runner = HereAndNow(planned.job)
    with StudyFolder(folder, planned.asked, resume=False) as kept:
        rows = rows_of(planned, runner, kept)
        first = next(rows)
    with (folder / "runs.jsonl").open("a") as file:
        file.write('{"number": 2, "valu')
    with StudyFolder(folder, planned.asked, resume=True) as kept:
        again = HereAndNow(planned.job)
        assert len(list(rows_of(planned, again, kept))) == 3
        finished = kept.finish()
    assert (first["number"], again.done) == (3, [2, 1, 0])
    assert finished == stored_rows(folder) == [run_task(planned.job, task) for task in planned.tasks]
    table = list(csv.DictReader((folder / "runs.csv").read_text().splitlines()))
    assert [row["seed"] for row in table] == ["0", "1", "0", "1"]
    assert table[0]["goal.near"] in {"True", "False"}


def test_another_study_is_not_mixed_into_a_folder(planned: Study, tmp_path: Path) -> None:
    with StudyFolder(tmp_path / "study", planned.asked, resume=False) as kept:
        assert kept.rows == {}
    with pytest.raises(BadArgument, match="holds a study already"):
        StudyFolder(tmp_path / "study", planned.asked, resume=False)
    other_plan = plan(scene(tmp_path), SETTINGS, StudyOptions(seeds=(5,)))
    with pytest.raises(BadArgument, match="holds another study: seeds was 2, is 1"):
        StudyFolder(tmp_path / "study", other_plan.asked, resume=True)
    elder = {**planned.asked, "versions": {"coopsim": "0"}}
    with pytest.raises(BadArgument, match=r"study: versions.coopsim was \S+, is 0"):
        StudyFolder(tmp_path / "study", elder, resume=True)


def test_a_damaged_question_is_told(planned: Study, tmp_path: Path) -> None:
    with StudyFolder(tmp_path / "study", planned.asked, resume=False):
        pass
    (tmp_path / "study" / "study.json").write_text('{"scenario":')
    with pytest.raises(BadArgument, match=r"study\.json cannot be read: .*do the study again with another --out"):
        StudyFolder(tmp_path / "study", planned.asked, resume=True)


def test_a_study_that_somebody_does_is_left_alone(planned: Study, tmp_path: Path) -> None:
    with StudyFolder(tmp_path / "study", planned.asked, resume=False) as kept:
        kept.add(run_task(planned.job, planned.tasks[0]))
        with pytest.raises(BadArgument, match="another process is doing this study"):
            StudyFolder(tmp_path / "study", planned.asked, resume=True)
        kept.add(run_task(planned.job, planned.tasks[1]))
    assert len(stored_rows(tmp_path / "study")) == 2


def test_a_full_disk_ends_a_study_that_goes_on_when_there_is_room(planned: Study, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    with StudyFolder(folder, planned.asked, resume=False) as kept, open("/dev/full", "ab", buffering=0) as full:
        rows = rows_of(planned, HereAndNow(planned.job), kept)
        first = next(rows)
        os.dup2(full.fileno(), kept._file.fileno())
        with pytest.raises(CannotSave, match="study: No space left on device; the rows before it are kept, --resume"):
            next(rows)
    with StudyFolder(folder, planned.asked, resume=True) as kept:
        assert list(kept.rows.values()) == [first]


def test_a_disk_that_is_full_from_the_beginning_is_told_before_the_first_run(
    planned: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CannotSave, match="Not a directory"):
        StudyFolder(scene(tmp_path) / "study", planned.asked, resume=False)

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(replacing.os, "fsync", full)
    with pytest.raises(CannotSave, match="No space left on device"):
        StudyFolder(tmp_path / "study", planned.asked, resume=False)


def test_what_cannot_be_done_is_told_before_the_first_run(tmp_path: Path) -> None:
    file = scene(tmp_path)
    with pytest.raises(NoSuchName, match="sped → speed"):
        plan(file, ["wander.sped=0.1,0.2"], StudyOptions())
    with pytest.raises(BadArgument, match="these are 1000000 runs; add --yes"):
        plan(file, ["wander.speed=0.1:0.5:0.1"], StudyOptions(seeds=tuple(range(200_000))))
    with pytest.raises(BadArgument, match="given twice"):
        plan(file, ["wander.speed=0.1,0.2", "wander.speed=0.3"], StudyOptions())
    file.write_text(file.read_text().replace("duration 0.4\n", ""))
    with pytest.raises(BadArgument, match="give --duration SECONDS"):
        plan(file, [], StudyOptions())


@contextmanager
def metric(folder: Path, name: str, value: str) -> Iterator[None]:
    path = folder / f"{name}.py"
    path.write_text(f"def {name}(run):\n    return {value}\nPLUGINS = {{'metrics': {{'{name}': {name}}}}}\n")
    plugins.add(path)
    yield
    plugins.forget(path)


def test_a_metric_that_raises_is_told_before_the_first_run(tmp_path: Path) -> None:
    with (
        metric(tmp_path, "bad", "run.duration / 0"),
        pytest.raises(PluginFailed, match=r"bad\.py:2: metric bad: ZeroDivisionError"),
    ):
        plan(scene(tmp_path), [], StudyOptions())


def test_a_metric_may_ask_for_the_last_record(tmp_path: Path) -> None:
    with metric(tmp_path, "end", "run.times[-1]"):
        assert "end" in plan(scene(tmp_path), [], StudyOptions()).metrics


def test_a_control_law_that_fails_is_a_row_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "grumpy.py"
    path.write_text(
        "def grumpy(arguments):\n    raise KeyError('no mood')\nPLUGINS = {'controllers': {'grumpy': grumpy}}\n"
    )
    plugins.add(path)
    try:
        file = scene(tmp_path)
        file.write_text(file.read_text().replace("run wander", "run grumpy"))
        planned = plan(file, [], StudyOptions())
        row = run_task(planned.job, planned.tasks[0])
    finally:
        plugins.forget(path)
    assert not row["success"]
    assert "grumpy.py:2" in row["error"]


def test_the_command_ends_with_one_line_of_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(studying, "local", lambda study, *_: HereAndNow(study.job))
    out = tmp_path / "out"
    command = ["sweep", str(scene(tmp_path)), "--set", SETTINGS[0], "--seeds", "3..4", "--out", str(out), "--json"]
    code = main.run(command)
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert printed.out.count("\n") == 1
    assert (result["runs"], result["failed"]) == (4, 0)
    assert code == int(result["successes"] < 4)
    assert set(result["results"][0]) == {"values", "seed", "success", "goals", "metrics"}
    assert [result["seed"] for result in result["results"]] == [3, 4, 3, 4]
    assert "runs succeeded" in printed.err
    assert json.loads((out / "study.json").read_text())["runs"] == 4


def test_recordings_are_kept_of_all_runs_or_of_failures(tmp_path: Path) -> None:
    from coopsim.recording import Recording

    planned = plan(scene(tmp_path), [], StudyOptions(record="all"), tmp_path / "out")
    row = run_task(planned.job, planned.tasks[0])
    with Recording.open(tmp_path / "out" / "recordings" / "run-000000.mcap") as recording:
        assert recording.last_tick == row["ticks"]
        assert recording.metadata["seed"] == 0
        frame = recording.keyframe(len(recording) - 1)
        assert frame is not None
        assert frame.state


def test_a_study_in_python_yields_what_was_kept_and_does_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []

    def local(study: Study, *_: object) -> HereAndNow:
        runner = HereAndNow(study.job)
        runner.done = done
        return runner

    monkeypatch.setattr(sweeping, "local", local)
    file, out = scene(tmp_path), tmp_path / "out"
    first = next(sweep(file, SETTINGS, seeds=2, jitter=0.02, out=out))
    rows = list(sweep(file, SETTINGS, seeds=2, jitter=0.02, out=out))
    assert done == [3, 2, 1, 0]
    assert rows[0] == first
    assert sorted(row["number"] for row in rows) == [0, 1, 2, 3]
    assert len(list(sweep(file, SETTINGS, seeds=2, jitter=0.02, out=out))) == 4
    assert len(done) == 4
    with pytest.raises(NoSuchName):
        sweep(file, ["wander.sped=1"])


def test_a_study_that_is_done_before_a_second_process_has_started_gets_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studying, "usable_cores", lambda: 3)
    study = plan(scene(tmp_path), SETTINGS, StudyOptions(seeds=(0, 1)))  # 4 runs of 2 robots for 0.4 s
    assert studying.local(study).count == 1
    assert studying.local(study, workers=2).count == 2
    assert studying.local(study, runs=1000).count == 3
    longer = plan(scene(tmp_path), ["simulation.duration=4,20"], StudyOptions())
    assert studying.local(longer).count == 2


def test_in_real_time_control_laws_are_processes_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[str] = []

    def run(_allow: bool, spec: RunSpec, judge: RunJudge, _take: object) -> tuple[int, str]:
        modes.append(spec.scenario.settings.mode)
        simulation = Simulation(spec)
        judge.add(simulation.layout, DirectSource(simulation).record)
        return 1, "hash"

    monkeypatch.setattr(trial, "_run_processes", run)
    planned = plan(scene(tmp_path), [], StudyOptions(is_real_time=True))
    assert "error" not in run_task(planned.job, planned.tasks[0])
    assert (modes, planned.asked["mode"]) == (["real-time"], "real-time")
    assert "mode" not in plan(scene(tmp_path), [], StudyOptions()).asked
