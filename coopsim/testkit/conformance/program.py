"""A client's `conformance` program: it gets a line, does what it says, and answers with one line."""

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

UNSUPPORTED, SILENT = "unsupported", "silent"
_PATIENCE = 60.0  # s; MATLAB and Julia take their time to begin


class NotConformant(Exception):
    """The program did not do what the protocol says; the text tells what was expected and what came."""


class ProgramEnded(Exception):
    """The program has ended, or answers nothing; the text is what it said last."""


class NotSupported(Exception):
    """The program declared that it cannot do that."""


class ClientProgram:
    """A running program under examination; a context manager that ends it.

    Args:
        command: Words that start it.
        folder: Where it is started; None = here.
        environment: Of the program; None = ours.

    Attributes:
        pid: Of its process.
        slowest: Most seconds that an answer took since somebody set this to 0; a time-out is taken off `silent`.
    """

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )
        self.pid = self._process.pid
        self.slowest = 0.0
        self._unheard = 0
        self._told = self._timeout = self._limit = 0.0
        self._lines: queue.SimpleQueue[tuple[str, float]] = queue.SimpleQueue()
        self._errors: list[str] = []
        self._threads = [
            threading.Thread(target=listener, daemon=True) for listener in (self._listen, self._listen_to_errors)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, *words: str) -> None:
        """Send it a line."""
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        if words[0] in {"connect", "tls"}:
            self._timeout = float(words[2])
        self._limit = float(words[1]) if words[0] == "within" else self._timeout
        self._told = time.monotonic()
        try:
            self._process.stdin.write("\t".join(words) + "\n")
            self._process.stdin.flush()
            self._unheard += 1
        except BrokenPipeError:
            self._threads[1].join(1.0)
            raise ProgramEnded(f"the program has ended; it said:\n{''.join(self._errors)}") from None

    def heard(self) -> list[str]:
        """Return the words of its answer.

        Raises:
            NotSupported: It says so.
            ProgramEnded: It ended, or answers nothing for a minute.
        """
        try:
            line, arrived = self._lines.get(timeout=_PATIENCE)
        except queue.Empty:
            raise ProgramEnded(f"the program printed nothing for {_PATIENCE:.0f} s") from None
        if not line:
            self._lines.put(("", arrived))
            raise ProgramEnded(f"the program has ended; it said:\n{''.join(self._errors)}")
        self._unheard -= 1
        words = line.rstrip("\n").split("\t")
        if words[0] == UNSUPPORTED:
            raise NotSupported
        self.slowest = max(self.slowest, arrived - self._told - (self._limit if words[0] == SILENT else 0.0))
        return words

    def settle(self) -> None:
        """Hear all answers that a dialog which failed left behind, so that the next one gets its own."""
        while self._unheard > 0:
            with contextlib.suppress(NotSupported):
                self.heard()

    @property
    def has_answered(self) -> bool:
        """Whether there is an answer that was not heard yet."""
        return not self._lines.empty()

    def asked(self, *words: str) -> list[str]:
        """Send a line and return the words of the answer."""
        self.send(*words)
        return self.heard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(5.0)

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put((line, time.monotonic()))
        self._threads[1].join(1.0)
        self._lines.put(("", time.monotonic()))

    def _listen_to_errors(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - it was asked for
        with self._process.stderr as lines:
            self._errors.extend(lines)
