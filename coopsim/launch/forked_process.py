"""A fork of this process, or of a server of forks, as `subprocess` has its processes."""

import os
import signal
import subprocess
import time
from contextlib import suppress

_LONGEST_NAP = 0.05  # s, between two looks at whether a process has ended, as `subprocess` has it


class ForkedProcess:
    """A child of this process, used as `subprocess.Popen`.

    Args:
        pid: Its process id.

    Attributes:
        returncode: The exit code once it has ended and was waited for; negative = the signal that ended it.
    """

    stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        return self._reap(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end and return its exit code; None where somebody else read that.

        Raises:
            TimeoutExpired: It runs on after so many seconds.
        """
        if timeout is None:
            return self._reap(0)
        deadline, nap = time.monotonic() + timeout, 0.0005
        while self._reap(os.WNOHANG) is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            time.sleep(nap)
            nap = min(2.0 * nap, _LONGEST_NAP)
        return self.returncode

    def kill(self) -> None:
        """End it, whatever it does."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _reap(self, how: int) -> int | None:
        if self.returncode is None:
            with suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, how)
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode
