"""A command of ours as a process of its own, whose lines are waited for, never slept for."""

import os
import queue
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any, Self

LIMIT = 15.0


class PrintingProcess:
    """`coopsim ...` until the block ends.

    Attributes:
        lines: What it printed so far.
    """

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "coopsim", *arguments]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)
        self.lines: list[str] = []
        self._coming: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(LIMIT)
        self._reader.join(LIMIT)

    def wait_for(self, text: str) -> str:
        """Return the next line that has a text in it."""
        while (line := self._coming.get(timeout=LIMIT)) is not None:
            if text in line:
                return line
        raise AssertionError(f"no line has {text!r}; there are {self.lines}")

    def line(self, text: str) -> str:
        """Return the first line that has a text in it, as soon as there is one."""
        return next((line for line in self.lines if text in line), None) or self.wait_for(text)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip())
                self._coming.put(line.rstrip())
        self._coming.put(None)
