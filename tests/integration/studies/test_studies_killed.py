"""What other processes do of a study, killed in the middle or with plugins: all rows are those of this process."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.app import main
from coopsim.features.studies.cluster import DaskPool
from coopsim.features.studies.job import Jitter, Job, Row, Task, run_task
from coopsim.features.studies.pool import LocalPool
from coopsim.features.studies.results import StudyFolder, stored_rows
from coopsim.features.studies.study import RunsTasks, Study, StudyOptions, plan, rows_of
from coopsim.testkit import children

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore")]
LIMIT = 200.0
SETTINGS = ["wander.speed=0.2,0.3"]
OPTIONS = StudyOptions(seeds=tuple(range(6)), jitter=Jitter(0.1), duration=0.5)
CLIENT = """
import sys
from coopsim.features.studies import sweep
for row in sweep("single", ["wander.speed=0.2,0.3"], seeds=6, jitter=0.1, duration=0.5, workers=2, out=sys.argv[1]):
    print(row["number"], flush=True)
"""
KILLER = """
import json, os, signal
from pathlib import Path
from coopsim.features.studies.job import Jitter
from coopsim.features.studies.pool import LocalPool
from coopsim.features.studies.study import StudyOptions, plan
from coopsim.testkit import children

options = StudyOptions(seeds=tuple(range(6)), jitter=Jitter(0.1), duration=0.5)
study = plan("single", ["wander.speed=0.2,0.3"], options)
pool = LocalPool(study.job, 2, 200.0)
found = children(os.getpid())
forks = [Path(f"/proc/{each}/cmdline").read_text() == Path("/proc/self/cmdline").read_text() for each in found]
rows = pool.rows(study.tasks)
first = next(rows)
for each in found:
    os.kill(each, signal.SIGKILL)
print(json.dumps({"forks": forks, "rows": [first, *rows], "left": children(os.getpid())}))
"""
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Variables of a process that can be forked."""


@pytest.fixture(scope="module")
def study() -> Study:
    return plan("single", SETTINGS, OPTIONS)


@pytest.fixture(scope="module")
def expected(study: Study) -> list[Row]:
    """The rows of the study, done in this process."""
    return [run_task(study.job, task) for task in study.tasks]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A cluster: the address of its scheduler, and two workers, each a process of its own, which are killed."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=0, protocol="tcp", dashboard_address=None) as cluster:
        program = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        place = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("workers"))}  # a killed one leaves files there
        processes = [subprocess.Popen([*program, *options], env=place, stderr=subprocess.DEVNULL) for _ in range(2)]
        with Client(cluster.scheduler_address) as client:
            client.wait_for_workers(2, timeout=LIMIT)
        yield cluster.scheduler_address, processes
        for process in processes:
            process.kill()
            process.wait()


def numbered(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["number"])


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


PLUGIN = """
import numpy as np
from coopsim.features.laws.process import drive
from coopsim.features.laws import options

def spin(arguments):
    chosen = options.parser("spin", "Turn on the spot.", ()).parse_args(arguments)
    law = lambda seen: {robot: (0.0, 0.4) for robot in seen.robots}
    return drive("spin", chosen.robots, chosen.endpoint, lambda sim, stepper: law)

def turning(run):
    return max(float(np.nanmax(np.abs(run.twists(robot)[:, 5]))) for robot in run.robots) if run.robots else None

PLUGINS = {"controllers": {"spin": spin}, "metrics": {"turning": turning}}
"""
SPINNING = """
[WORLD]
file arena
[ROBOT_1]
type single
name robot1
[SIMULATION]
engine kinematic
[CONTROLLER_1]
run spin
robots robot1
"""


@pytest.fixture
def spinning(tmp_path: Path) -> Iterator[Study]:
    """A study whose law and metric are in a loose file, which is gone before the first run."""
    plugin, scenario = tmp_path / "spin.py", tmp_path / "spin.scenario"
    plugin.write_text(PLUGIN)
    scenario.write_text(SPINNING)
    plugins.add(plugin)
    study = plan(scenario, ["simulation.step=0.01,0.02"], StudyOptions(duration=0.2))
    plugin.unlink()
    yield study
    plugins.forget(plugin)


