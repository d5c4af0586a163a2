"""The process that does runs, and samples of ranges."""

import os
import pickle
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path

import pytest

from coopsim import plugins
from coopsim.errors import BadArgument
from coopsim.features.studies.axes import Axis, combinations, in_text, read_axis, sampled
from coopsim.features.studies.job import Job, Row, Task, begun_row
from coopsim.features.studies.serving import serve


@dataclass(frozen=True, kw_only=True)
class Squaring(Job):
    """Squares a number; what is none fails."""

    def run(self, task: Task) -> Row:
        return {**begun_row(task), "success": True, "metrics": {"square": float(task.values["x.n"]) ** 2}}


@pytest.fixture(autouse=True)
def _keep_the_handler() -> object:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def served(job: Job, *tasks: Task) -> list[Row]:
    """Return the rows that a worker sends for tasks; they wait in the pipe until it begins."""
    ours, theirs = Pipe()
    ours.send_bytes(pickle.dumps(job))
    for task in tasks:
        ours.send((task.number, task.values, task.seed))
    with socket.socket(fileno=os.dup(ours.fileno())) as end:
        end.shutdown(socket.SHUT_WR)  # no more tasks come, and rows can still be read
    assert serve(theirs) == 0
    return [ours.recv() for _ in tasks]


def test_a_worker_answers_each_task_by_a_row_and_goes_on_after_a_failure() -> None:
    rows = served(Squaring(), Task(4, {"x.n": "3"}, 1), Task(5, {"x.n": "three"}, 1), Task(6, {"x.n": "5"}, 2))
    assert [row["number"] for row in rows] == [4, 5, 6]
    assert [row["metrics"].get("square") for row in rows] == [9.0, None, 25.0]
    assert "could not convert string to float: 'three'" in rows[1]["error"]
    assert f"{Path(__file__).name}:" in rows[1]["error"]


def test_a_worker_whose_study_is_gone_ends_in_order_and_forgets_its_plugins(tmp_path: Path) -> None:
    text = b"def nothing(arguments):\n    return 0\n\nPLUGINS = {'controllers': {'of_the_study': nothing}}\n"
    ours, theirs = Pipe()
    ours.send_bytes(pickle.dumps(Squaring(plugins=((str(tmp_path / "gone.py"), text),))))
    ours.close()
    assert serve(theirs) == 0
    assert theirs.closed
    assert "of_the_study" not in plugins.registered("controllers")
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN, "Ctrl-C is the study's business"


def test_a_worker_is_a_program_that_gets_its_end_of_the_pipe_by_number() -> None:
    ours, theirs = Pipe()
    command = [sys.executable, "-P", "-m", "coopsim.features.studies.worker", str(theirs.fileno())]
    worker = subprocess.Popen(
        command, pass_fds=[theirs.fileno()], env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    )
    theirs.close()
    ours.send_bytes(pickle.dumps(Squaring()))
    ours.send((0, {"x.n": "7"}, 3))
    assert ours.poll(60.0)
    row = ours.recv()
    assert (row["metrics"], row["seed"]) == ({"square": 49.0}, 3)
    ours.close()
    assert worker.wait(60.0) == 0


def test_samples_meet_each_part_of_every_range_once_and_each_value_of_a_list_equally_often() -> None:
    axes = [read_axis("a.b=0:10"), read_axis("a.c=x,y"), Axis("a.d", ("1", "2", "3", "4"))]
    rows = sampled(axes, 8, seed=3)
    parts = sorted(int(float(row["a.b"]) / 1.25) for row in rows)
    assert parts == list(range(8))
    assert sorted(row["a.c"] for row in rows) == ["x"] * 4 + ["y"] * 4
    assert sorted(row["a.d"] for row in rows) == sorted("1234" * 2)
    assert rows == sampled(axes, 8, seed=3) != sampled(axes, 8, seed=4)


@pytest.mark.parametrize("values", ["0:1:0.1", "0.6:1.4:0.2", "-1:1:0.5", "0:1e-3:1e-4"])
def test_a_range_ends_where_it_says_although_its_step_is_rounded(values: str) -> None:
    low, high, step = map(float, values.split(":"))
    axis = read_axis(f"a.b={values}")
    assert (axis.values[0], axis.values[-1]) == (in_text(low), in_text(high))
    assert len(axis.values) == round((high - low) / step) + 1
    assert axis.span == (low, high)


def test_a_range_of_too_many_values_and_one_without_a_step_are_refused() -> None:
    assert len(read_axis("a.b=0:1:1e-5").values) == 100_001
    with pytest.raises(BadArgument, match="at most 100000 values"):
        read_axis("a.b=0:1:9e-6")
    with pytest.raises(BadArgument, match="has no step; add one, or --sample N"):
        combinations([read_axis("a.b=0:2")])
