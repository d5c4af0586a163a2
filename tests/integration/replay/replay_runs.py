"""`coopsim replay` and `coopsim run` as a shell starts them, watched with deadlines."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

DEADLINE = 90.0
COOPSIM = (sys.executable, "-u", "-m", "coopsim")


def coopsim(*arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    return subprocess.run(
        [*COOPSIM, *arguments], capture_output=True, text=True, timeout=DEADLINE, cwd=cwd, check=False
    )


class Running:
    """A command that serves until it is stopped."""

    def __init__(self, *arguments: str, cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            [*COOPSIM, *arguments, "--port", "0"],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout is not None
        self._pipe = self.process.stdout
        self.printed = ""
        self._deadline = time.monotonic() + DEADLINE

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.end()
        self._pipe.close()

    def until(self, pattern: str) -> re.Match[str]:
        """Read until what was printed matches."""
        while (match := re.search(pattern, self.printed)) is None:
            assert self._read(), f"{pattern!r} never came:\n{self.printed}"
        return match

    @property
    def endpoint(self) -> str:
        """Where it answers ZeroMQ, as soon as it does."""
        return self.until(r"answering on (tcp://\S+)")[1]

    @property
    def plain(self) -> str:
        """Where it answers plain TCP, as soon as it does."""
        return "tcp+plain://" + self.until(r"and (\S+) .plain TCP")[1]

    def child(self, module: str) -> int:
        """Return the process id of the child that runs `module`."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        (child_pid,) = [int(child) for child in children if module in Path(f"/proc/{child}/cmdline").read_text()]
        return child_pid

    def end(self) -> int:
        """Read to the end and return the exit code."""
        while self._read():
            pass
        return self.process.wait(DEADLINE)

    def interrupt(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    @property
    def rings(self) -> list[str]:
        """Names of its shared memory."""
        return [name for name in os.listdir("/dev/shm") if name.startswith(f"coopsim-{self.process.pid}-")]

    def _read(self) -> bool:
        left = max(0.0, self._deadline - time.monotonic())
        assert select.select([self._pipe], [], [], left)[0], f"nothing happened for too long:\n{self.printed}"
        raw = os.read(self._pipe.fileno(), 65536)
        self.printed += raw.decode()
        return bool(raw)
