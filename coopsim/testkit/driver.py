"""A controller in a process of its own that can be killed, stopped, or made to fall silent."""

import os
import signal
import subprocess
import threading
from types import TracebackType
from typing import Self

from coopsim.errors import NoReply
from coopsim.interpreter import module_command

_SECONDS = 60.0  # s; a driver in a slow language takes its time to begin


class Driver:
    """A process that drives robots by `coopsim.testkit.driving`; a context manager that ends it.

    Args:
        endpoint: Of the simulation.
        robots: What it drives.
        how: "batched" (one message per step for all), "per-robot" (one each), or "naive" (two readings, one command).
        steps: Number of steps after which it ends; None = when the simulation does.
        silent_after: Number of steps after which it loops without a command; its connection stays alive.
        within: Words put before the command, such as `("ip", "netns", "exec", "right")`.
    """

    def __init__(
        self,
        endpoint: str,
        *robots: str,
        how: str = "batched",
        steps: int | None = None,
        silent_after: int | None = None,
        within: tuple[str, ...] = (),
    ) -> None:
        chosen = {"--how": how, "--steps": steps, "--silent-after": silent_after}
        options = [word for name, value in chosen.items() if value is not None for word in (name, str(value))]
        command = [*within, *module_command("coopsim.testkit.driving", endpoint, *robots, *options, is_unbuffered=True)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._changed = threading.Condition()
        self._lines: list[str] = []
        self._is_over = False
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def printed(self) -> str:
        """Text printed so far."""
        return "".join(self._lines)

    def until(self, word: str) -> Self:
        """Wait until it prints `word`: "driving" after its first step, "silent" before it falls silent.

        Raises:
            NoReply: It ended, or printed nothing in time.
        """
        with self._changed:
            if (
                not self._changed.wait_for(lambda: word in self.printed or self._is_over, _SECONDS)
                or word not in self.printed
            ):
                raise NoReply(f"the driver never printed {word!r}, but {self.printed!r}")
        return self

    def kill(self) -> None:
        """Send SIGKILL: its connection breaks."""
        self._process.kill()

    def stop(self) -> None:
        """Send SIGSTOP: it says nothing more, its connection stays."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Send SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def end(self) -> str:
        """Wait for its own end and return what it printed last: how many steps it did, and a hash of what it saw.

        Raises:
            NoReply: It does not end, or ends with an error.
        """
        try:
            code = self._process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            raise NoReply(f"the driver does not end; it printed {self.printed!r}") from None
        self._reader.join(_SECONDS)
        if code:
            raise NoReply(f"the driver ended with exit code {code}: {self.printed}")
        return self._lines[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(_SECONDS)

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        with self._process.stdout as lines:
            for line in lines:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
