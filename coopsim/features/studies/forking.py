"""Processes for runs that are forked off this one, which has read everything that they need."""

import fcntl
import os
import signal
import sys
from collections.abc import Iterable
from multiprocessing.connection import Connection

import numpy as np

from coopsim.features.studies.serving import serve
from coopsim.launch.fork_server import is_single_threaded
from coopsim.launch.forked_process import ForkedProcess

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables of a process that does runs: others compute beside it."""
_STANDARD = 3  # input, output and errors are every process's own


def can_fork(ours: Iterable[int]) -> bool:
    """Return whether a fork of this process would share nothing with it but memory.

    Other threads would be missing in it, and what they hold would stay locked; files that this process opened would
    have one position for both. Only Linux tells.

    Args:
        ours: Descriptors of files that the fork closes.
    """
    if not is_single_threaded():
        return False
    numbers = {int(name) for name in os.listdir("/proc/self/fd")} - set(ours)
    return not any(_was_opened_here(number) for number in numbers if number >= _STANDARD)


def _was_opened_here(number: int) -> bool:
    """Return whether a file would be closed in a program that this process begins: what it got at its start is not."""
    try:
        return bool(fcntl.fcntl(number, fcntl.F_GETFD) & fcntl.FD_CLOEXEC)
    except OSError:  # of the list itself
        return False


def forked(link: Connection, theirs: Connection, others: Iterable[Connection]) -> ForkedProcess:
    """Return a fork of this process that does runs.

    Args:
        link: The study's end of a pipe, which the fork closes.
        theirs: The other end.
        others: The study's ends of pipes to other processes, which it closes too: they would hear of no end.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # it would be written by both
    pid = os.fork()
    if pid == 0:
        _do_runs(theirs, (link, *others))
    return ForkedProcess(pid)


def _do_runs(study: Connection, others: Iterable[Connection]) -> None:
    """Do runs until the study ends; the process ends here, without what the study's own would do at its end."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for link in others:
            link.close()
        os.environ.update(ONE_THREAD)
        np.random.seed()  # noqa: NPY002 - Python's own begin anew in a fork, those of numpy would be the same in all
        code = serve(study)
        sys.stdout.flush()
    except BaseException:  # as a program of its own would end
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)
