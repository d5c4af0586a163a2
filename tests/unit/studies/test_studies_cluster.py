"""What can be wrong with a cluster is told before the first run."""

import socket
from pathlib import Path

import pytest
from studies_scenes import scene

from coopsim.errors import BadArgument
from coopsim.studies.cluster import DaskPool
from coopsim.studies.study import StudyOptions, plan


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.studies.cluster._PATIENCE", 0.2)
    study = plan(scene(tmp_path), [], StudyOptions())
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
    with pytest.raises(BadArgument, match="no scheduler of Dask answers"):
        DaskPool(study.job, f"tcp://127.0.0.1:{port}")
