"""The end of roscore and roslaunch: asked more than once, since an interrupt can fall where they swallow it."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

_PATIENCE = 20.0
_REQUESTS = 3
"""Requests to end before all is killed: one is lost where a bare `except` of the program happens to stand around it."""
_SESSION = 3
"""The session among the fields of /proc/PID/stat that follow the program's name in brackets."""


def end_launcher(process: subprocess.Popen[str]) -> None:
    """End a launcher of ROS 1 with its nodes, which are groups of its session, and read what they still print."""
    for _ in range(_REQUESTS):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_PATIENCE)
            return
    for number in _processes_of_session(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.communicate(timeout=_PATIENCE)


def _processes_of_session(session: int) -> list[int]:
    numbers = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[_SESSION]) == session:
                numbers.append(int(file.parent.name))
    return numbers
