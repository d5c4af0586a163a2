"""What can be wrong with a cluster is told before the first run."""

import socket
from pathlib import Path

import pytest
from studies_scenes import scene

from coopsim.errors import BadArgument
from coopsim.features.studies.cluster import DaskPool
from coopsim.features.studies.study import StudyOptions, plan


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.features.studies.cluster._PATIENCE", 0.2)
    study = plan(scene(tmp_path), [], StudyOptions())
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
    with pytest.raises(BadArgument, match="no scheduler of Dask answers"):
        DaskPool(study.job, f"tcp://127.0.0.1:{port}")


def test_the_last_orders_are_small_so_that_all_workers_end_together() -> None:
    left, orders = 200, list[int]()
    while left:
        orders.append(DaskPool._share(20, left, 2))
        left -= orders[-1]
    assert orders[:6] == [20] * 6
    assert orders[-5:] == [1] * 5
    assert orders == sorted(orders, reverse=True)
    assert DaskPool._share(20, 0, 2) == 20  # how many there are is not known
