"""Runs of a study on the cores of this machine: processes that may crash or hang without ending the study."""

import os
import pickle
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait

from coopsim.features.studies.forking import ONE_THREAD, can_fork, forked
from coopsim.features.studies.job import Job, Row, Task, failed, with_copies
from coopsim.interpreter import module_command
from coopsim.launch.forked_process import ForkedProcess

_TRIES = 3  # a run that kills its worker three times is reported, not repeated
_LOOK = 0.5  # s; how late the death of a worker is noticed
PROGRAM = module_command("coopsim.features.studies.worker")


class _RunWorker:
    """A process and the task that it has.

    Args:
        process: It.
        link: Our end of the pipe to it.
        job: What all runs have in common, pickled.
    """

    def __init__(self, process: "subprocess.Popen[bytes] | ForkedProcess", link: Connection, job: bytes) -> None:
        self.process, self.link = process, link
        self.task: Task | None = None
        self.tries = 0
        self._began = 0.0
        self.is_new = True
        with suppress(OSError):  # it has died, which shows when its row is awaited
            link.send_bytes(job)

    def give(self, task: Task, tries: int) -> None:
        """Give it a task."""
        self.task, self.tries, self._began = task, tries, time.monotonic()
        with suppress(OSError):  # it has died, which shows when its row is awaited
            self.link.send((task.number, dict(task.values), task.seed))

    def is_late(self, limit: float, starting: float) -> bool:
        """Return whether its task takes longer than `limit` [s], and `starting` more where it is the first one."""
        return self.task is not None and time.monotonic() - self._began > limit + self.is_new * starting

    def result(self) -> Row | None:
        """Return the row that it sends, None if it has died."""
        try:
            row: Row = self.link.recv()
        except (EOFError, OSError):
            return None
        self.task, self.is_new = None, False
        return row

    def end(self) -> None:
        """End the process, whatever it does."""
        self.link.close()
        self.process.kill()
        self.process.wait()


class LocalPool:
    """Does tasks in several processes; rows come as runs end.

    Processes are forked off this one where it can: then at once, before it starts threads. Others are begun when there
    is something for them to do.

    Args:
        job: What all runs have in common.
        workers: How many processes.
        limit: Real time that a run may take [s].
        program: What a process is; tests start stand-ins.
        starting: Time that a process may take more for its first run, in which it may compile kernels [s].

    Attributes:
        count: How many processes there are at most.
    """

    def __init__(
        self, job: Job, workers: int, limit: float, program: Sequence[str] = PROGRAM, starting: float = 120.0
    ) -> None:
        self._kept = ExitStack()
        self._job = pickle.dumps(self._kept.enter_context(with_copies(job)))
        self.count, self._limit = max(1, workers), limit
        self._program, self._starting = program, starting
        self._workers: list[_RunWorker] = []
        self._again: deque[tuple[Task, int]] = deque()
        while len(self._workers) < self.count and self._can_fork():
            self._begin()

    def rows(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Yield a row for each task; one whose process dies three times, or takes too long, is a row with its error.

        Args:
            tasks: The next one is taken when there is somebody to do it.
        """
        source = iter(tasks)
        try:
            self._assign(source)
            while any(worker.task for worker in self._workers):
                yield from self._finished()
                self._assign(source)
        finally:
            for worker in self._workers:
                worker.end()
            self._workers.clear()
            self._kept.close()

    def _assign(self, source: Iterator[Task]) -> None:
        """Give a task to everybody who has none."""
        while True:
            idle = next((worker for worker in self._workers if worker.task is None), None)
            if idle is None and len(self._workers) >= self.count:
                return
            task, tries = self._again.popleft() if self._again else (next(source, None), 0)
            if task is None:
                return
            if idle is None:
                idle = self._begin()
            idle.give(task, tries)

    def _can_fork(self) -> bool:
        return self._program is PROGRAM and can_fork(worker.link.fileno() for worker in self._workers)

    def _begin(self) -> _RunWorker:
        """Start a process that has no task."""
        can, links = self._can_fork(), [worker.link for worker in self._workers]
        link, theirs = Pipe()
        with theirs:
            process = forked(link, theirs, links) if can else _started(self._program, theirs)
        worker = _RunWorker(process, link, self._job)
        self._workers.append(worker)
        return worker

    def _finished(self) -> Iterator[Row]:
        links = {worker.link: worker for worker in self._workers if worker.task}
        for link in wait(list(links), _LOOK):
            worker = links[link]  # type: ignore[index]  # what came in goes out
            row = worker.result()
            if row is not None:
                yield row
            else:
                yield from self._died(worker)
        for worker in [worker for worker in self._workers if worker.is_late(self._limit, self._starting)]:
            task = self._dismiss(worker)
            yield failed(task, f"did not end within {self._limit:g} s")

    def _died(self, worker: _RunWorker) -> Iterator[Row]:
        tries = worker.tries + 1
        task = self._dismiss(worker)
        if tries < _TRIES:
            self._again.append((task, tries))
        else:
            yield failed(task, f"its process died {tries} times (exit code {worker.process.returncode})")

    def _dismiss(self, worker: _RunWorker) -> Task:
        assert worker.task is not None  # noqa: S101 - only those with a task are asked
        self._workers.remove(worker)
        worker.end()
        return worker.task


def _started(program: Sequence[str], theirs: Connection) -> "subprocess.Popen[bytes]":
    """Start a program that has one end of a pipe and knows its number."""
    number, variables = theirs.fileno(), {**os.environ, **ONE_THREAD}
    # a session of its own: Ctrl-C in the terminal would reach it while it is still being read, as a traceback
    return subprocess.Popen([*program, str(number)], pass_fds=(number,), env=variables, start_new_session=True)