def test_a_law_and_a_metric_of_a_loose_file_reach_other_processes(
    spinning: Study,
    workers: tuple[str, list["subprocess.Popen[bytes]"]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [run_task(spinning.job, task) for task in spinning.tasks]
    assert [row["metrics"]["turning"] > 0.1 for row in rows] == [True, True]
    copies = tmp_path / "copies"
    copies.mkdir()
    with monkeypatch.context() as patched:
        patched.setenv("TMPDIR", str(copies))
        patched.setattr("tempfile.tempdir", str(copies))
        assert numbered(LocalPool(spinning.job, 1, LIMIT).rows(spinning.tasks)) == rows
    assert list(copies.iterdir()) == []  # its processes are killed when there is nothing left to do
    assert numbered(DaskPool(spinning.job, workers[0]).rows(spinning.tasks)) == rows


def test_processes_of_this_machine_that_are_killed_cost_no_row(
    study: Study, expected: list[Row], tmp_path: Path
) -> None:
    before = set(children(os.getpid()))
    with StudyFolder(tmp_path / "out", study.asked, resume=False) as kept:
        rows = rows_of(study, LocalPool(study.job, 2, LIMIT), kept)
        results = [next(rows)]
        kill(set(children(os.getpid())) - before)  # one waits for its next run, one is in the middle of its first
        results += rows
        assert numbered(results) == kept.finish() == expected


def test_forked_processes_that_are_killed_cost_no_row(expected: list[Row]) -> None:
    done = subprocess.run([sys.executable, "-c", KILLER], env=ONE_THREAD, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    assert report["forks"] == [True, True]
    assert numbered(report["rows"]) == json.loads(json.dumps(expected))
    assert report["left"] == []


def test_a_run_that_fails_on_a_cluster_takes_no_other_with_it(
    study: Study, workers: tuple[str, list["subprocess.Popen[bytes]"]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall_over(_job: Job, tasks: Sequence[Task]) -> tuple[list[Row], float]:
        if any(task.number == 9 for task in tasks):
            raise ValueError("it fell over")
        return [{"number": task.number} for task in tasks], 0.001

    monkeypatch.setattr("coopsim.features.studies.cluster._run", fall_over)
    rows = numbered(DaskPool(study.job, workers[0]).rows(study.tasks))
    assert [row["number"] for row in rows] == list(range(12))
    assert [(row["number"], row["error"]) for row in rows if "error" in row] == [(9, "on the cluster: it fell over")]


def test_a_search_has_its_runs_done_by_a_cluster(
    workers: tuple[str, list["subprocess.Popen[bytes]"]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["--set", "wander.speed=0.2:0.4", "--maximise", "path_length_mean", "--trials", "4", "--duration", "0.5"]
    out = tmp_path / "found"
    assert main.run(["search", "single", *wanted, "--cluster", workers[0], "--out", str(out), "--json"]) == 0
    report, rows = json.loads(capsys.readouterr().out), stored_rows(out)
    assert report["trials"] == len(rows) == 4
    best = max(rows, key=lambda row: row["metrics"]["path_length_mean"])
    assert report["values"] == best["values"]


def test_a_worker_of_a_cluster_that_is_killed_costs_no_row(
    study: Study, expected: list[Row], workers: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    address, processes = workers
    rows: Iterator[Row] = DaskPool(study.job, address).rows(study.tasks)
    results = [next(rows)]
    kill([processes[0].pid])
    assert numbered([*results, *rows]) == expected


def test_a_study_that_was_killed_goes_on_with_the_runs_that_are_missing(
    study: Study, expected: list[Row], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", CLIENT, str(out)]
    with subprocess.Popen(command, env=ONE_THREAD, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        done = [int(client.stdout.readline()) for _ in range(3)]
        watched = [os.pidfd_open(child) for child in children(client.pid)]
        client.kill()
    assert len(watched) == 2
    for descriptor in watched:
        assert select.select([descriptor], [], [], LIMIT)[0], "a process that did runs is left over"
        os.close(descriptor)
    assert {row["number"] for row in stored_rows(out)} >= set(done)
    again: list[int] = []
    with StudyFolder(out, study.asked, resume=True) as kept:
        again += [row["number"] for row in rows_of(study, _Here(study), kept)]
        rows = kept.finish()
    assert not set(again) & set(done)
    assert rows == expected
    numbers = [json.loads(line)["number"] for line in (out / "runs.jsonl").read_text().splitlines()]
    assert sorted(numbers) == list(range(12))


class _Here(RunsTasks):
    """Does runs in this process."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield their rows."""
        for task in tasks:
            yield run_task(self._study.job, task)
