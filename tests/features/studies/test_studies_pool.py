"""Processes that crash or hang are rows; the study goes on."""

import os
import sys
from pathlib import Path

from coopsim.features.studies.job import Task
from coopsim.features.studies.pool import LocalPool
from coopsim.features.studies.trial import ScenarioJob
from coopsim.robots import RunSpec
from coopsim.scene import Scenario

STAND_IN = """
import os, sys, time
from multiprocessing.connection import Connection
study = Connection(int(sys.argv[-1]))
study.recv_bytes()
while True:
    number, values, seed = study.recv()
    mark = sys.argv[1] + "/" + str(number)
    if values["do"] == "crash" or (values["do"] == "crash once" and not os.path.exists(mark)):
        open(mark, "w").close()
        os._exit(7)
    while values["do"] == "hang":
        time.sleep(60)
    study.send({"number": number, "pid": os.getpid(), "session": os.getsid(0)})
"""


def test_rows_come_of_all_runs_whatever_becomes_of_their_processes(tmp_path: Path) -> None:
    program = (sys.executable, "-S", "-c", STAND_IN, str(tmp_path))
    pool = LocalPool(ScenarioJob(RunSpec(Scenario()), 1.0), 2, 1.0, program, starting=5.0)
    kinds = ["ok", "crash once", "crash", "hang", "ok", "ok", "ok"]
    rows = {row["number"]: row for row in pool.rows([Task(n, {"do": kind}, 0) for n, kind in enumerate(kinds)])}
    assert sorted(rows) == list(range(len(kinds)))
    assert {2, 3} == {number for number, row in rows.items() if "error" in row}
    assert rows[2]["error"] == "its process died 3 times (exit code 7)"
    assert rows[3]["error"] == "did not end within 1 s"
    assert len({row["pid"] for row in rows.values() if "pid" in row}) < len(kinds)
    assert os.getsid(0) not in {row.get("session") for row in rows.values()}, "Ctrl-C reaches none of them"
