"""Processes for runs that are forked off this one, which has read everything that they need."""

import fcntl
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from coopsim.features.studies.serving import serve

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables of a process that does runs: others compute beside it."""
_STANDARD = 3


def can_fork(ours: Iterable[int]) -> bool:
    """Return whether a fork of this process would share nothing with it but memory.

    Other threads would be missing in it, and what they hold would stay locked; files that this process opened would
    have one position for both. Only Linux tells.

    Args:
        ours: Descriptors of files that the fork closes.
    """
    system = Path("/proc/self")
    if not sys.platform.startswith("linux") or not system.is_dir() or len(os.listdir(system / "task")) > 1:
        return False
    numbers = {int(name) for name in os.listdir(system / "fd")} - set(ours)
    return not any(_was_opened_here(number) for number in numbers if number >= _STANDARD)


def _was_opened_here(number: int) -> bool:
    """Return whether a file would be closed in a program that this process begins: what it got at its start is not."""
    try:
        return bool(fcntl.fcntl(number, fcntl.F_GETFD) & fcntl.FD_CLOEXEC)
    except OSError:  # of the list itself
        return False


class ForkedProcess:
    """A fork of this process that does runs, used as `subprocess.Popen`.

    Args:
        link: The study's end of a pipe, which the fork closes.
        theirs: The other end.
        others: The study's ends of pipes to other processes, which it closes too: they would hear of no end.

    Attributes:
        returncode: The exit code once it has ended and was waited for; negative = the signal that ended it.
    """

    def __init__(self, link: Connection, theirs: Connection, others: Iterable[Connection]) -> None:
        self.returncode: int | None = None
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # it would be written by both
        self._pid = os.fork()
        if self._pid == 0:
            _do_runs(theirs, (link, *others))

    def kill(self) -> None:
        """End it, whatever it does."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int | None:
        """Wait for its end and return its exit code; None where somebody else took that."""
        if self.returncode is None:
            with suppress(ChildProcessError):
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self.returncode


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
