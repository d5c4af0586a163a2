"""Worker process that does runs of a study."""

import pickle
import signal
from multiprocessing.connection import Connection

from coopsim.features.studies.job import Job, Task, forget_plugins, load_plugins, run_task


def serve(study: Connection) -> int:
    """Take a job, then tasks, one after the other, until the other end is closed; return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study ends its workers in order
    with study:
        try:
            job: Job = pickle.loads(study.recv_bytes())  # noqa: S301 - from our own process
            load_plugins(job)
            while True:
                study.send(run_task(job, Task(*study.recv())))
        except (EOFError, OSError):
            return 0
        finally:
            forget_plugins()
