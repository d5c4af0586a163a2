"""A study on a cluster of Dask gives the same rows."""

import socket
from pathlib import Path

import pytest
from studies_scenes import scene

from coopsim.errors import BadArgument
from coopsim.studies.cluster import DaskPool
from coopsim.studies.study import StudyOptions, plan
from coopsim.studies.trial import run_task


@pytest.mark.filterwarnings("ignore")
def test_rows_of_a_cluster_are_those_of_this_process(tmp_path: Path) -> None:
    from distributed import LocalCluster

    study = plan(scene(tmp_path), ["wander.speed=0.2,0.3"], StudyOptions(seeds=(0, 1)))
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(protocol="tcp", **options) as cluster:
        rows = list(DaskPool(study.job, cluster.scheduler_address).rows(study.tasks))
    assert sorted(rows, key=lambda row: row["number"]) == [run_task(study.job, task) for task in study.tasks]


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.studies.cluster._PATIENCE", 0.2)
    study = plan(scene(tmp_path), [], StudyOptions())
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
    with pytest.raises(BadArgument, match="no scheduler of Dask answers"):
        DaskPool(study.job, f"tcp://127.0.0.1:{port}")
