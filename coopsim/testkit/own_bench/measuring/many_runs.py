"""Studies of many runs, timed."""

import importlib
import json
import logging
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.features.studies.cluster import DaskPool
from coopsim.features.studies.job import Jitter, Task
from coopsim.features.studies.pool import LocalPool
from coopsim.features.studies.report import report_page
from coopsim.features.studies.results import ROWS, StudyFolder, stored_rows
from coopsim.features.studies.study import StudyOptions, plan, rows_of
from coopsim.features.studies.table import read_study
from coopsim.interpreter import module_command

SPIN = 0.02
"""Time that a run of the stand-in takes [s]."""
_SECONDS = 28.0  # simulated; long enough that starting counts little
_TURNS = 5  # the median of five
_SPINNING = """
import sys, time
from multiprocessing.connection import Connection
study = Connection(int(sys.argv[-1]))
study.recv_bytes()
row = {name: float(len(name)) for name in sys.argv[2:-1]}
while True:
    number, values, seed = study.recv()
    until = time.perf_counter() + float(sys.argv[1])
    while time.perf_counter() < until:
        pass
    study.send({"number": number, "values": values, "seed": seed, "success": True, "goals": [], "metrics": row})
"""


@dataclass(frozen=True)
class SpeedFound:
    """Time that a study took [s], and simulated time in real time."""

    seconds: float
    speed: float


@dataclass(frozen=True)
class PageFound:
    """Time that a page took [s], and its size [MB]."""

    seconds: float
    megabytes: float


def formations(out: Path, runs: int) -> SpeedFound:
    """Return how fast `coopsim trial formation` is in two processes, from the start of the command to its end."""
    options = ["--jitter", "0.1", "--duration", str(_SECONDS), "--workers", "2", "--out", str(out)]
    began = time.perf_counter()
    command = module_command("coopsim", "trial", "formation", "--seeds", str(runs), *options)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # 1 = a goal was missed
    seconds = time.perf_counter() - began
    rows = stored_rows(out)
    simulated = sum(row["metrics"]["time"] for row in rows)
    return SpeedFound(round(seconds, 2), simulated / seconds)


def overhead_of_a_run(out: Path, runs: int) -> float:
    """Return what the runner adds to a run that takes `SPIN` [s]: its task, its row, its line in a file."""
    study = plan("single", [], StudyOptions(seeds=tuple(range(runs)), duration=1.0))
    program = (sys.executable, "-S", "-c", _SPINNING, str(SPIN), *study.metrics)
    with StudyFolder(out, study.asked, resume=False) as kept:
        return _time_of_a_run(rows_of(study, LocalPool(study.job, 1, 60.0, program), kept), runs) - SPIN


def cluster_against_pool(runs: int) -> float:
    """Return how fast two processes of Dask do runs, those of the local pool being 1: the median of some turns.

    Half as many runs come before, in which the processes of both begin and become warm, one later than the other.
    """
    before = runs // 2
    seeds = tuple(range(before + runs))
    study = plan("formation", [], StudyOptions(seeds=seeds, jitter=Jitter(0.1), duration=1.0))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "protocol": "tcp"}
    logging.disable(logging.WARNING)  # of the scheduler
    ratios = []
    with importlib.import_module("distributed").LocalCluster(**options) as started:
        for _ in range(_TURNS):
            pools = LocalPool(study.job, 2, 60.0), DaskPool(study.job, started.scheduler_address)
            time_local, time_far = (_time_of_a_run(pool.rows(study.tasks), len(seeds), before) for pool in pools)
            ratios.append(time_local / time_far)
    return statistics.median(ratios)


def page_of(folder: Path, count: int) -> PageFound:
    """Return how long it takes to read a study of so many rows and to make its page."""
    _write_study(folder, count)
    began = time.perf_counter()
    page = report_page(read_study(folder), folder)
    return PageFound(time.perf_counter() - began, len(page.encode()) / 1e6)


def _time_of_a_run(rows: Iterator[Any], runs: int, before: int | None = None) -> float:
    """Return the time between two rows, once there are some [s]; by then all processes have begun."""
    first = runs // 10 + 1 if before is None else max(1, before)
    began = 0.0
    for number, _ in enumerate(rows, 1):
        if number == first:
            began = time.perf_counter()
    return (time.perf_counter() - began) / (runs - first)


def _write_study(folder: Path, count: int) -> None:
    """Write rows as those of `formation` over two parameters."""
    study = plan("formation", [], StudyOptions(duration=1.0))
    chance, spacings, noises = np.random.default_rng(0), (0.6, 0.8, 1.0, 1.2), (0.0, 0.05, 0.1)
    folder.mkdir()
    with (folder / ROWS).open("w", encoding="utf-8") as file:
        for number in range(count):
            spacing, noise = spacings[number % 4], noises[number // 4 % 3]
            values = {"formation.spacing": str(spacing), "all.sonars.noise": str(noise)}
            task = Task(number, values, number // 12)
            measured = dict(zip(study.metrics, chance.normal(spacing, 0.1 + noise, len(study.metrics)), strict=True))
            ends = {
                "success": bool(number % 9),
                "goals": [],
                "metrics": measured,
                "ticks": 2800,
                "state_hash": "0" * 32,
            }
            file.write(json.dumps({**vars(task), **ends}) + "\n")
