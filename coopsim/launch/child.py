"""Process of a run, as its launcher sees it."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from coopsim.launch.fork_server import ForkServer
from coopsim.launch.forked_process import ForkedProcess
from coopsim.transport.last_words import VARIABLE, LastWords

_PR_SET_PDEATHSIG = 1  # from linux/prctl.h; Python has no name for it
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class Child:
    """A process in a session of its own, so that Ctrl-C reaches the launcher alone.

    Args:
        name: How people know it: "physics process", "controller formation".
        command: Program and arguments.
        pass_fds: Descriptors it inherits.
        environment: Variables on top of the launcher's.
        captured: Whether stdout and stderr are pipes that the launcher reads; else both go to the launcher's stderr,
            and the exception that ends the process is kept (`transport.last_words`).
        is_mortal: Whether the system ends it when the launcher dies; our own processes see that, and end in order.
        server: Forks one of our own, where it can; None = it begins from nothing.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        pass_fds: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
        captured: bool = False,
        is_mortal: bool = False,
        server: ForkServer | None = None,
    ) -> None:
        self.name = name
        self._last_words = None if captured else LastWords()
        kept = {} if self._last_words is None else {VARIABLE: str(self._last_words.descriptor)}
        descriptors, variables = (*pass_fds, *map(int, kept.values())), {**kept, **(environment or {})}
        self.process: subprocess.Popen[bytes] | ForkedProcess
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(self._words)
            if server is not None and server.knows(command):
                with contextlib.suppress(OSError):  # it is gone
                    self.process = ForkedProcess(server.fork(command, descriptors, variables))
                    on_failure.pop_all()
                    return
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if captured else 2,
                stderr=subprocess.PIPE if captured else None,
                pass_fds=descriptors,
                env={**os.environ, **variables},
                start_new_session=True,
                preexec_fn=partial(_end_with, os.getpid()) if is_mortal else None,  # noqa: PLW1509 - no threads here
            )
            on_failure.pop_all()

    @property
    def ended(self) -> bool:
        """Whether the process is over."""
        return self.process.poll() is not None

    @property
    def code(self) -> int:
        """Its exit code, minus the signal that killed it; 0 while it runs."""
        return self.process.poll() or 0

    @property
    def ending(self) -> str:
        """End of the process, for people, and its last words."""
        if self.code >= 0:
            words = self._words()
            return f"ended with exit code {self.code}" + f":\n  {words}" * bool(words)
        try:
            return f"was killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was killed by signal {-self.code}"

    def wait(self, seconds: float) -> None:
        """Wait for its end, up to a time limit [s]."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def terminate(self) -> None:
        """Ask it, and what it started, to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it, and what it started, at once."""
        self._signal(signal.SIGKILL)

    def reap(self) -> None:
        """Make sure that nothing of it runs any more; its pipes can still be read until `close`."""
        self.kill()
        self.process.wait()
        self._words()

    def close(self) -> None:
        """Close its pipes."""
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def _words(self) -> str:
        """Return what it left when it ended; the memory for that is given back."""
        return "" if self._last_words is None else self._last_words.read()

    def _signal(self, number: int) -> None:
        # its session outlives it while something it started runs, and the number is not reused before that
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def _end_with(parent: int) -> None:
    """Ask the system to end the calling process when its parent dies (Linux)."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
        if os.getppid() != parent:  # it was faster
            os.kill(os.getpid(), signal.SIGTERM)
