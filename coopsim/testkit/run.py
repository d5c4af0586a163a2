"""A simulation as a user starts it, for tests and benchmarks that look at it from outside."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.errors import NoReply, NoSuchName
from coopsim.interpreter import module_command

_READY = re.compile(r"answering on (tcp://\S+) \(ZeroMQ\) and (\S+) \(plain TCP\)")
_BEGINNING, _SECONDS = 630.0, 120.0  # s; a run that has to compile kernels gives up by itself after 600


class Run:
    """`coopsim run` on free ports; a context manager that stops it in the end.

    Args:
        scenario: Name or path of a scenario, or the text of one.
        options: More options of `coopsim run`, such as `--no-controllers`.
        within: Words put before the command, such as `("ip", "netns", "exec", "left")`.
        command: `run`, or `replay` to show a recording.
        folder: Where it is started; None = here.

    Attributes:
        endpoint: Where it answers ZeroMQ.
        plain: Where it answers plain TCP.
    """

    def __init__(
        self,
        scenario: str,
        *options: str,
        within: Iterable[str] = (),
        command: str = "run",
        folder: Path | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="coopsim-run-")
        if "\n" in scenario:
            file = Path(self._folder.name) / "given.scenario"
            file.write_text(scenario, encoding="utf-8")
            scenario = str(file)
        coopsim = module_command("coopsim", command, scenario, "--no-gui", "--port", "0", is_unbuffered=True)
        self._command = [*within, *coopsim, *options]
        self._place = folder
        self._lines: list[str] = []
        self._spoke = threading.Event()
        self.endpoint = self.plain = ""

    def __enter__(self) -> Self:
        """Start, and return when it answers.

        Raises:
            NoReply: It ended, or did not answer in time; the text is what it printed.
        """
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self._place,
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        self._spoke.wait(_BEGINNING)
        if not self.endpoint:
            self.stop()
            raise NoReply(f"the simulation does not answer; it printed:\n{self.printed}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def printed(self) -> str:
        """Text printed so far."""
        return "".join(self._lines)

    @property
    def is_alive(self) -> bool:
        """Whether the run goes on."""
        return self._process.poll() is None

    @property
    def summary(self) -> dict[str, Any]:
        """Result that the run prints in the end with `--json`."""
        return dict(json.loads(self._lines[-1]))

    @property
    def launcher(self) -> int:
        """Process id of the launcher."""
        return self._process.pid

    @property
    def host(self) -> int:
        """Process id of the process that clients talk to."""
        return self._child("host_process")

    @property
    def physics(self) -> int:
        """Process id of the process that moves bodies."""
        return self._child("physics_process")

    @property
    def recorder(self) -> int:
        """Process id of the process that writes the recording."""
        return self._child("recorder_process")

    @property
    def cameras(self) -> int:
        """Process id of the process that draws what cameras see."""
        return self._child("cameras.process")

    @property
    def ring(self) -> Path:
        """The shared memory that its records are written to."""
        rings = [*Path("/dev/shm").glob(f"coopsim-{self.launcher}-*.ring")]  # noqa: S108 - where rings live on Linux
        if not rings:
            raise NoSuchName(f"the run of process {self.launcher} has no shared memory in /dev/shm")
        return rings[0]

    def stop(self) -> int:
        """Press Ctrl-C, once, and return the exit code.

        Raises:
            NoReply: It does not stop; it was killed.
        """
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self) -> int:
        """Wait until it ends by itself and return the exit code.

        Raises:
            NoReply: It does not; it was killed.
        """
        try:
            code = self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise NoReply(f"the simulation does not stop; it printed:\n{self.printed}") from None
        self._reader.join(_SECONDS)
        self._folder.cleanup()
        return code

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        with self._process.stdout as lines:
            for line in lines:
                self._lines.append(line)
                if match := _READY.search(line):
                    self.endpoint, self.plain = match[1], f"tcp+plain://{match[2]}"
                    self._spoke.set()
        self._spoke.set()

    def _child(self, module: str) -> int:
        for pid in children(self.launcher):
            if module in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"):
                return pid
        raise NoSuchName(f"the run of process {self.launcher} has no {module.replace('_', ' ')}")


def children(pid: int) -> list[int]:
    """Return the process ids of the children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


def memory_of(pid: int) -> float:
    """Return how much memory a process holds for itself [MB]; shared memory, such as the ring of a run, not counted."""
    _, resident, shared, *_rest = map(int, Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split())
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 1e6


def descriptors_of(pid: int) -> int:
    """Return how many files and sockets a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))
