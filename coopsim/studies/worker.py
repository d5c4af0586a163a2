"""A process that does runs of a study, one after the other: `python -m coopsim.studies.worker DESCRIPTOR`."""

import os
import pickle
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

from coopsim.studies.job import AnyJob, Task, forget_plugins, load_plugins
from coopsim.studies.trial import run_task


def main(arguments: Sequence[str]) -> int:
    """Take a job, then tasks, until the other end is closed; return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study ends its workers in order
    with Connection(int(arguments[0])) as study:
        try:
            job: AnyJob = pickle.loads(study.recv_bytes())  # noqa: S301 - from our own process
            load_plugins(job)
            while True:
                study.send(run_task(job, Task(*study.recv())))
        except (EOFError, OSError):
            return 0
        finally:
            forget_plugins()


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # threads of a control law may still wait
