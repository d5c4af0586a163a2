"""Runs of a study on a cluster of Dask: workers need the wheel of coopsim alone, scenario and plugins travel."""

import importlib
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import length_hint
from typing import Any

from coopsim.errors import BadArgument, NoSuchPlugin, RunError
from coopsim.features.studies.job import Job, Row, Task, failed, load_plugins, run_task
from coopsim.interpreter import extra_command

_PATIENCE = 10
"""Time limit for the first answer of a scheduler [s]."""
_RETRIES = 3  # a worker may be lost; a job that loses three is to blame itself
_TOGETHER = 0.3
"""Short runs go to a worker together, as many as take so long: each order costs some milliseconds [s]."""
_MOST_TOGETHER = 20  # runs in a task; what a lost worker costs at most
_SHARES = 2
"""Into so many orders for each worker go the runs that are left, so that all end at about the same time."""
_ALONE = threading.Lock()


class DaskPool:
    """Does tasks on a cluster; those of a worker that dies are done by another one.

    Args:
        job: What all runs have in common.
        address: Of the scheduler, `tcp://host:8786`.
        ahead: How many runs each thread of a worker is given at once; 1 where runs teach which come next.

    Raises:
        BadArgument: No scheduler answers there, or the scenario has commands, which stay on this machine.
        NoSuchPlugin: The package is not installed.
    """

    def __init__(self, job: Job, address: str, ahead: int = 3) -> None:
        if job.has_commands:
            raise BadArgument("controllers that are commands run on this machine alone; leave out --cluster")
        self._job, self._ahead, self._client = job, ahead, _connected(address)

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield a row for each task.

        Args:
            tasks: The next one is taken when there is a worker for it.

        Raises:
            RunError: The scheduler is gone.
        """
        source, size = iter(tasks), 1
        left = length_hint(tasks)
        with self._client as client:
            threads = max(1, sum(client.ncores().values()))
            job = client.scatter(self._job, broadcast=True)
            given: dict[str, tuple[Task, ...]] = {}
            running = _distributed().as_completed(with_results=True, raise_errors=False)

            def give(chunk: tuple[Task, ...]) -> None:
                nonlocal left
                if chunk:
                    left -= len(chunk)
                    future = client.submit(_run, job, chunk, retries=_RETRIES, pure=False)
                    given[future.key] = chunk
                    running.add(future)

            for _ in range(self._ahead * threads):
                give(tuple(islice(source, 1)))
            for future, row in running:
                if client.status != "running" or future.cancelled():
                    raise RunError("the scheduler of Dask is gone; rows so far are kept, and --resume does the others")
                chunk = given.pop(future.key)
                if future.status == "finished":
                    rows, seconds = row
                    size = self._size(seconds / len(rows))
                    yield from rows
                elif len(chunk) == 1:
                    yield failed(chunk[0], f"on the cluster: {future.exception()}")
                else:  # one of them ends its workers: the others are done without it
                    for task in chunk:
                        give((task,))
                give(tuple(islice(source, self._share(size, left, threads))))

    @staticmethod
    def _share(size: int, left: int, threads: int) -> int:
        """Return how many runs go together where so many are left: at the end nobody waits long for the last worker."""
        return max(1, min(size, left // (_SHARES * threads))) if left > 0 else size

    def _size(self, seconds: float) -> int:
        """Return how many runs go together that take so long each."""
        return 1 if self._ahead == 1 else max(1, min(_MOST_TOGETHER, int(_TOGETHER / max(seconds, 1e-3))))


def _run(job: Job, tasks: Sequence[Task]) -> tuple[list[Row], float]:
    """Do runs in a thread of a worker, one at a time: control laws print, and what they say belongs to their run.

    Returns:
        Their rows, and how long they took [s]: what they computed, so that a busy machine does not make them long.
    """
    clock = time.perf_counter if job.keeps_pace else time.process_time
    with _ALONE:
        began = clock()
        load_plugins(job)
        return [run_task(job, task) for task in tasks], clock() - began


def _connected(address: str) -> Any:
    distributed = _distributed()
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a worker that dies is no news: its runs are redone
    try:
        return distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as problem:
        text = f"no scheduler of Dask answers at {address}: {problem}"
        raise BadArgument(text).advise("`dask scheduler` starts one, `dask worker ADDRESS` a worker of it.") from None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        text = "--cluster needs the package distributed"
        raise NoSuchPlugin(text).advise(extra_command("studies")) from None
